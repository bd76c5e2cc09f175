//! What to read of a file.

/// What to read of a file.
///
/// The default keeps every chain and every residue, of each residue the alternative with the highest mean occupancy, and of
/// several models the first.
///
/// ```
/// use prism_host::read::{Alternates, Models, ReadOptions, Residues};
///
/// // What a program reads that knows the 20 standard names alone.
/// let plain = ReadOptions::standard();
/// assert_eq!((plain.residues, plain.alternates), (Residues::Standard, Alternates::First));
/// assert_eq!(ReadOptions::default().models, Models::First);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Author chain ids to keep, all others being dropped before everything else; `None` keeps every chain.
    /// A PDB file's blank chain is `" "` (or `""`).
    pub chains: Option<Vec<String>>,
    /// Which residues get a row.
    pub residues: Residues,
    /// Which of several alternate locations is taken.
    pub alternates: Alternates,
    /// Which models are structures.
    pub models: Models,
    /// The biological assembly to build, by its id in the file, in place of the deposited chains.
    pub assembly: Option<String>,
    /// Whether ligands, ions, cofactors, caps and nucleic acids cover surface (water never does): their atoms follow those of
    /// the residues, as a last row that is no residue ([`StructureInput::environment`](crate::StructureInput::environment)).
    pub cover: bool,
    /// Whether to keep the identity that other tables join by (labels).
    pub labels: bool,
}

impl ReadOptions {
    /// Standard residues alone, each atom in its first alternate location.
    #[must_use]
    pub fn standard() -> Self {
        Self { residues: Residues::Standard, alternates: Alternates::First, ..Self::default() }
    }
}

/// Which residues get a row.
///
/// The example of [`ReadOptions`] has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Residues {
    /// Every amino acid of a chain: standard ones under any force field's name, modified ones, and unknown ones.
    #[default]
    All,
    /// The 20 standard names in `ATOM` records.
    Standard,
}

/// Which of several alternate locations is taken.
///
/// The example of [`ReadOptions`] has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternates {
    /// For a whole residue, the alternative with the highest mean occupancy; of equal ones the first. An atom of the residue
    /// that this alternative lacks is taken from the best one that has it.
    #[default]
    Highest,
    /// For each atom name, the first record.
    First,
    /// As [`Highest`](Self::Highest), but this alternative where a residue has it.
    Named(char),
}

/// Which models are structures.
///
/// The example of [`ReadOptions`] has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Models {
    /// The first.
    #[default]
    First,
    /// That of this number in the file.
    Number(i32),
    /// Each; where there are several, `#` and the model's number follow the name.
    All,
}
