//! What a structure is made of.

use super::{Derived, Hetero, LigandKind, Lineage, ResidueLabels, StructureError};
use crate::plural::counted;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::nucleotide::{NO_NUCLEOTIDE, NucleotideAtoms};
use shared_types::residue::{nucleotide_of, parent_of};
use shared_types::{NO_CA, RESIDUES};
use std::sync::Arc;

macro_rules! composition {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        /// What a structure is made of: everything but the positions of its atoms. A [`StructureInput`](super::StructureInput) has one,
        /// which it may share with others; its example shows both.
        #[derive(Clone, Debug, Default)]
        pub struct Composition {
            /// The name in the output and in errors.
            pub name: String,
            /// The title that the file gives it, or its first molecule's name; empty if there is none, and unless requested
            /// ([`ReadOptions::atoms`](crate::ReadOptions::atoms)).
            pub title: String,
            /// Index of each residue's first atom, then the number of atoms: `n_residues() + 1` offsets.
            pub residue_atoms: Vec<u32>,
            /// Author chain ids, indexed by `chain_ids`. A PDB file's blank chain is `" "`. All residues with one author
            /// chain id have one index, consecutive or not, unless the reader finds that they are several molecules (A, A~2).
            pub chains: Vec<String>,
            /// Per residue, the author's residue number.
            pub residue_numbers: Vec<i32>,
            /// Per residue, the insertion code, usually empty.
            pub insertion_codes: Vec<Box<str>>,
            /// Per residue, its name in the file. Empty if every name is the name of its type in [`RESIDUES`].
            pub residue_names: Vec<Arc<str>>,
            /// Per residue, its identifiers in other tables. Empty unless requested
            /// ([`ReadOptions::labels`](crate::ReadOptions::labels)).
            pub labels: Vec<ResidueLabels>,
            /// Chains, as in `chain_ids`, of alpha carbons or backbones alone. Features that need whole residues are undefined
            /// there. Readers fill it ([`StructureInput::find_traces`](super::StructureInput::find_traces)).
            pub traces: Vec<u32>,
            /// Chains, as in `chain_ids`, that the file does not have under their names: molecules that the reader told apart (A,
            /// A~2), and copies in an assembly.
            pub renamed_chains: Vec<u32>,
            /// Whether the B column (`b_column`) is a predictor's confidence (pLDDT).
            pub predicted: bool,
            /// Per residue, the confidence of a predicted model from 0 to 100 (pLDDT): the mean over its atoms if each has its own.
            /// NaN if it is unknown; empty if the model is not predicted.
            pub plddt: Vec<f32>,
            /// Residues without rows, if they were requested with them. Their atoms are not among `atoms`.
            pub hetero: Option<Box<Hetero>>,
            /// What the residues after those of polymers are, if ligands, ions and the like have rows of their own in tables of residues
            /// ([`ReadOptions::hetero_rows`](crate::ReadOptions::hetero_rows)). Each has a chain index of its own, and no alpha carbon.
            pub hetero_rows: Vec<LigandKind>,
            /// Whether the last entry is not a residue but the atoms of ligands, ions and the like, which cover other atoms
            /// and have no row.
            pub environment: bool,
            /// The lineage that the structure represents, if any.
            pub lineage: Option<Box<Lineage>>,
            /// Hash of that lineage; passed on, not used in computations.
            pub lineage_hash: u32,
            /// Country code of the sample; passed on, not used in computations.
            pub country_id: u8,
            /// What is computed of it when it is first asked for; forgotten when it changes.
            pub derived: Derived,
            $($(#[$doc])* pub $name: Vec<$type>,)*
        }

        impl Composition {
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

shared_types::residue_inputs!(composition);

impl Composition {
    /// Number of residues, including those without an alpha carbon.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.residue_types.len()
    }

    /// Number of residues of polymers, each of which has a row in tables: all except [`hetero_rows`](Self::hetero_rows) and the
    /// [`environment`](Self::environment).
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows_with_hetero().saturating_sub(self.hetero_rows.len())
    }

    /// Number of rows in tables of residues: those of polymers, then [`hetero_rows`](Self::hetero_rows).
    #[must_use]
    pub fn n_rows_with_hetero(&self) -> usize {
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

    /// What a residue is part of, `protein`, `dna` or `rna`, or what it is if it is one of [`hetero_rows`](Self::hetero_rows).
    ///
    /// # Panics
    /// If there is no such residue.
    #[must_use]
    pub fn polymer(&self, residue: usize) -> &'static str {
        let hetero = residue.checked_sub(self.n_rows()).and_then(|place| self.hetero_rows.get(place));
        if let Some(kind) = hetero {
            return kind.name();
        }
        match nucleotide_of(self.residue_types[residue]).map(|kind| RESIDUES[usize::from(kind)].name) {
            None => "protein",
            Some(name) if name.starts_with('D') => "dna",
            Some(_) => "rna",
        }
    }

    /// Checks that it is consistent, for a structure of so many atoms.
    pub(super) fn validate(&self, n_atoms: usize) -> Result<(), StructureError> {
        if self.n_residues() == 0 {
            return Err(StructureError::Empty { structure: self.name.clone() });
        }
        if n_atoms == 0 {
            return Err(StructureError::NoAtoms { structure: self.name.clone() });
        }
        self.validate_lengths(n_atoms)?;
        self.validate_indices(n_atoms)
    }

    fn validate_lengths(&self, n_atoms: usize) -> Result<(), StructureError> {
        for (field, found) in [("atoms", n_atoms), ("residue_types", self.n_residues())] {
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

    fn validate_indices(&self, n_atoms: usize) -> Result<(), StructureError> {
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
        if self.hetero_rows.len() > self.n_rows_with_hetero() {
            let found = self.hetero_rows.len();
            return Err(StructureError::Length {
                structure: self.name.clone(),
                field: "hetero_rows",
                found,
                expected: self.n_rows_with_hetero(),
            });
        }
        let covered = self.residue_atoms[self.n_residues()] as usize;
        if covered != n_atoms {
            let problem = format!("ends at atom {covered} of {n_atoms}; every atom needs a residue");
            return Err(self.bad(self.n_residues() - 1, "residue_atoms", problem));
        }
        Ok(())
    }

    pub(super) fn bad(&self, residue: usize, field: &'static str, problem: String) -> StructureError {
        StructureError::Residue { structure: self.name.clone(), residue, field, problem }
    }
}

/// Whether a role's atom is at or beyond `atoms`, without branches.
fn may_exceed(roles: [u32; 2], atoms: u32) -> bool {
    let [low, high] = roles.map(u32::to_le_bytes);
    let exceeds = |found: bool, &role: &u8| found | (role != NO_ATOM) & (u32::from(role) >= atoms);
    high.iter().fold(low.iter().fold(false, exceeds), exceeds)
}
