//! A column of a row group, encoded straight from the results.

use super::super::rows::GroupRows;
use super::super::value::{Kind, Value};
use super::super::{Column, StructureRows, is_same};
use super::Encoded;
use super::statistics::{Extent, TextExtent};
use bytes::Bytes;
use parquet::column::writer::{get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use shared_types::RESIDUES;
use std::collections::HashMap;

/// Rows passed to the encoder at a time: few enough to stay in a core's caches. A multiple of the encoder's own batches, so that
/// pages end at the same rows as if all were passed at once.
const ROWS: usize = 1 << 12;

/// Encodes and compresses a column of a group.
pub(super) fn encode(
    group: &GroupRows,
    column: &Column,
    described: ColumnDescPtr,
    properties: WriterPropertiesPtr,
) -> Encoded {
    let mut bytes = TrackedWrite::new(Vec::new());
    let writer = get_column_writer(described, properties, Box::new(SerializedPageWriter::new(&mut bytes)));
    let closed = match column.kind() {
        Kind::Text => {
            let mut writer = get_typed_column_writer::<ByteArrayType>(writer);
            let (mut texts, mut length) = (Texts::default(), 0);
            let append = |rows: &mut Vec<_>, part: &StructureRows<'_>| texts.append(rows, column, part);
            in_pieces(group, append, |rows| {
                length += rows.iter().map(ByteArray::len).sum::<usize>();
                writer.write_batch(rows, None, None)
            })?;
            writer.close().and_then(|closed| texts.extent.described(closed, length))
        }
        Kind::Int => {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            let append = |rows: &mut Vec<_>, part: &StructureRows<'_>| append_ints(rows, column, part);
            in_pieces(group, append, |rows| writer.write_batch(rows, None, None))?;
            writer.close()
        }
        Kind::Optional => {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            let append = |rows: &mut Vec<Option<i32>>, part: &StructureRows<'_>| append_optional(rows, column, part);
            in_pieces(group, append, |rows| {
                levels.clear();
                values.clear();
                levels.extend(rows.iter().map(|value| i16::from(value.is_some())));
                values.extend(rows.iter().copied().flatten());
                writer.write_batch(&values, Some(&levels), None)
            })?;
            writer.close()
        }
        Kind::Float => {
            let mut writer = get_typed_column_writer::<FloatType>(writer);
            let (mut levels, mut values, mut extent) = (Vec::new(), Vec::new(), Extent::new());
            let append = |rows: &mut Vec<f32>, part: &StructureRows<'_>| append_floats(rows, column, part);
            in_pieces(group, append, |rows| {
                levels.clear();
                levels.extend(rows.iter().map(|value| i16::from(!value.is_nan())));
                let count = levels.iter().filter(|level| **level == 1).count();
                let present = if count == rows.len() {
                    rows
                } else {
                    values.clear();
                    values.extend(rows.iter().copied().filter(|value| !value.is_nan()));
                    &values
                };
                extent.add(present, rows.len() - count);
                writer.write_batch(present, Some(&levels), None)
            })?;
            writer.close().and_then(|closed| extent.described(closed))
        }
    }?;
    Ok((bytes.into_inner()?.into(), closed))
}

/// Passes the rows of a group to `write`, a piece at a time, after `append` has appended them, a structure at a time.
fn in_pieces<T>(
    group: &GroupRows,
    mut append: impl FnMut(&mut Vec<T>, &StructureRows<'_>),
    mut write: impl FnMut(&[T]) -> Result<usize, ParquetError>,
) -> Result<(), ParquetError> {
    let mut rows = Vec::with_capacity(2 * ROWS);
    for part in group.iter() {
        append(&mut rows, &part);
        let whole = rows.len() / ROWS * ROWS;
        if whole > 0 {
            rows[..whole].chunks(ROWS).try_for_each(|piece| write(piece).map(drop))?;
            rows.drain(..whole);
        }
    }
    if !rows.is_empty() {
        write(&rows)?;
    }
    Ok(())
}

fn append_ints(all: &mut Vec<i32>, column: &Column, part: &StructureRows<'_>) {
    let rows = 0..part.len();
    match column {
        Column::Row => all.extend(rows.map(|row| row as i32)),
        Column::Resnum => all.extend_from_slice(&part.structure.residue_numbers[rows]),
        _ => unreachable!("a column of integers"),
    }
}

fn append_optional(all: &mut Vec<Option<i32>>, column: &Column, part: &StructureRows<'_>) {
    match column {
        Column::Label(label) => all.extend((0..part.len()).map(|row| part.label_number(*label, row))),
        Column::SiteId => all.extend(part.site_ids_in(column).into_iter().take(part.len())),
        Column::Frame(_) => all.extend(std::iter::repeat_n(part.frame_number(), part.len())),
        Column::Derived(column) => all.extend((0..part.len()).map(|row| match column.value(part.structure, row) {
            Value::Optional(value) => value,
            _ => None,
        })),
        _ => unreachable!("a column of integers that may be missing"),
    }
}

fn append_floats(all: &mut Vec<f32>, column: &Column, part: &StructureRows<'_>) {
    let rows = 0..part.len();
    match column {
        Column::Feature(feature) => match part.values(feature) {
            [] => all.extend(rows.map(|_| f32::NAN)),
            values => all.extend_from_slice(&values[rows]),
        },
        Column::Plddt | Column::Derived(_) => all.extend(part.numbers(column)),
        Column::Lineage(_) => all.extend(rows.map(|row| part.velocity_error(row))),
        Column::Frame(_) => all.extend(std::iter::repeat_n(part.frame_time(), rows.len())),
        _ => unreachable!("a column of numbers"),
    }
}

/// The texts of a column, each in memory once.
#[derive(Default)]
struct Texts {
    known: HashMap<Box<str>, ByteArray>,
    /// The text of the last row: consecutive rows often have the same.
    last: Option<(Box<str>, ByteArray)>,
    /// The last text of the program itself.
    last_fixed: Option<&'static str>,
    extent: TextExtent,
}

impl Texts {
    fn append(&mut self, all: &mut Vec<ByteArray>, column: &Column, part: &StructureRows<'_>) {
        let (rows, structure) = (0..part.len(), part.structure);
        let is_standard = structure.residue_names.is_empty();
        match column {
            Column::Structure => all.extend(std::iter::repeat_n(self.of(&structure.name), rows.len())),
            Column::Chain => all.extend(rows.map(|row| self.of(part.chain(row)))),
            Column::Icode => all.extend(structure.insertion_codes[rows].iter().map(|code| self.of(code))),
            Column::Resname if is_standard => {
                all.extend(rows.map(|row| self.fixed(RESIDUES[usize::from(structure.residue_types[row])].name)));
            }
            Column::Resname => all.extend(rows.map(|row| self.of(part.resname(row)))),
            Column::Parent => all.extend(rows.map(|row| self.fixed(structure.parent(row)))),
            Column::Polymer => all.extend(rows.map(|row| self.fixed(structure.polymer(row)))),
            Column::State(feature) => match part.values(feature) {
                [] => all.extend(rows.map(|_| self.fixed(""))),
                values => all.extend(values[rows].iter().map(|&value| self.fixed(feature.state(value)))),
            },
            Column::Lineage(text) => {
                all.extend(std::iter::repeat_n(self.of(part.lineage_text(*text)), rows.len()));
            }
            Column::Label(label) => all.extend(rows.map(|row| self.of(part.label_text(*label, row)))),
            Column::Derived(column) => all.extend(rows.map(|row| match column.value(structure, row) {
                Value::Text(text) => self.of(text),
                _ => self.fixed(""),
            })),
            _ => unreachable!("a column of texts"),
        }
    }

    fn of(&mut self, text: &str) -> ByteArray {
        match &self.last {
            _ if text.is_empty() => self.fixed(""),
            Some((last, array)) if is_same(last, text) => array.clone(),
            _ => {
                let array = match self.known.get(text) {
                    Some(array) => array.clone(),
                    None => {
                        let array = ByteArray::from(Bytes::copy_from_slice(text.as_bytes()));
                        self.extent.add(&array);
                        self.known.insert(text.into(), array.clone());
                        array
                    }
                };
                self.last = Some((text.into(), array.clone()));
                array
            }
        }
    }

    /// A text of the program itself, which is neither counted nor freed. (An empty one has an address, too: see [`is_same`].)
    fn fixed(&mut self, text: &'static str) -> ByteArray {
        /// What an empty text points to.
        const BEFORE_NOTHING: &[u8] = b"-";
        let bytes = if text.is_empty() { &BEFORE_NOTHING[..0] } else { text.as_bytes() };
        let array = ByteArray::from(Bytes::from_static(bytes));
        if !self.last_fixed.is_some_and(|last| std::ptr::eq(last, text)) {
            self.last_fixed = Some(text);
            self.extent.add(&array);
        }
        array
    }
}
