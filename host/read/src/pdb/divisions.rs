//! Where the models of a text begin.

use super::parts::{LineResidue, Parts};

/// What begins with an atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Begin {
    Model,
    /// A part of the model before, which an `END` divides.
    Part,
}

/// Follows the records that divide models.
pub(crate) struct Divisions<'a> {
    text: &'a [u8],
    parts: Parts<'a>,
    /// Whether the next atom begins something.
    between: bool,
    /// Whether `MODEL` or `ENDMDL` records divide the models.
    has_models: bool,
    /// Whether an `END` follows the last atom.
    ended: bool,
    /// Number of models so far.
    met: usize,
}

impl<'a> Divisions<'a> {
    /// At the beginning of a text, of which `read` reads a line.
    pub(crate) fn new(text: &'a [u8], read: fn(&'a [u8]) -> Option<LineResidue<'a>>) -> Self {
        Self { text, parts: Parts::new(read), between: true, has_models: false, ended: false, met: 0 }
    }

    /// Takes a `MODEL` or `ENDMDL` record.
    pub(crate) fn model_record(&mut self) {
        (self.between, self.has_models) = (true, true);
    }

    /// Takes an `END` record.
    pub(crate) fn end_record(&mut self) {
        (self.between, self.ended) = (true, true);
    }

    /// Whether the next atom begins something.
    #[inline]
    pub(crate) fn is_between(&self) -> bool {
        self.between
    }

    /// Whether an `END` follows the last atom so far.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Number of models so far.
    pub(crate) fn met(&self) -> usize {
        self.met
    }

    /// Takes the line of the next atom, if it begins something.
    #[cold]
    pub(crate) fn begin(&mut self, offset: usize, line: &'a [u8]) -> Begin {
        self.between = false;
        let divided = std::mem::take(&mut self.ended) && !self.has_models && self.met > 0;
        if divided && self.parts.go_on(self.text, offset, line) {
            return Begin::Part;
        }
        self.parts.begin(offset);
        self.met += 1;
        Begin::Model
    }
}
