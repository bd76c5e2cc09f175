//! What atoms are, beside their positions, and residues without rows.

use crate::links::LinkKind;
use shared_types::Atom;
use std::ops::Range;

/// What an atom is in its file.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
///
/// let options = ReadOptions { atoms: true, ..ReadOptions::default() };
/// let ubiquitin = read_path("../tests/data/1ubq.pdb", "1ubq", &options)?.structure;
/// let first = &ubiquitin.atom_labels[0];
/// assert_eq!((first.name(), first.element(), first.alternate), ("N", "N", None));
/// assert_eq!((first.occupancy, first.b_factor), (1.0, 9.67));
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtomLabel {
    pub(crate) name: [u8; 8],
    /// Its element's symbol in upper case; zero bytes if it is not known.
    pub element: [u8; 2],
    /// Its position in Å in the file's frame; in assemblies where the copy is.
    pub position: [f64; 3],
    /// Its alternate location.
    pub alternate: Option<char>,
    /// Its occupancy; NaN if the file has none.
    pub occupancy: f32,
    /// Its B column in Å²; NaN if the file has none.
    pub b_factor: f32,
}

impl AtomLabel {
    /// Its name, by which atoms of its residue are called in the Chemical Component Dictionary. At most eight letters.
    #[must_use]
    pub fn name(&self) -> &str {
        text(&self.name)
    }

    /// Its element's symbol in upper case; empty if nothing says it.
    #[must_use]
    pub fn element(&self) -> &str {
        text(&self.element)
    }
}

fn text(padded: &[u8]) -> &str {
    let used = padded.iter().position(|&byte| byte == 0).unwrap_or(padded.len());
    // A name that is cut in the middle of a letter ends before it.
    padded[..used].utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// What the file has besides the residues with rows: ligands, ions, sugars, caps, nucleotides; and water, if it is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hetero {
    /// Its residues, in the order of the file.
    pub residues: Vec<HeteroResidue>,
    /// Their atoms. Positions are relative to the structure's centre, radii in Å.
    pub atoms: Vec<Atom>,
    /// What these atoms are.
    pub labels: Vec<AtomLabel>,
    /// The bonds between residues, with rows or without, that the file declares (`_struct_conn`, `LINK`, `SSBOND`, `CONECT`), sorted by
    /// their ends.
    pub bonds: Vec<DeclaredBond>,
    /// Whether the file declares any bond between residues, in this structure or beyond.
    pub declares_bonds: bool,
    /// Water's oxygens, in the order of the file; none unless requested ([`ReadOptions::water`](crate::ReadOptions::water)).
    pub waters: Vec<Water>,
}

/// The oxygen of a water.
#[derive(Clone, Debug, PartialEq)]
pub struct Water {
    /// Its author's chain id; in assemblies the name of the copy.
    pub chain: Box<str>,
    /// Its author's number, if it is one.
    pub number: Option<i32>,
    /// Its insertion code.
    pub icode: Box<str>,
    /// The name of its residue.
    pub name: Box<str>,
    /// Its position relative to the structure's centre, and its radius, in Å.
    pub atom: Atom,
    /// What it is.
    pub label: AtomLabel,
}

/// Where an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomPlace {
    /// In [`StructureInput::atoms`](super::StructureInput::atoms).
    Row(usize),
    /// In [`Hetero::atoms`].
    Hetero(usize),
}

/// A bond between residues that the file declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeclaredBond {
    /// What it is.
    pub kind: LinkKind,
    /// Its atoms, the lower one first.
    pub ends: [AtomPlace; 2],
    /// Their distance in Å.
    pub distance: f64,
}

/// A residue without a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeteroResidue {
    /// Its author's chain id; in assemblies the name of the copy.
    pub chain: Box<str>,
    /// Its author's number, if it is one.
    pub number: Option<i32>,
    /// Its insertion code.
    pub icode: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Whether it is a nucleotide by its name, where nucleotides have no rows.
    pub is_nucleotide: bool,
    /// Whether it is an amino acid or a cap of a chain by its name.
    pub is_amino_acid: bool,
    /// Its atoms.
    pub atoms: Range<usize>,
}
