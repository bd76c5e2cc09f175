//! Rows of ligands, ions and the like: what is defined of them.

use crate::Selection;
use kernels_gpu::in_file;
use prism_read::structure::{StructureInput, needs_whole_residues};
use shared_types::feature::column;
use shared_types::{Feature, Group};

/// What a feature is in the row of a ligand or an ion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfHetero {
    /// As for residues of polymers: it depends on heavy atoms alone.
    Same,
    /// The mean B column of its heavy atoms.
    MeanB,
    /// A coordinate of the mean position of its heavy atoms, along this axis.
    Middle(usize),
    /// Undefined.
    Undefined,
}

impl OfHetero {
    /// What a feature is there.
    ///
    /// ```
    /// use prism_engine::OfHetero;
    /// use shared_types::FEATURES;
    ///
    /// let of = |name: &str| OfHetero::of(FEATURES.iter().find(|feature| feature.name == name).unwrap());
    /// assert_eq!(["sasa", "ca_y", "contact_number"].map(of), [OfHetero::Same, OfHetero::Middle(1), OfHetero::Undefined]);
    /// ```
    #[must_use]
    pub fn of(feature: &Feature) -> Self {
        match (feature.group, feature.column) {
            (
                Group::Residue,
                column::SASA | column::SASA_APOLAR | column::CX | column::DEPTH | column::ATOMIC_CONTACTS,
            ) => Self::Same,
            (Group::Position, column::B_FACTOR) => Self::MeanB,
            (Group::Position, column::CA_X) => Self::Middle(0),
            (Group::Position, column::CA_Y) => Self::Middle(1),
            (Group::Position, column::CA_Z) => Self::Middle(2),
            _ => Self::Undefined,
        }
    }
}

/// Sets the values of a structure's hetero rows that kernels do not compute, and makes those undefined that say nothing about a ligand. No
/// ligand lines a site.
pub(super) fn describe(structure: &StructureInput, selection: &Selection, values: &mut [f32], site_ids: &mut [i32]) {
    let (rows, residues) = (structure.n_rows()..structure.n_rows_with_hetero(), structure.n_residues());
    if !values.is_empty() {
        for (place, feature) in selection.features().iter().enumerate() {
            let own = &mut values[place * residues..(place + 1) * residues];
            // Beside alpha carbons alone, nobody knows what would cover a ligand.
            let lacks_atoms = !structure.traces.is_empty() && needs_whole_residues(feature);
            let of = OfHetero::of(feature);
            for row in rows.clone() {
                match of {
                    OfHetero::Same if !lacks_atoms => {}
                    OfHetero::MeanB => own[row] = structure.b_column[row],
                    OfHetero::Middle(axis) => own[row] = middle(structure, row, axis),
                    OfHetero::Same | OfHetero::Undefined => own[row] = f32::NAN,
                }
            }
        }
    }
    if !site_ids.is_empty() {
        site_ids[rows].fill(-1);
    }
}

/// The mean position of a residue's heavy atoms along an axis, in Å in the file's frame.
fn middle(structure: &StructureInput, row: usize, axis: usize) -> f32 {
    let atoms = &structure.atoms[structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize];
    let sum: f64 = atoms.iter().map(|atom| in_file([atom.x, atom.y, atom.z][axis], structure.center[axis])).sum();
    (sum / atoms.len() as f64) as f32
}
