//! The value in a row and column, for formats that write row by row.

use super::text::TextRows;
use super::{Column, Columns, FrameColumn, Label, LineageColumn, StructureRows};

/// A value of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text.
    Text(&'a str),
    /// Words that spaces divide; an array in JSON.
    Words(&'a str),
    /// An integer.
    Int(i32),
    /// An integer that may be missing.
    Optional(Option<i32>),
    /// NaN if undefined.
    Float(f32),
}

impl StructureRows<'_> {
    /// The value in a column of a row.
    pub fn value(&self, row: usize, column: &Column) -> Value<'_> {
        let structure = self.structure;
        match column {
            Column::Structure => Value::Text(&structure.name),
            Column::Row => Value::Int(row as i32),
            Column::Chain => Value::Text(self.chain(row)),
            Column::Resnum => Value::Int(structure.residue_numbers[row]),
            Column::Icode => Value::Text(&structure.insertion_codes[row]),
            Column::Resname => Value::Text(self.resname(row)),
            Column::Parent => Value::Text(structure.parent(row)),
            Column::Polymer => Value::Text(structure.polymer(row)),
            // Writers have the ranks of all rows at hand.
            Column::SiteId => Value::Optional(self.site_ids_in(column).get(row).copied().flatten()),
            Column::State(feature) => Value::Text(self.state(feature, row)),
            Column::Feature(feature) => Value::Float(self.feature(feature, row)),
            Column::Plddt => Value::Float(self.plddt(row)),
            Column::Lineage(LineageColumn::VelocityError) => Value::Float(self.velocity_error(row)),
            Column::Lineage(text) => Value::Text(self.lineage_text(*text)),
            Column::Frame(FrameColumn::Number) => Value::Optional(self.frame_number()),
            Column::Frame(FrameColumn::Time) => Value::Float(self.frame_time()),
            Column::Derived(column) => column.value(structure, row),
            Column::Label(label) => match column.kind() {
                Kind::Text => Value::Text(self.label_text(*label, row)),
                _ => Value::Optional(self.label_number(*label, row)),
            },
        }
    }
}

impl StructureRows<'_> {
    /// The number of the frame that the structure is.
    pub(crate) fn frame_number(&self) -> Option<i32> {
        self.structure.frame.map(|frame| frame.number as i32)
    }

    /// The time of the frame that the structure is; NaN if it is none.
    pub(crate) fn frame_time(&self) -> f32 {
        self.structure.frame.map_or(f32::NAN, |frame| frame.time)
    }
}

/// The values of a structure's rows in some columns, of which what all rows share is looked up once.
pub(super) struct ValuesByColumn<'p> {
    part: &'p StructureRows<'p>,
    columns: &'p [Column],
    /// Those of each column that is a feature.
    values: Vec<&'p [f32]>,
    site_ids: Vec<Option<i32>>,
}

impl<'p> StructureRows<'p> {
    pub(super) fn values_by_column(&'p self, columns: &'p Columns) -> ValuesByColumn<'p> {
        let (values, site_ids) = (self.values_of(columns), self.site_ids_of(columns));
        ValuesByColumn { part: self, columns: columns.as_slice(), values, site_ids }
    }
}

impl TextRows for ValuesByColumn<'_> {
    fn len(&self) -> usize {
        self.part.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let number = || self.values[column].get(row).copied().unwrap_or(f32::NAN);
        match &self.columns[column] {
            Column::Feature(_) => Value::Float(number()),
            Column::State(feature) => Value::Text(feature.state(number())),
            Column::SiteId => Value::Optional(self.site_ids.get(row).copied().flatten()),
            column => self.part.value(row, column),
        }
    }
}

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Int,
    /// Integers, which may be missing.
    Optional,
    Float,
}

impl Column {
    /// Whether an empty text means that its value is undefined. (That of an insertion code means that there is none.)
    pub(crate) fn may_be_undefined(&self) -> bool {
        match self {
            Self::Parent | Self::State(_) | Self::Label(_) | Self::Lineage(_) => self.kind() == Kind::Text,
            _ => false,
        }
    }

    /// The kind of the column's values.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Structure
            | Self::Chain
            | Self::Icode
            | Self::Resname
            | Self::Parent
            | Self::Polymer
            | Self::State(_) => Kind::Text,
            Self::Row | Self::Resnum => Kind::Int,
            Self::Feature(_) | Self::Plddt => Kind::Float,
            Self::Lineage(LineageColumn::VelocityError) => Kind::Float,
            Self::Lineage(LineageColumn::Name | LineageColumn::Country) => Kind::Text,
            Self::Frame(FrameColumn::Time) => Kind::Float,
            Self::Frame(FrameColumn::Number) => Kind::Optional,
            Self::Label(Label::AsymId | Label::EntityId | Label::UniprotAccession) => Kind::Text,
            Self::Derived(column) => column.kind(),
            Self::SiteId | Self::Label(Label::SeqId | Label::UniprotNumber) => Kind::Optional,
        }
    }
}
