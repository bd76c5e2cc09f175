//! A protein structure as the engine's input.

mod atoms;
mod closures;
mod derived;
mod frame;
mod spread;
mod traces;

pub use atoms::{AtomLabel, AtomPlace, DeclaredBond, Hetero, HeteroResidue, Water};
pub use derived::Derived;
pub use frame::FrameOf;
pub use spread::{SpreadError, check as check_spread};
pub(crate) use traces::Completeness;
pub use traces::needs_whole_residues;

use crate::plural::counted;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::nucleotide::{NO_NUCLEOTIDE, NucleotideAtoms};
use shared_types::residue::{nucleotide_of, parent_of};
use shared_types::{Atom, NO_CA, RESIDUES};
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

macro_rules! structure_input {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        /// A structure's heavy atoms and residues, in file order.
        ///
        /// Read from a file or built by hand; [`StructureInput::validate`] checks that its parts are consistent.
        ///
        /// ```
        /// use prism_read::{StructureError, StructureInput};
        /// use shared_types::Atom;
        ///
        /// // Two glycines with only alpha carbons.
        /// let mut pair = StructureInput {
        ///     name: "pair".to_owned(),
        ///     atoms: [0.0, 3.8].map(|x| Atom { x, y: 0.0, z: 0.0, radius: 1.88 }).into(),
        ///     residue_atoms: vec![0, 1, 2],
        ///     ca_indices: vec![0, 1],
        ///     residue_types: vec![7, 7],
        ///     chain_ids: vec![0, 0],
        ///     chains: vec!["A".to_owned()],
        ///     residue_numbers: vec![1, 2],
        ///     insertion_codes: vec!["".into(); 2],
        ///     bfactor: vec![12.5, 14.0], // unknown inputs may be left out
        ///     ..StructureInput::default()
        /// };
        /// pair.validate()?;
        /// assert_eq!((pair.n_residues(), pair.n_atoms()), (2, 2));
        /// pair.bfactor.pop();
        /// assert!(matches!(pair.validate(), Err(StructureError::Length { field: "bfactor", found: 1, expected: 2, .. })));
        /// # Ok::<(), StructureError>(())
        /// ```
        #[derive(Clone, Debug, Default)]
        pub struct StructureInput {
            /// The name in the output and in errors.
            pub name: String,
            /// The title that the file gives it, or its first molecule's name; empty if there is none, and unless requested
            /// ([`ReadOptions::atoms`](crate::ReadOptions::atoms)).
            pub title: String,
            /// Heavy atoms, residue by residue. Positions in Å relative to `center`.
            pub atoms: Vec<Atom>,
            /// Index in `atoms` of each residue's first atom, then the number of atoms: `n_residues() + 1` offsets.
            pub residue_atoms: Vec<u32>,
            /// Author chain ids, indexed by `chain_ids`. A PDB file's blank chain is `" "`. All residues with one author
            /// chain id have one index, consecutive or not, unless the reader finds that they are several molecules (A, A~2).
            pub chains: Vec<String>,
            /// Per residue, the author's residue number.
            pub residue_numbers: Vec<i32>,
            /// Per residue, the insertion code, usually empty.
            pub insertion_codes: Vec<Box<str>>,
            /// Per residue, its name in the file. Empty if every name is the name of its type in [`RESIDUES`].
            pub residue_names: Vec<Box<str>>,
            /// Per residue, its identifiers in other tables. Empty unless requested
            /// ([`ReadOptions::labels`](crate::ReadOptions::labels)).
            pub labels: Vec<ResidueLabels>,
            /// Chains, as in `chain_ids`, of alpha carbons or backbones alone. Features that need whole residues are undefined
            /// there. Readers fill it ([`StructureInput::find_traces`]).
            pub traces: Vec<u32>,
            /// Chains, as in `chain_ids`, that the file does not have under their names: molecules that the reader told apart (A,
            /// A~2), and copies in an assembly (A-2).
            pub renamed_chains: Vec<u32>,
            /// Whether the B column (`b_column`) is a predictor's confidence (pLDDT).
            pub predicted: bool,
            /// Per residue, the confidence of a predicted model from 0 to 100 (pLDDT): the mean over its atoms if each has its own.
            /// NaN if it is unknown; empty if the model is not predicted.
            pub plddt: Vec<f32>,
            /// What each atom is. Empty unless requested ([`ReadOptions::atoms`](crate::ReadOptions::atoms)).
            pub atom_labels: Vec<AtomLabel>,
            /// Residues without rows, if they were requested with them. Their atoms are not among `atoms`.
            pub hetero: Option<Box<Hetero>>,
            /// Whether the last entry is not a residue but the atoms of ligands, ions and the like, which cover other atoms
            /// and have no row.
            pub environment: bool,
            /// Midpoint in Å of the atoms' bounding box. It was subtracted in f64 before rounding to f32.
            pub center: [f64; 3],
            /// The frame of a trajectory that the structure is, if it is one.
            pub frame: Option<FrameOf>,
            /// The lineage that the structure represents, if any.
            pub lineage: Option<Box<Lineage>>,
            /// Hash of that lineage; passed on, not used in computations.
            pub lineage_hash: u32,
            /// Country code of the sample; passed on, not used in computations.
            pub country_id: u8,
            /// What is computed of it when it is first asked for.
            pub derived: Derived,
            $($(#[$doc])* pub $name: Vec<$type>,)*
        }

        impl StructureInput {
            /// The per-residue inputs: name, number of entries, and whether the input may be left out.
            fn residue_lengths(&self) -> impl Iterator<Item = (&'static str, usize, bool)> {
                [$((stringify!($name), self.$name.len(), may_be_left_out!($kind))),*].into_iter()
            }

            /// Fills inputs that were left out with their default values.
            pub fn fill_absent(&mut self) {
                let n = self.n_residues();
                $($(
                    if self.$name.is_empty() {
                        self.$name.resize(n, $absent);
                    }
                )?)*
            }
        }
    };
}

macro_rules! may_be_left_out {
    (index) => {
        false
    };
    ($value:ident) => {
        true
    };
}

shared_types::residue_inputs!(structure_input);

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

    /// Number of residues, including those without an alpha carbon.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.residue_types.len()
    }

    /// Number of residues with a row in tables: all except those of the [`environment`](Self::environment).
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_residues() - usize::from(self.environment && self.n_residues() > 0)
    }

    /// Number of heavy atoms of residues with a row.
    #[must_use]
    pub fn n_atoms_of_rows(&self) -> usize {
        self.residue_atoms.get(self.n_rows()).map_or(0, |&end| end as usize)
    }

    /// The indices of chains that have rows, in the order of their first rows, and the number of rows of each.
    #[must_use]
    pub fn rows_of_chains(&self) -> Vec<(u32, usize)> {
        let mut chains: Vec<(u32, usize)> = Vec::new();
        for &chain in &self.chain_ids[..self.n_rows()] {
            match chains.iter_mut().find(|(known, _)| *known == chain) {
                Some((_, rows)) => *rows += 1,
                None => chains.push((chain, 1)),
            }
        }
        chains
    }

    /// A residue's name in its file.
    ///
    /// # Panics
    /// If there is no such residue.
    #[must_use]
    pub fn resname(&self, residue: usize) -> &str {
        match self.residue_names.get(residue) {
            Some(name) => name,
            None => RESIDUES.get(usize::from(self.residue_types[residue])).map_or("", |residue| residue.name),
        }
    }

    /// The standard amino acid or nucleotide that a residue is, or is derived from; empty if there is none.
    ///
    /// # Panics
    /// If there is no such residue.
    #[must_use]
    pub fn parent(&self, residue: usize) -> &'static str {
        let kind = self.residue_types[residue];
        let parent = parent_of(kind).or_else(|| nucleotide_of(kind));
        parent.map_or("", |kind| RESIDUES[usize::from(kind)].name)
    }

    /// What a residue is part of: `protein`, `dna` or `rna`.
    ///
    /// # Panics
    /// If there is no such residue.
    #[must_use]
    pub fn polymer(&self, residue: usize) -> &'static str {
        match nucleotide_of(self.residue_types[residue]).map(|kind| RESIDUES[usize::from(kind)].name) {
            None => "protein",
            Some(name) if name.starts_with('D') => "dna",
            Some(_) => "rna",
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
        if self.n_residues() == 0 {
            return Err(StructureError::Empty { structure: self.name.clone() });
        }
        if self.atoms.is_empty() {
            return Err(StructureError::NoAtoms { structure: self.name.clone() });
        }
        self.validate_lengths()?;
        self.validate_indices()?;
        self.validate_numbers()
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

    fn validate_lengths(&self) -> Result<(), StructureError> {
        for (field, found) in [("atoms", self.n_atoms()), ("residue_types", self.n_residues())] {
            // The largest u32 is NO_CA.
            if found >= NO_CA as usize {
                return Err(StructureError::TooLarge { structure: self.name.clone(), field, found });
            }
        }
        let n = self.n_residues();
        let lengths = [
            ("residue_atoms", self.residue_atoms.len(), n + 1),
            ("residue_numbers", self.residue_numbers.len(), n),
            ("insertion_codes", self.insertion_codes.len(), n),
        ];
        let inputs = self.residue_lengths().filter(|(_, found, may_be_left_out)| *found > 0 || !may_be_left_out);
        let names = Some(("residue_names", self.residue_names.len(), n)).filter(|(_, found, _)| *found > 0);
        let labels = Some(("labels", self.labels.len(), n)).filter(|(_, found, _)| *found > 0);
        let plddt = Some(("plddt", self.plddt.len(), n)).filter(|(_, found, _)| *found > 0);
        let all = lengths
            .into_iter()
            .chain(labels)
            .chain(names)
            .chain(plddt)
            .chain(inputs.map(|(field, found, _)| (field, found, n)));
        match all.into_iter().find(|(_, found, expected)| found != expected) {
            Some((field, found, expected)) => {
                Err(StructureError::Length { structure: self.name.clone(), field, found, expected })
            }
            None => Ok(()),
        }
    }

    fn validate_indices(&self) -> Result<(), StructureError> {
        let n_atoms = self.n_atoms();
        if self.residue_atoms[0] != 0 {
            let first = self.residue_atoms[0];
            return Err(self.bad(0, "residue_atoms", format!("begins at atom {first}, but must begin at 0")));
        }
        for (residue, ends) in self.residue_atoms.windows(2).enumerate() {
            let (begin, end) = (ends[0], ends[1]);
            if end < begin || end as usize > n_atoms {
                let problem = format!("runs from atom {begin} to {end} of {n_atoms}; offsets must not decrease");
                return Err(self.bad(residue, "residue_atoms", problem));
            }
            let ca = self.ca_indices[residue];
            if ca != NO_CA && !(begin..end).contains(&ca) {
                let problem = format!("is {ca}, outside the residue's atoms {begin}..{end}");
                return Err(self.bad(residue, "ca_indices", problem));
            }
            if let Some(roles) = self.roles.get(residue)
                && may_exceed(*roles, end - begin)
                && let Some(role) = RoleAtoms::of_words(*roles).indices().find(|&role| u32::from(role) >= end - begin)
            {
                let problem = format!("has atom {role} of the residue's {}", end - begin);
                return Err(self.bad(residue, "roles", problem));
            }
            if let Some(atoms) = self.nucleotide_atoms.get(residue)
                && *atoms != NO_NUCLEOTIDE
                && let Some(atom) = NucleotideAtoms::of_words(*atoms).indices().find(|&at| u32::from(at) >= end - begin)
            {
                let problem = format!("has atom {atom} of the residue's {}", end - begin);
                return Err(self.bad(residue, "nucleotide_atoms", problem));
            }
            let kind = self.residue_types[residue];
            if usize::from(kind) >= RESIDUES.len() {
                return Err(self.bad(
                    residue,
                    "residue_types",
                    format!("is {kind}, but there are only {} types", RESIDUES.len()),
                ));
            }
            let chain = self.chain_ids[residue];
            if chain as usize >= self.chains.len() {
                return Err(self.bad(
                    residue,
                    "chain_ids",
                    format!("is {chain} of {}", counted(self.chains.len(), "chain", "chains")),
                ));
            }
        }
        let covered = self.residue_atoms[self.n_residues()] as usize;
        if covered != n_atoms {
            let problem = format!("ends at atom {covered} of {n_atoms}; every atom needs a residue");
            return Err(self.bad(self.n_residues() - 1, "residue_atoms", problem));
        }
        Ok(())
    }

    fn validate_numbers(&self) -> Result<(), StructureError> {
        if !self.center.iter().all(|c| c.is_finite()) {
            return Err(StructureError::Center { structure: self.name.clone(), center: self.center });
        }
        let finite = |a: &Atom| [a.x, a.y, a.z, a.radius].iter().fold(true, |all, value| all & value.is_finite());
        // First without branches, so that several atoms are checked at a time.
        if !self.atoms.iter().fold(true, |all, atom| all & finite(atom))
            && let Some(atom) = self.atoms.iter().position(|a| !finite(a))
        {
            let residue = self.residue_atoms.partition_point(|&begin| begin as usize <= atom) - 1;
            let problem = format!("has {:?} at index {atom}, which is not finite", self.atoms[atom]);
            return Err(self.bad(residue, "atoms", problem));
        }
        Ok(())
    }

    fn bad(&self, residue: usize, field: &'static str, problem: String) -> StructureError {
        StructureError::Residue { structure: self.name.clone(), residue, field, problem }
    }
}

