//! What can be wrong with a file, and where.

use super::options::Polymers;
use crate::plural::{counted, form};
use crate::structure::SpreadError;
use thiserror::Error;

/// Why a file could not be read. It is displayed as `name: line N: problem`.
///
/// ```
/// use prism_read::{Problem, ReadOptions, read_path};
///
/// let error = read_path("no/such/file.pdb", "none", &ReadOptions::default()).unwrap_err();
/// assert!(matches!(error.problem, Problem::Io(_)) && error.line.is_none());
/// assert!(error.to_string().starts_with("none: cannot be read"));
/// ```
#[derive(Debug, Error)]
#[error("{name}: {}{problem}", line_prefix(*.line))]
pub struct ReadError {
    /// The structure's name.
    pub name: String,
    /// The line in the (decompressed) text, counted from 1, if the problem has one.
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
    /// What is computed of the file failed.
    #[error("{0}")]
    Failed(String),
    /// The file could not be opened or read.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// The file is empty, or compresses no data.
    #[error("the file is empty")]
    Empty,
    /// A gzip stream is cut or corrupt.
    #[error("corrupt or truncated gzip data: {0}; fetch the file again")]
    Gzip(std::io::Error),
    /// Data in another compression are cut or corrupt.
    #[error("corrupt or truncated {by} data: {source}; fetch the file again")]
    Compressed {
        /// The compression's name.
        by: &'static str,
        /// The decoder's error.
        source: std::io::Error,
    },
    /// A known format that is not supported.
    #[error("{0}")]
    OtherFormat(&'static str),
    /// The file has nothing that looks like an atom.
    #[error("no atoms: {0}")]
    NoAtoms(&'static str),
    /// The file has atoms, but no residues of the asked polymers (in the selected chains).
    #[error("no {}{}", .0.residues(), .1)]
    NoResidues(Polymers, String),
    /// The file has only polymers that have no rows. This is not a failure of a run.
    #[error("no {}: {} alone, which has no rows", .0.named(), if .0.has_protein() { "nucleic acid" } else { "protein" })]
    OtherPolymers(Polymers),
    /// The requested model does not exist.
    #[error("no model {number}; the file has {}", listed(.numbers))]
    NoModel {
        /// The requested number.
        number: i32,
        /// Numbers of the models in the file.
        numbers: Vec<i32>,
    },
    /// Models that are to be joined are alternatives of one molecule.
    #[error(
        "model {number} lies on a model before it: such models are alternatives, as of NMR, and cannot be joined (--model all)"
    )]
    Overlapping {
        /// The number of the later model.
        number: i32,
    },
    /// The requested assembly does not exist.
    #[error("{0}")]
    NoAssembly(String),
    /// A pipe or device does not end.
    #[error("has more than {limit} bytes; is it a pipe or device without an end?")]
    Endless {
        /// The limit in bytes.
        limit: u64,
    },
    /// Compressed data decompress to too many bytes.
    #[error(
        "inflates to more than {limit} bytes, {ratio} times its own size: no structure does; is it damaged, or no structure?"
    )]
    Inflated {
        /// The limit in bytes.
        limit: usize,
        /// The largest allowed ratio of decompressed to compressed size.
        ratio: usize,
    },
    /// More atoms than 32-bit indices can address.
    #[error("more than {0} atoms; split the structure")]
    TooManyAtoms(u32),
    /// The atoms are too far apart to search for neighbours in reasonable time.
    #[error(transparent)]
    Spread(#[from] SpreadError),
    /// A record ends before its coordinates do, or the file ends within it.
    #[error("{0}")]
    CutShort(String),
    /// A field has invalid text.
    #[error("{field} {text:?} {wrong}")]
    Field {
        /// The column or item, by its name in the format's definition.
        field: &'static str,
        /// The field's text.
        text: String,
        /// The problem.
        wrong: &'static str,
    },
    /// An array does not have one entry per atom.
    #[error("`{field}` has {} for {}", counted(*found, "entry", "entries"), counted(*expected, "atom", "atoms"))]
    Lengths {
        /// The array's name.
        field: &'static str,
        /// Number of its entries.
        found: usize,
        /// Number of atoms.
        expected: usize,
    },
    /// A problem with one atom of arrays, which have no lines.
    #[error("atom {atom} (counted from 0): {problem}")]
    Atom {
        /// Index of the atom.
        atom: usize,
        /// The problem.
        problem: Box<Problem>,
    },
    /// The syntax of mmCIF is broken.
    #[error("{0}")]
    Syntax(String),
    /// The mmCIF table of atoms lacks a required item.
    #[error("the _atom_site table has no {0}")]
    MissingItem(&'static str),
}

/// Numbers of models as text, with stretches of consecutive numbers as `1-20`.
fn listed(numbers: &[i32]) -> String {
    const SHOWN: usize = 10;
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let stretches: Vec<&[i32]> = sorted.chunk_by(|a, b| a.checked_add(1) == Some(*b)).collect();
    let stretch = |numbers: &&[i32]| match **numbers {
        [first, .., last] => format!("{first} to {last}"),
        _ => numbers.iter().map(ToString::to_string).collect(),
    };
    let mut shown = stretches.iter().take(SHOWN).map(stretch).collect::<Vec<_>>().join(", ");
    if stretches.len() > SHOWN {
        shown.push_str(", …");
    }
    format!("{} {shown}", form(sorted.len(), "model", "models"))
}

/// A problem at a byte of the text; the line is counted when it is reported.
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

/// A problem with a field; its text is made printable and short.
pub(super) fn bad_field(field: &'static str, text: &[u8], wrong: &'static str) -> Problem {
    const SHOWN: usize = 40;
    let mut shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
    if text.len() > SHOWN {
        shown.push('…');
    }
    Problem::Field { field, text: shown, wrong }
}
