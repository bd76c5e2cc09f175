//! Which residues of a file to read, in a small language: `chain A and resnum 10-50 or resname HEM`.
//!
//! The words are those of MDAnalysis and PyMOL. A selection takes whole residues, those without rows (ligands, ions, nucleotides) among
//! them. `docs/selection.md` describes the language.

mod evaluate;
mod parse;

pub use evaluate::{Kind, SelectedResidue};
pub use parse::SelectionError;
use std::fmt;
use std::str::FromStr;

/// A selection of residues.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
/// use prism_read::selection::ResidueSelection;
/// use std::sync::Arc;
///
/// let select: ResidueSelection = "resnum 400-410 and not resname GLY".parse()?;
/// let options = ReadOptions { select: Some(Arc::new(select)), ..ReadOptions::default() };
/// let read = read_path("../../data/6m0j_rbd.pdb", "rbd", &options)?.structure;
/// assert_eq!((read.n_residues(), read.residue_numbers[0]), (10, 400));
///
/// let wrong = "resnum 400 and chian E".parse::<ResidueSelection>().unwrap_err();
/// assert_eq!(wrong.at, 15);
/// assert!(wrong.to_string().contains("did you mean `chain`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResidueSelection {
    text: String,
    node: Node,
}

impl FromStr for ResidueSelection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        Ok(Self { text: text.to_owned(), node: parse::parse(text)? })
    }
}

impl fmt::Display for ResidueSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for ResidueSelection {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ResidueSelection {}

/// A part of a selection.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    All,
    None,
    Of(Kind),
    Chain(Vec<String>),
    Segment(Vec<String>),
    Name(Vec<String>),
    Icode(Vec<String>),
    Number(Vec<Numbers>),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    /// Residues with an atom this close to one of others, in Å; with or without those others themselves.
    Near {
        distance: f64,
        of: Box<Node>,
        with_own: bool,
    },
}

/// Residue numbers.
#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    /// From one to another, with every insertion code.
    Range(i32, i32),
    /// One with this insertion code.
    Inserted(i32, String),
}
