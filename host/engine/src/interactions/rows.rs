//! What tables of rows say of the same residues: the chain that each belongs to, and whether it belongs to a polymer.

use super::model::{Class, Entity, System};
use prism_read::structure::StructureInput;
use std::collections::HashMap;
use std::sync::Arc;

/// The distance in Å within which an atom is the same in both readings: rows have single precision.
const SAME: f64 = 0.05;

/// The atoms of a chain's backbone.
const BACKBONE: [&str; 7] = ["N", "CA", "C", "O", "OXT", "OT1", "OT2"];

/// Gives residues with rows the chains that rows have, which tell molecules of one chain id apart, and makes them residues of polymers,
/// whatever their names. Also tells which are of alpha carbons or backbones alone.
pub(super) fn apply(system: &mut System, rows: &StructureInput) {
    let mut known: HashMap<(i32, &str, &str), Vec<usize>> = HashMap::new();
    for row in 0..rows.n_residues() {
        let key = (rows.residue_numbers[row], &*rows.insertion_codes[row], rows.resname(row));
        known.entry(key).or_default().push(row);
    }
    let chains: Vec<Arc<str>> = rows.chains.iter().map(|chain| chain.as_str().into()).collect();
    let System { residues, atoms, .. } = system;
    for residue in residues.iter_mut().filter(|residue| residue.class != Class::Water) {
        let key = (residue.number, &*residue.icode, &*residue.name);
        let own = &atoms[residue.range()];
        let is_it = |row: &usize| {
            let of_row = &rows.atoms[rows.residue_atoms[*row] as usize..rows.residue_atoms[row + 1] as usize];
            own.iter()
                .any(|atom| of_row.iter().any(|other| is_near(atom.position, rows.center, [other.x, other.y, other.z])))
        };
        let Some(&row) = known.get(&key).and_then(|rows| rows.iter().find(|row| is_it(row))) else { continue };
        let chain = rows.chain_ids[row];
        if rows.renamed_chains.contains(&chain) {
            residue.chain = Arc::clone(&chains[chain as usize]);
        }
        residue.is_trace = rows.traces.contains(&chain) && own.iter().all(|atom| BACKBONE.contains(&&*atom.name));
        if !matches!(residue.entity, Entity::Protein | Entity::Nucleic) {
            residue.entity = if residue.class == Class::Nucleotide { Entity::Nucleic } else { Entity::Protein };
        }
    }
}

fn is_near(point: [f64; 3], center: [f64; 3], offset: [f32; 3]) -> bool {
    (0..3).all(|axis| (point[axis] - center[axis] - f64::from(offset[axis])).abs() < SAME)
}