/// Whether a role's atom is at or beyond `atoms`, without branches.
fn may_exceed(roles: [u32; 2], atoms: u32) -> bool {
    let [low, high] = roles.map(u32::to_le_bytes);
    let exceeds = |found: bool, &role: &u8| found | (role != NO_ATOM) & (u32::from(role) >= atoms);
    high.iter().fold(low.iter().fold(false, exceeds), exceeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A residue with an alpha carbon and one without.
    fn two_residues() -> StructureInput {
        StructureInput {
            name: "x.pdb".into(),
            atoms: vec![Atom { x: 0.0, y: 1.0, z: 2.0, radius: 1.88 }; 3],
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
            ..StructureInput::default()
        }
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
        let mut structure = StructureInput { bfactor: Vec::new(), conservation: Vec::new(), ..two_residues() };
        assert_eq!(structure.validate(), Ok(()));
        structure.fill_absent();
        assert!(structure.bfactor.len() == 2 && structure.conservation.iter().all(|value| value.is_nan()));
        assert_eq!(structure.ca_indices, two_residues().ca_indices);
    }

    #[test]
    fn each_fault_is_named() {
        assert!(message(|s| *s = StructureInput::default()).contains("no residues"));
        let without_atoms = |s: &mut StructureInput| {
            (s.atoms, s.residue_atoms, s.ca_indices) = (Vec::new(), vec![0; 3], vec![NO_CA; 2]);
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
        assert!(message(|s| s.center[1] = f64::NAN).contains("`center`"));
        assert!(message(|s| s.center[1] = f64::NAN).contains("x.pdb"));
    }
}
