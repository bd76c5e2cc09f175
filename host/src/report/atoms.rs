//! The atoms of a structure's view.

use super::packed_bytes;
use prism_io::output::StructureRows;
use prism_read::residue_name;
use prism_read::structure::{AtomLabel, HeteroResidue};
use serde_json::{Value, json};
use shared_types::Atom;
use std::collections::HashMap;

/// Steps of an Å: finer than a picture shows, and in fewer bits than the file's own three decimals.
const STEPS: f32 = 50.0;

/// The atoms of all residues with rows, then those of residues without rows: their positions relative to the structure's centre, and for
/// each residue the index of its names and elements in a list of different ones.
///
/// Positions are differences to the atom before, as bytes: the lowest byte of every difference first, because each of the higher bytes
/// is nearly always the same.
pub(super) fn json(part: &StructureRows<'_>) -> Value {
    let structure = part.structure;
    let (mut kinds, mut of, mut atoms) = (Kinds::default(), Vec::new(), Vec::<&Atom>::new());
    for row in 0..part.len() {
        let own = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        let alpha = structure.ca_indices.get(row).map(|&index| index as usize);
        // Data sets keep which atom is the alpha carbon, and no other names.
        let name = |index: usize| if Some(index) == alpha { ("CA", "C") } else { ("", "") };
        let names = own.clone().map(|index| structure.atom_labels.get(index).map_or(name(index), label));
        of.push(kinds.index_of(names));
        atoms.extend(&structure.atoms[own]);
    }
    let mut without_rows = Vec::new();
    if let Some(hetero) = structure.hetero.as_deref() {
        for residue in &hetero.residues {
            of.push(kinds.index_of(hetero.labels[residue.atoms.clone()].iter().map(label)));
            atoms.extend(&hetero.atoms[residue.atoms.clone()]);
            without_rows.push(json!({ "id": identity(residue), "chain": residue.chain, "name": residue.name,
                "nucleotide": residue.is_nucleotide }));
        }
    }
    json!({ "steps": STEPS, "center": structure.center.map(|value| (value * 1e3).round() / 1e3), "deltas": deltas(&atoms, STEPS),
        "kinds": kinds.all, "of": of, "without_rows": without_rows })
}

fn label(label: &AtomLabel) -> (&str, &str) {
    (label.name(), label.element())
}

/// Which residue without a row it is, as rows have it: chain, number and insertion code (`A_501`).
pub(super) fn identity(residue: &HeteroResidue) -> String {
    let number = residue.number.map_or_else(String::new, |number| number.to_string());
    residue_name(&residue.chain, number, &residue.icode)
}

/// Different lists of names and elements.
#[derive(Default)]
struct Kinds {
    all: Vec<[String; 2]>,
    indices: HashMap<[String; 2], usize>,
}

impl Kinds {
    fn index_of<'a>(&mut self, atoms: impl Iterator<Item = (&'a str, &'a str)>) -> usize {
        let (names, elements): (Vec<&str>, Vec<&str>) = atoms.unzip();
        *self.indices.entry([names.join(" "), elements.join(" ")]).or_insert_with_key(|kind| {
            self.all.push(kind.clone());
            self.all.len() - 1
        })
    }
}

/// Positions as differences, in steps of an Å: see [`json()`].
pub(super) fn deltas(atoms: &[&Atom], steps: f32) -> String {
    let axes = [|atom: &Atom| atom.x, |atom: &Atom| atom.y, |atom: &Atom| atom.z];
    let mut all: Vec<u32> = Vec::with_capacity(3 * atoms.len());
    for axis in axes {
        let mut before = 0;
        for atom in atoms {
            let at = (axis(atom) * steps).round() as i32;
            let delta = at.wrapping_sub(before);
            // 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
            all.push(((delta << 1) ^ (delta >> 31)) as u32);
            before = at;
        }
    }
    let bytes: Vec<u8> = (0..4).flat_map(|byte| all.iter().map(move |delta| delta.to_le_bytes()[byte])).collect();
    packed_bytes(&bytes)
}
