//! A structure as in the definitions: residues in f64, with `None` for missing values.

use prism_host::StructureInput;
use shared_types::NO_CA;
use shared_types::residue::is_nucleotide;
use tests::vector::{length, minus};

/// The data on which features are defined.
#[derive(Clone, Debug)]
pub struct Residue {
    /// The alpha carbon in Å.
    pub ca: Option<[f64; 3]>,
    pub chain: u32,
    pub kind: usize,
    /// B factor of the alpha carbon.
    pub bfactor: Option<f64>,
    pub conservation: Option<f64>,
    pub freq: Option<f64>,
    pub velocity: Option<f64>,
}

/// The residues, from the same numbers that kernels get.
pub fn residues(structure: &StructureInput) -> Vec<Residue> {
    let given = |x: f32| (!x.is_nan()).then(|| f64::from(x));
    (0..structure.n_residues())
        .map(|i| {
            let ca = (structure.ca_indices[i] != NO_CA).then(|| {
                let atom = structure.atoms[structure.ca_indices[i] as usize];
                [atom.x, atom.y, atom.z].map(f64::from)
            });
            Residue {
                ca,
                chain: structure.chain_ids[i],
                kind: usize::from(structure.residue_types[i]),
                bfactor: ca.and(given(structure.bfactor[i])),
                conservation: given(structure.conservation[i]),
                freq: given(structure.gisaid_freq[i]),
                velocity: given(structure.gisaid_velocity[i]),
            }
        })
        .collect()
}

/// Distance of two alpha carbons; `None` if one is missing.
pub fn distance(a: &Residue, b: &Residue) -> Option<f64> {
    Some(length(minus(b.ca?, a.ca?)))
}

/// Whether row `i + 1` follows row `i` in its chain, less than 4.3 Å away. Nucleotides have no alpha carbons.
pub fn linked(residues: &[Residue], i: usize) -> bool {
    match (residues.get(i), residues.get(i + 1)) {
        (Some(a), Some(b)) => {
            let are_amino_acids = [a, b].iter().all(|residue| !is_nucleotide(residue.kind as u8));
            a.chain == b.chain && are_amino_acids && distance(a, b).is_some_and(|d| d < 4.3)
        }
        _ => false,
    }
}

/// Whether the residue belongs to a linked run of at least two.
pub fn in_fragment(residues: &[Residue], i: usize) -> bool {
    linked(residues, i) || (i > 0 && linked(residues, i - 1))
}
