//! A protein structure as the engine's input.

mod atoms;
mod closures;
mod composition;
mod derived;
mod frame;
mod ligands;
mod positions;
mod spread;
mod traces;

pub use atoms::{AtomLabel, AtomPlace, DeclaredBond, Hetero, HeteroResidue, Water};
pub use composition::Composition;
pub use derived::Derived;
pub use frame::FrameOf;
pub use ligands::LigandKind;
pub use positions::{AtomMemory, Atoms, move_past_caches, move_to};
pub use spread::{SpreadError, WIDEST_GROUP, check as check_spread, is_usual as is_spread_usual};
pub(crate) use traces::Completeness;
pub use traces::needs_whole_residues;

use shared_types::Atom;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use thiserror::Error;

/// A lineage that a structure represents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// Its name.
    pub name: String,
    /// The country where it was sampled.
    pub country: String,
    /// The standard error of `gisaid_velocity` for each residue, per day; NaN if there is none.
    pub velocity_error: Vec<f32>,
}

/// A structure's heavy atoms and residues, in file order.
///
/// Read from a file or built by hand; [`StructureInput::validate`] checks that its parts are consistent. What it is made of is its
/// [`Composition`], whose fields are read and changed as if they were its own. A clone shares the composition until one of both changes
/// it, and so do the frames of a trajectory: a frame has only positions of its own.
///
/// ```
/// use prism_read::structure::Composition;
/// use prism_read::{StructureError, StructureInput};
/// use shared_types::Atom;
///
/// // Two glycines with only alpha carbons.
/// let glycines = Composition {
///     name: "pair".to_owned(),
///     residue_atoms: vec![0, 1, 2],
///     ca_indices: vec![0, 1],
///     residue_types: vec![7, 7],
///     chain_ids: vec![0, 0],
///     chains: vec!["A".to_owned()],
///     residue_numbers: vec![1, 2],
///     insertion_codes: vec!["".into(); 2],
///     bfactor: vec![12.5, 14.0], // unknown inputs may be left out
///     ..Composition::default()
/// };
/// let atoms = [0.0, 3.8].map(|x| Atom { x, y: 0.0, z: 0.0, radius: 1.88 });
/// let mut pair = StructureInput { atoms: atoms.into(), ..glycines.into() };
/// pair.validate()?;
/// assert_eq!((pair.n_residues(), pair.n_atoms()), (2, 2));
/// pair.bfactor.pop();
/// assert!(matches!(pair.validate(), Err(StructureError::Length { field: "bfactor", found: 1, expected: 2, .. })));
/// # Ok::<(), StructureError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StructureInput {
    /// Heavy atoms, residue by residue. Positions in Å relative to `center`.
    pub atoms: Atoms,
    /// What each atom is. Empty unless requested ([`ReadOptions::atoms`](crate::ReadOptions::atoms)).
    pub atom_labels: Vec<AtomLabel>,
    /// Midpoint in Å of the atoms' bounding box. It was subtracted in f64 before rounding to f32.
    pub center: [f64; 3],
    /// The frame of a trajectory that the structure is, if it is one.
    pub frame: Option<FrameOf>,
    /// What is computed of it when it is first asked for.
    pub derived: Derived,
    /// Everything that does not depend on positions.
    pub composition: Arc<Composition>,
}

impl Deref for StructureInput {
    type Target = Composition;

    #[inline]
    fn deref(&self) -> &Composition {
        &self.composition
    }
}

impl DerefMut for StructureInput {
    /// The composition to change; the structure gets one of its own if it shares it.
    fn deref_mut(&mut self) -> &mut Composition {
        let own = Arc::make_mut(&mut self.composition);
        // It may become another one.
        own.derived = Derived::default();
        own
    }
}

impl From<Composition> for StructureInput {
    /// A structure without atoms.
    fn from(composition: Composition) -> Self {
        Self { composition: Arc::new(composition), ..Self::default() }
    }
}

/// Identifiers of a residue in other tables.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
///
/// let options = ReadOptions { labels: true, ..ReadOptions::default() };
/// let crambin = read_path("../tests/data/1crn.cif", "1crn", &options)?.structure;
/// let first = &crambin.labels[0];
/// assert_eq!((&*first.asym_id, first.seq_id, &*first.entity_id), ("A", Some(1), "1"));
/// assert_eq!((&*first.uniprot_accession, first.uniprot_number), ("P01542", Some(1)));
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResidueLabels {
    /// mmCIF's `label_asym_id`; empty if the file has none.
    pub asym_id: Box<str>,
    /// mmCIF's `label_seq_id`: the residue's number in its entity's sequence.
    pub seq_id: Option<i32>,
    /// mmCIF's `label_entity_id`; empty if the file has none.
    pub entity_id: Box<str>,
    /// The UniProt accession of its sequence; empty if the file names none.
    pub uniprot_accession: Box<str>,
    /// Its number in that sequence.
    pub uniprot_number: Option<i32>,
}

