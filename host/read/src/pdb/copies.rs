//! Models that are the copies of an assembly, as in files that are called `.pdb1`, rather than alternatives.

use super::Records;
use super::columns::line_residue;
use super::parts::is_amino_acid;
use crate::draft::Draft;
use crate::lines::lines;
use crate::word::text_of;
use shared_types::NO_CA;
use std::collections::HashMap;

/// Alpha carbons of the second model that are looked at. Alternatives mostly show with the second.
const LOOKED_AT: usize = 64;
/// Fewer say nothing.
const LEAST: usize = 3;
/// Distances in a copy differ by no more than coordinates are rounded, in Å.
const ROUNDED: f64 = 0.01;
/// An operator of an assembly moves something farther than this, in Å.
const MOVED: f64 = 3.0;

/// Whether the model at the start of `rest` is the first one in another place: its alpha carbons have the same distances.
pub(super) fn follow(first: &Draft, rest: &[u8]) -> bool {
    if rest.is_empty() {
        return false;
    }
    let s = &first.structure;
    let place = |row: usize| (s.chains[s.chain_ids[row] as usize].as_bytes(), s.residue_numbers[row]);
    let cas = (0..s.n_residues()).filter(|&row| s.ca_indices[row] != NO_CA && s.insertion_codes[row].is_empty());
    let cas: HashMap<_, _> = cas.map(|row| (place(row), first.atoms[s.ca_indices[row] as usize])).collect();
    let mut records = Records::of_first_model(rest);
    let model = lines(rest).take_while(|(_, line)| !line.starts_with(b"ENDMDL"));
    // What is damaged is not compared.
    let atoms = model.filter_map(|(at, line)| records.line(at, line).ok()).flatten().flatten();
    let mut pairs: Vec<([f64; 3], [f64; 3])> = Vec::new();
    for atom in atoms.filter(|atom| !atom.hetatm && atom.columns[12..16] == *b" CA " && atom.place.id.icode.is_empty())
    {
        let own = atom.number().ok().and_then(|number| cas.get(&(atom.place.id.chain, number)));
        let (Some(&[x, y, z, _]), Ok(copy)) = (own, atom.position()) else { continue };
        pairs.push(([x, y, z], copy));
        let ((own, copy), (first_own, first_copy)) = (pairs[pairs.len() - 1], pairs[0]);
        if (distance(own, first_own) - distance(copy, first_copy)).abs() > ROUNDED {
            return false;
        }
        if pairs.len() == LOOKED_AT {
            break;
        }
    }
    pairs.len() >= LEAST && pairs.iter().any(|(own, copy)| distance(*own, *copy) > MOVED)
}

/// Whether the model at the start of `rest` begins with an amino acid of a chain that the first one lacks.
pub(super) fn has_other_chain(first: &Draft, rest: &[u8]) -> bool {
    let first_of_rest = lines(rest).find_map(|(_, line)| line_residue(line));
    // Chain ids of two columns end with this one.
    first_of_rest.filter(|residue| is_amino_acid(residue.name)).is_some_and(|residue| {
        let id = text_of(residue.id.chain);
        !first.structure.chains.iter().any(|chain| chain.ends_with(&id))
    })
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}
