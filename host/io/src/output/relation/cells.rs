//! The columns of a relation, and their values.

use super::super::arrow::owned;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float32Array, Int32Array, StringArray};
use arrow_schema::{ArrowError, DataType, Field};
use std::sync::Arc;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Texts.
    Text,
    /// Texts of words separated by spaces; an array in JSON.
    Words,
    /// Integers.
    Int,
    /// Numbers, which may be undefined.
    Float,
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

    /// Its type, with unit and definition.
    pub(super) fn field(&self) -> Field {
        let (kind, nullable) = match self.kind {
            CellKind::Text | CellKind::Words => (DataType::Utf8, false),
            CellKind::Int => (DataType::Int32, false),
            CellKind::Float => (DataType::Float32, true),
        };
        let told = owned([("unit", self.unit), ("definition", self.definition)]);
        Field::new(self.name, kind, nullable).with_metadata(told)
    }
}

/// The values of a column, line by line.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Texts.
    Text(Vec<String>),
    /// Integers.
    Int(Vec<i32>),
    /// Numbers; NaN if undefined.
    Float(Vec<f32>),
}

impl Cells {
    /// No values yet, for each column.
    #[must_use]
    pub fn of(columns: &[RelationColumn]) -> Vec<Self> {
        let cells = |column: &RelationColumn| match column.kind {
            CellKind::Text | CellKind::Words => Self::Text(Vec::new()),
            CellKind::Int => Self::Int(Vec::new()),
            CellKind::Float => Self::Float(Vec::new()),
        };
        columns.iter().map(cells).collect()
    }

    pub(in crate::output) fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Float(values) => values.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Text(values) => values.clear(),
            Self::Int(values) => values.clear(),
            Self::Float(values) => values.clear(),
        }
    }

    /// Texts and integers are never null; undefined numbers are.
    pub(super) fn into_array(self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Text(values) => {
                let bytes: usize = values.iter().map(String::len).sum();
                if i32::try_from(bytes).is_err() {
                    return Err(ArrowError::OffsetOverflowError(bytes));
                }
                let mut texts = StringBuilder::with_capacity(values.len(), bytes);
                values.iter().for_each(|text| texts.append_value(text));
                Arc::<StringArray>::new(texts.finish())
            }
            Self::Int(values) => Arc::new(Int32Array::from(values)),
            Self::Float(values) => {
                let value = |value: f32| (!value.is_nan()).then_some(value);
                Arc::new(Float32Array::from_iter(values.into_iter().map(value)))
            }
        })
    }
}