/// Why a [`StructureInput`] is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StructureError {
    /// It has no residues.
    #[error("structure {structure:?} has no residues; leave it out of the batch")]
    Empty {
        /// The structure's name.
        structure: String,
    },
    /// It has no heavy atoms.
    #[error("structure {structure:?} has no heavy atoms; leave it out of the batch")]
    NoAtoms {
        /// The structure's name.
        structure: String,
    },
    /// A per-residue list has the wrong length.
    #[error("structure {structure:?}: `{field}` has {found} entries but needs {expected}")]
    Length {
        /// The structure's name.
        structure: String,
        /// The list's field name.
        field: &'static str,
        /// Number of entries it has.
        found: usize,
        /// Number of entries it needs.
        expected: usize,
    },
    /// A residue has an invalid value.
    #[error("structure {structure:?}, residue {residue} (counted from 0): `{field}` {problem}")]
    Residue {
        /// The structure's name.
        structure: String,
        /// The residue's row, from 0.
        residue: usize,
        /// The field's name.
        field: &'static str,
        /// The problem.
        problem: String,
    },
    /// It has more atoms or residues than 32-bit indices can address.
    #[error("structure {structure:?}: `{field}` has {found} entries, more than 32-bit indices can address; split it")]
    TooLarge {
        /// The structure's name.
        structure: String,
        /// The list's field name.
        field: &'static str,
        /// Number of entries it has.
        found: usize,
    },
    /// The atoms lie so that a search for neighbours would take too long.
    #[error("structure {structure:?}: {source}")]
    Spread {
        /// The structure's name.
        structure: String,
        /// The problem.
        source: SpreadError,
    },
    /// The centre is not finite.
    #[error("structure {structure:?}: `center` is {center:?}, which is not finite")]
    Center {
        /// The structure's name.
        structure: String,
        /// The centre.
        center: [f64; 3],
    },
}

