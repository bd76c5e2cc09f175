//! Options for reading.

use crate::selection::ResidueSelection;
use std::sync::Arc;

/// What to read from a file.
///
/// The default reads every chain and residue, the alternative with the highest mean occupancy of each residue, and the
/// first model.
///
/// ```
/// use prism_read::{Alternates, Models, ReadOptions, Residues};
///
/// // Reads what a program reads that knows only the 20 standard names.
/// let plain = ReadOptions::standard();
/// assert_eq!((plain.residues, plain.alternates), (Residues::Standard, Alternates::First));
/// assert_eq!(ReadOptions::default().models, Models::First);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Author chain ids to keep; all other chains are dropped first. `None` keeps every chain.
    /// A PDB file's blank chain is `" "` (or `""`).
    pub chains: Option<Vec<String>>,
    /// Residues to keep. Others are dropped once chains are complete: molecules are told apart and assemblies built before.
    pub select: Option<Arc<ResidueSelection>>,
    /// What becomes a structure of its own.
    pub each: Each,
    /// Which residues get a row.
    pub residues: Residues,
    /// Which polymers' residues get a row.
    pub polymers: Polymers,
    /// Which alternate location to use.
    pub alternates: Alternates,
    /// Which models to read.
    pub models: Models,
    /// Id of the biological assembly to build instead of the deposited chains.
    pub assembly: Option<String>,
    /// Whether ligands, ions, cofactors, caps and nucleic acids cover surface (water never does). Their atoms follow those
    /// of the residues, in a last row that is not a residue
    /// ([`Composition::environment`](crate::Composition::environment)).
    pub cover: bool,
    /// Whether ligands, ions, cofactors and caps that cover surface have rows of their own after those of the polymers
    /// ([`Composition::hetero_rows`](crate::Composition::hetero_rows)). Without [`cover`](Self::cover) it has no effect.
    pub hetero_rows: bool,
    /// Whether to keep what each atom is ([`StructureInput::atom_labels`](crate::StructureInput::atom_labels)), and residues without
    /// rows ([`Composition::hetero`](crate::Composition::hetero)).
    pub atoms: bool,
    /// Whether to keep water, too ([`Hetero::waters`](crate::structure::Hetero::waters)), where what atoms are is kept.
    pub water: bool,
    /// Whether to keep the identifiers that other tables join by (labels).
    pub labels: bool,
    /// Whether confidences of predicted models are averaged over each residue's atoms. Readers set it themselves where they are needed.
    #[doc(hidden)]
    pub average_b: bool,
    /// Whether mmCIF is read word by word, without the faster path for usual lines. The results are the same; tests compare them.
    #[doc(hidden)]
    pub by_words: bool,
}

impl ReadOptions {
    /// Only standard residues, each atom in its first alternate location.
    #[must_use]
    pub fn standard() -> Self {
        Self { residues: Residues::Standard, alternates: Alternates::First, ..Self::default() }
    }

    /// Whether atoms without rows are read: because they cover surface, are asked for, or others are selected by them.
    pub(super) fn reads_cover(&self) -> bool {
        self.cover || self.atoms || self.select.is_some()
    }

    /// Whether the records of atoms are kept.
    pub(super) fn keeps_records(&self) -> bool {
        self.atoms || self.cover && self.hetero_rows
    }

    /// Whether water is kept.
    pub(super) fn keeps_water(&self) -> bool {
        self.water && self.atoms
    }

    /// Whether it matters to which residue an atom without a row belongs.
    pub(super) fn identifies_cover(&self) -> bool {
        self.reads_cover()
            && (self.keeps_records() || self.select.is_some() || self.assembly.is_some() || self.each != Each::Model)
    }
}

/// What becomes a structure of its own: a part of a model, named `NAME:PART`, or the whole model.
///
/// ```
/// use prism_read::{Each, ReadOptions, read_structures};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  CA  ALA B   7       4.800   2.000   3.000  1.00 12.00           C
/// END
/// ";
/// let options = ReadOptions { each: Each::Chain, ..ReadOptions::default() };
/// let names = read_structures(pdb, "x", &options).into_iter().map(|read| read.unwrap().structure.name.clone());
/// assert_eq!(names.collect::<Vec<_>>(), ["x:A", "x:B"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// A model with all its chains; which models is [`Models`]' to say.
    #[default]
    Model,
    /// A chain.
    Chain,
    /// Chains that are bonded to each other, or one that is bonded to none: with atoms less than 2.2 Å apart.
    Molecule,
    /// A biological assembly of the file, of which it must have one.
    Assembly,
}

/// Which residues get a row. See [`ReadOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Residues {
    /// Every amino acid of a chain: standard ones under any force field's name, modified and unknown ones.
    #[default]
    All,
    /// Only the 20 standard names in `ATOM` records.
    Standard,
}

/// Which polymers' residues get a row. Residues of others are like ligands: they have none, and may cover surface.
///
/// ```
/// use prism_read::{Polymers, ReadOptions, read_bytes};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  C1'  DA B   7       4.800   2.000   3.000  1.00 12.00           C
/// END
/// ";
/// let rows = |polymers| read_bytes(pdb, "x", &ReadOptions { polymers, ..ReadOptions::default() }).unwrap().structure.n_rows();
/// assert_eq!([Polymers::Protein, Polymers::Nucleic, Polymers::All].map(rows), [1, 1, 2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polymers {
    /// Amino acids.
    #[default]
    Protein,
    /// Nucleotides of DNA and RNA. With [`Residues::Standard`] there are none.
    Nucleic,
    /// Both.
    All,
}

impl Polymers {
    /// Whether amino acids have rows.
    #[must_use]
    pub fn has_protein(self) -> bool {
        self != Self::Nucleic
    }

    /// What they are.
    pub(super) fn named(self) -> &'static str {
        match self {
            Self::Protein => "protein",
            Self::Nucleic => "nucleic acid",
            Self::All => "protein or nucleic acid",
        }
    }

    /// What their residues are.
    pub(super) fn residues(self) -> &'static str {
        match self {
            Self::Protein => "protein residues",
            Self::Nucleic => "nucleotides",
            Self::All => "protein residues or nucleotides",
        }
    }

    /// Whether nucleotides have rows.
    #[must_use]
    pub fn has_nucleic(self) -> bool {
        self != Self::Protein
    }
}

/// Which alternate location to use. See [`ReadOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternates {
    /// For a whole residue, the alternative with the highest mean occupancy, or the first of equal ones. Atoms that this
    /// alternative lacks come from the best one that has them. Atoms without a letter are an alternative if the residue has
    /// their names with a letter, too; others belong to every alternative.
    #[default]
    Highest,
    /// For each atom name, the first record.
    First,
    /// This alternative if a residue has it, otherwise as [`Highest`](Self::Highest).
    Named(char),
}

/// Which models to read. See [`ReadOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Models {
    /// The first model.
    #[default]
    First,
    /// The model with this number in the file.
    Number(i32),
    /// Every model. If there are several, `#` and the model's number follow the name.
    All,
    /// Every model, as a part of one structure: the copies of an assembly. The second chain A is called A-2.
    Join,
}
