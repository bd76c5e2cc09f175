//! The columns of a relation, and their values.

use super::super::columnar::Group;
use super::super::sink::Sink;
use super::super::value::Kind;
use super::Texts;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Texts.
    Text,
    /// Texts of words separated by spaces; an array in JSON.
    Words,
    /// Integers.
    Int,
    /// Integers, which may be missing.
    Optional,
    /// Numbers, which may be undefined.
    Float,
}

impl From<CellKind> for Kind {
    fn from(kind: CellKind) -> Self {
        match kind {
            CellKind::Text | CellKind::Words => Self::Text,
            CellKind::Int => Self::Int,
            CellKind::Optional => Self::Optional,
            CellKind::Float => Self::Float,
        }
    }
}

/// A column of a relation, for all formats and the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationColumn {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: CellKind,
    /// Their unit; empty if they have none.
    pub unit: &'static str,
    /// Their definition.
    pub definition: &'static str,
}

impl RelationColumn {
    /// A column.
    #[must_use]
    pub const fn new(name: &'static str, kind: CellKind, unit: &'static str, definition: &'static str) -> Self {
        Self { name, kind, unit, definition }
    }
}

/// The values of a column, line by line.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Texts.
    Text(Texts),
    /// Integers.
    Int(Vec<i32>),
    /// Integers that may be missing.
    Optional(Vec<Option<i32>>),
    /// Numbers; NaN if undefined.
    Float(Vec<f32>),
}

impl Cells {
    /// No values yet, for each column.
    #[must_use]
    pub fn of(columns: &[RelationColumn]) -> Vec<Self> {
        let cells = |column: &RelationColumn| match column.kind {
            CellKind::Text | CellKind::Words => Self::Text(Texts::default()),
            CellKind::Int => Self::Int(Vec::new()),
            CellKind::Optional => Self::Optional(Vec::new()),
            CellKind::Float => Self::Float(Vec::new()),
        };
        columns.iter().map(cells).collect()
    }

    pub(in crate::output) fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Optional(values) => values.len(),
            Self::Float(values) => values.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Text(values) => values.clear(),
            Self::Int(values) => values.clear(),
            Self::Optional(values) => values.clear(),
            Self::Float(values) => values.clear(),
        }
    }
}

/// Rows of cells that are given at a time.
const PART_ROWS: usize = 1 << 12;

impl Group for Vec<Cells> {
    fn rows(&self) -> usize {
        self.first().map_or(0, Cells::len)
    }

    fn give<S: Sink, E>(
        &self,
        column: usize,
        sink: &mut S,
        mut each: impl FnMut(&mut S) -> Result<(), E>,
    ) -> Result<(), E> {
        for first in (0..self.rows()).step_by(PART_ROWS) {
            let rows = first..self.rows().min(first + PART_ROWS);
            match &self[column] {
                Cells::Text(values) => sink.texts(values.from(rows.start).take(rows.len())),
                Cells::Int(values) => sink.ints(&values[rows]),
                Cells::Optional(values) => sink.optionals(&values[rows]),
                Cells::Float(values) => sink.floats(&values[rows]),
            }
            each(sink)?;
        }
        Ok(())
    }
}
