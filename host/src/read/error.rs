//! What can be wrong with a file, and where.

use crate::structure::SpreadError;
use thiserror::Error;

/// Why a file could not be read. Displays as `name: line N: what is wrong`.
///
/// ```
/// use prism_host::read::{Problem, ReadOptions, read_path};
///
/// let error = read_path("no/such/file.pdb", "none", &ReadOptions::default()).unwrap_err();
/// assert!(matches!(error.problem, Problem::Io(_)) && error.line.is_none());
/// assert!(error.to_string().starts_with("none: cannot be read"));
/// ```
#[derive(Debug, Error)]
#[error("{name}: {}{problem}", line_prefix(*.line))]
pub struct ReadError {
    /// The name the structure was read under.
    pub name: String,
    /// The line in the (decompressed) text, from 1, where one is to blame.
    pub line: Option<usize>,
    /// The problem.
    pub problem: Problem,
}

fn line_prefix(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be opened or read.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// No bytes, or compressed nothing.
    #[error("the file is empty")]
    Empty,
    /// A gzip stream that is cut or corrupt.
    #[error("corrupt or truncated gzip data: {0}; fetch the file again")]
    Gzip(std::io::Error),
    /// Data in another compression that are cut or corrupt.
    #[error("corrupt or truncated {by} data: {source}; fetch the file again")]
    Compressed {
        /// What compressed them.
        by: &'static str,
        /// What its decoder says.
        source: std::io::Error,
    },
    /// A format that is known and not read.
    #[error("{0}")]
    OtherFormat(&'static str),
    /// Nothing that looks like an atom.
    #[error("no atoms: {0}")]
    NoAtoms(&'static str),
    /// Atoms, but none of a standard amino acid (in the chains asked for).
    #[error("no protein residues{0}")]
    NoProtein(String),
    /// Nucleic acid alone, which has no rows; no failure of a run.
    #[error("no protein: nucleic acid alone, which has no rows")]
    NucleicAcid,
    /// No model of the number that was asked for.
    #[error("no model {number}; the file has {met}")]
    NoModel {
        /// The number asked for.
        number: i32,
        /// How many models there are.
        met: usize,
    },
    /// No assembly of the id that was asked for.
    #[error("{0}")]
    NoAssembly(String),
    /// A pipe or device that goes on and on.
    #[error("has more than {limit} bytes: a pipe or device without an end?")]
    Endless {
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// Compressed data that unfold to too much.
    #[error(
        "inflates to more than {limit} bytes, {ratio} times its own size: no structure does; is it damaged, or no structure?"
    )]
    Inflated {
        /// The most that is taken, in bytes.
        limit: usize,
        /// The most that is taken, over the size of what is compressed.
        ratio: usize,
    },
    /// More atoms than 32-bit indices reach.
    #[error("more than {0} atoms; split the structure")]
    TooManyAtoms(u32),
    /// Atoms whose neighbours cannot be found in time.
    #[error(transparent)]
    Spread(#[from] SpreadError),
    /// A record that ends before its coordinates do, or with the file.
    #[error("{0}")]
    CutShort(String),
    /// A field whose text is not what the field holds.
    #[error("{field} {text:?} {wrong}")]
    Field {
        /// The column or item, by its name in the format's definition.
        field: &'static str,
        /// The text found there.
        text: String,
        /// The problem.
        wrong: &'static str,
    },
    /// An array that has not an entry for each atom.
    #[error("`{field}` has {found} entries, and there are {expected} atoms")]
    Lengths {
        /// The array's name.
        field: &'static str,
        /// Entries that it has.
        found: usize,
        /// Entries that it needs.
        expected: usize,
    },
    /// What is wrong with an atom of arrays, which have no lines.
    #[error("atom {atom} (counted from 0): {problem}")]
    Atom {
        /// Which.
        atom: usize,
        /// The problem.
        problem: Box<Problem>,
    },
    /// mmCIF whose syntax is broken.
    #[error("{0}")]
    Syntax(String),
    /// An mmCIF table of atoms without an item that is needed.
    #[error("the _atom_site table has no {0}")]
    MissingItem(&'static str),
}

/// A problem at a byte of the text; the line is counted only once one is reported.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) offset: Option<usize>,
    pub(super) problem: Problem,
}

impl Fault {
    pub(super) fn at(offset: usize, problem: Problem) -> Self {
        Self { offset: Some(offset), problem }
    }

    pub(super) fn whole(problem: Problem) -> Self {
        Self { offset: None, problem }
    }

    pub(super) fn into_error(self, name: &str, text: &[u8]) -> ReadError {
        let line = self.offset.map(|at| 1 + memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count());
        ReadError { name: name.to_owned(), line, problem: self.problem }
    }
}

/// A problem with a field, its text made printable and short.
pub(super) fn bad_field(field: &'static str, text: &[u8], wrong: &'static str) -> Problem {
    const SHOWN: usize = 40;
    let mut shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
    if text.len() > SHOWN {
        shown.push('…');
    }
    Problem::Field { field, text: shown, wrong }
}
