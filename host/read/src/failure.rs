//! An input that could not be read, by its name.

use crate::{Problem, ReadError};
use std::io::ErrorKind;

/// An input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFailure {
    /// The name it would have.
    pub name: String,
    /// The problem.
    pub reason: String,
    /// Whether the file is valid but has no protein.
    pub no_protein: bool,
    /// Whether there is nothing at its path ([`ErrorKind::NotFound`]).
    pub missing: bool,
}

impl InputFailure {
    /// With a reason that needs no more than the name.
    #[must_use]
    pub fn new(name: &str, reason: String) -> Self {
        Self { name: name.to_owned(), reason, no_protein: false, missing: false }
    }
}

impl From<ReadError> for InputFailure {
    fn from(error: ReadError) -> Self {
        let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
        let no_protein = matches!(error.problem, Problem::OtherPolymers(_));
        let missing = matches!(&error.problem, Problem::Io(error) if error.kind() == ErrorKind::NotFound);
        Self { name: error.name, reason: format!("{line}{}", error.problem), no_protein, missing }
    }
}
