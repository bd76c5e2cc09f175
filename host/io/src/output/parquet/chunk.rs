//! A column of a row group, encoded straight from the results.

use super::super::columnar::Group;
use super::super::is_same;
use super::super::sink::Sink;
use super::super::value::Kind;
use super::Encoded;
use super::statistics::{Extent, TextExtent};
use bytes::Bytes;
use parquet::column::writer::{get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::collections::HashMap;

/// Rows passed to the encoder at a time: few enough to stay in a core's caches. A multiple of the encoder's own batches, so that
/// pages end at the same rows as if all were passed at once.
const ROWS: usize = 1 << 12;

/// Encodes and compresses a column of a group.
pub(super) fn encode(
    group: &impl Group,
    (column, kind): (usize, Kind),
    described: ColumnDescPtr,
    properties: WriterPropertiesPtr,
) -> Encoded {
    let mut bytes = TrackedWrite::new(Vec::new());
    let writer = get_column_writer(described, properties, Box::new(SerializedPageWriter::new(&mut bytes)));
    let closed = match kind {
        Kind::Text => {
            let mut writer = get_typed_column_writer::<ByteArrayType>(writer);
            let (mut texts, mut length) = (Texts::default(), 0);
            in_pieces(group, column, &mut texts, |rows| {
                length += rows.iter().map(ByteArray::len).sum::<usize>();
                writer.write_batch(rows, None, None)
            })?;
            writer.close().and_then(|closed| texts.extent.described(closed, length))
        }
        Kind::Int => {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            in_pieces(group, column, &mut Vec::new(), |rows| writer.write_batch(rows, None, None))?;
            writer.close()
        }
        Kind::Optional => {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            in_pieces(group, column, &mut Vec::new(), |rows: &[Option<i32>]| {
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
            in_pieces(group, column, &mut Vec::new(), |rows: &[f32]| {
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

/// Passes the rows of a column to `write`, a piece at a time. `sink` holds them until there are enough.
fn in_pieces<T, S: Sink + AsMut<Vec<T>>>(
    group: &impl Group,
    column: usize,
    sink: &mut S,
    mut write: impl FnMut(&[T]) -> Result<usize, ParquetError>,
) -> Result<(), ParquetError> {
    group.give(column, sink, |sink| {
        let rows = sink.as_mut();
        let whole = rows.len() / ROWS * ROWS;
        if whole > 0 {
            rows[..whole].chunks(ROWS).try_for_each(|piece| write(piece).map(drop))?;
            rows.drain(..whole);
        }
        Ok::<_, ParquetError>(())
    })?;
    let rest = sink.as_mut();
    if !rest.is_empty() {
        write(rest)?;
    }
    Ok(())
}

impl Sink for Vec<i32> {
    fn ints(&mut self, values: &[i32]) {
        self.extend_from_slice(values);
    }
}

impl Sink for Vec<Option<i32>> {
    fn optionals(&mut self, values: &[Option<i32>]) {
        self.extend_from_slice(values);
    }
}

impl Sink for Vec<f32> {
    fn floats(&mut self, values: &[f32]) {
        self.extend_from_slice(values);
    }
}

/// The texts of a column, each in memory once.
#[derive(Default)]
struct Texts {
    rows: Vec<ByteArray>,
    known: HashMap<Box<str>, ByteArray>,
    /// The text of the last row: consecutive rows often have the same.
    last: Option<(Box<str>, ByteArray)>,
    /// The last text of the program itself.
    last_fixed: Option<&'static str>,
    extent: TextExtent,
}

impl AsMut<Vec<ByteArray>> for Texts {
    fn as_mut(&mut self) -> &mut Vec<ByteArray> {
        &mut self.rows
    }
}

impl Sink for Texts {
    fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        for text in texts {
            let text = self.of(text);
            self.rows.push(text);
        }
    }

    fn fixed_texts(&mut self, texts: impl Iterator<Item = &'static str>) {
        for text in texts {
            let text = self.fixed(text);
            self.rows.push(text);
        }
    }

    fn repeated_text(&mut self, text: &str, times: usize) {
        if times > 0 {
            let text = self.of(text);
            self.rows.extend(std::iter::repeat_n(text, times));
        }
    }
}

impl Texts {
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