impl StructureInput {
    /// The name for messages: with the frame, if it is one.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.frame {
            Some(frame) => format!("{}, {frame}", self.name),
            None => self.name.clone(),
        }
    }

    /// Number of heavy atoms.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.atoms.len()
    }

    /// Checks that all lists have matching lengths, that residues cover the atoms in order, that indices are in range, and
    /// that positions and radii are finite.
    ///
    /// # Errors
    /// The first problem, with the structure, residue and field.
    pub fn validate(&self) -> Result<(), StructureError> {
        self.composition.validate(self.n_atoms())?;
        self.validate_positions()
    }

    /// Checks that atoms are neither so dense nor so far apart that a search for neighbours takes quadratic time. Reading a
    /// file or a packed data set includes this check. Structures of up to 1,400 atoms always pass.
    ///
    /// # Errors
    /// [`StructureError::Spread`].
    pub fn check_spread(&self) -> Result<(), StructureError> {
        let atoms = self.atoms.iter().map(|atom| [atom.x, atom.y, atom.z].map(f64::from));
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for atom in atoms.clone() {
            low = [0, 1, 2].map(|axis| low[axis].min(atom[axis]));
            high = [0, 1, 2].map(|axis| high[axis].max(atom[axis]));
        }
        check_spread(atoms, low, high).map_err(|source| StructureError::Spread { structure: self.name.clone(), source })
    }

    /// As [`validate`](Self::validate), for a structure whose composition is known to be valid with as many atoms.
    ///
    /// # Errors
    /// The first position, radius or centre that is not finite.
    pub fn validate_positions(&self) -> Result<(), StructureError> {
        if !self.center.iter().all(|c| c.is_finite()) {
            return Err(StructureError::Center { structure: self.name.clone(), center: self.center });
        }
        let is_finite = |a: &Atom| [a.x, a.y, a.z, a.radius].iter().all(|value| value.is_finite());
        if !self.atoms.are_finite()
            && let Some(atom) = self.atoms.iter().position(|atom| !is_finite(atom))
        {
            let residue = self.residue_atoms.partition_point(|&begin| begin as usize <= atom) - 1;
            let problem = format!("has {:?} at index {atom}, which is not finite", self.atoms[atom]);
            return Err(self.bad(residue, "atoms", problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::NO_CA;

    /// A residue with an alpha carbon and one without.
    fn two_residues() -> StructureInput {
        let composition = Composition {
            name: "x.pdb".into(),
            residue_atoms: vec![0, 2, 3],
            ca_indices: vec![1, NO_CA],
            residue_types: vec![0, 19],
            chain_ids: vec![0, 0],
            chains: vec!["A".into()],
            residue_numbers: vec![1, 2],
            insertion_codes: vec!["".into(), "A".into()],
            bfactor: vec![1.0, f32::NAN],
            conservation: vec![f32::NAN; 2],
            gisaid_freq: vec![f32::NAN; 2],
            gisaid_velocity: vec![f32::NAN; 2],
            ..Composition::default()
        };
        StructureInput { atoms: vec![Atom { x: 0.0, y: 1.0, z: 2.0, radius: 1.88 }; 3].into(), ..composition.into() }
    }

    fn message(change: impl FnOnce(&mut StructureInput)) -> String {
        let mut structure = two_residues();
        change(&mut structure);
        structure.validate().expect_err("must be refused").to_string()
    }

    #[test]
    fn a_whole_structure_passes() {
        assert_eq!(two_residues().validate(), Ok(()));
    }

    #[test]
    fn values_may_be_left_out() {
        let mut structure = two_residues();
        (structure.bfactor, structure.conservation) = (Vec::new(), Vec::new());
        assert_eq!(structure.validate(), Ok(()));
        structure.fill_absent();
        assert!(structure.bfactor.len() == 2 && structure.conservation.iter().all(|value| value.is_nan()));
        assert_eq!(structure.ca_indices, two_residues().ca_indices);
    }

    #[test]
    fn each_fault_is_named() {
        assert!(message(|s| *s = StructureInput::default()).contains("no residues"));
        let without_atoms = |s: &mut StructureInput| {
            (s.atoms, s.residue_atoms, s.ca_indices) = (Atoms::default(), vec![0; 3], vec![NO_CA; 2]);
        };
        assert!(message(without_atoms).contains("\"x.pdb\" has no heavy atoms"));
        assert!(message(|s| s.gisaid_freq.truncate(1)).contains("`gisaid_freq` has 1 entries but needs 2"));
        assert!(message(|s| s.ca_indices.clear()).contains("`ca_indices` has 0 entries but needs 2"));
        assert!(message(|s| s.residue_atoms.push(3)).contains("`residue_atoms` has 4 entries but needs 3"));
        assert!(message(|s| s.residue_atoms[0] = 1).contains("residue 0 (counted from 0): `residue_atoms` begins"));
        assert!(message(|s| s.residue_atoms[1] = 9).contains("runs from atom 0 to 9 of 3"));
        assert!(message(|s| s.residue_atoms[2] = 1).contains("residue 1 (counted from 0): `residue_atoms` runs"));
        assert!(message(|s| s.residue_atoms[2] = 2).contains("ends at atom 2 of 3"));
        assert!(message(|s| s.ca_indices[0] = 2).contains("`ca_indices` is 2, outside the residue's atoms 0..2"));
        assert!(message(|s| s.residue_types[1] = 255).contains("residue 1 (counted from 0): `residue_types` is 255"));
        assert!(message(|s| s.chain_ids[1] = 1).contains("`chain_ids` is 1 of 1 chain"));
        assert!(message(|s| s.atoms[2].radius = f32::NAN).contains("residue 1 (counted from 0): `atoms`"));
        assert!(message(|s| s.atoms[0].z = f32::INFINITY).contains("residue 0 (counted from 0): `atoms`"));
        assert!(
            message(|s| s.hetero_rows = vec![LigandKind::Ion; 3]).contains("`hetero_rows` has 3 entries but needs 2")
        );
        assert!(message(|s| s.center[1] = f64::NAN).contains("`center`"));
        assert!(message(|s| s.center[1] = f64::NAN).contains("x.pdb"));
    }

    #[test]
    fn clones_share_a_composition_until_one_changes_it() {
        let whole = two_residues();
        let (moved, mut renamed) = (StructureInput { center: [1.0; 3], ..whole.clone() }, whole.clone());
        assert!(Arc::ptr_eq(&moved.composition, &whole.composition));
        renamed.name = "y.pdb".into();
        assert_eq!((&*whole.name, &*moved.name, &*renamed.name), ("x.pdb", "x.pdb", "y.pdb"));
        // What was computed of it is forgotten when it changes.
        let known = |structure: &StructureInput| {
            structure.composition.derived.get_or_init(|| structure.chains.len()).to_owned()
        };
        assert_eq!((known(&renamed), known(&whole)), (1, 1));
        renamed.chains.push("B".into());
        assert_eq!((known(&renamed), known(&whole), known(&moved)), (2, 1, 1));
    }
}
