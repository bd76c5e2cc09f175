//! Rows as text: fields divided by a byte, or JSON objects. All tables are written by these functions.

use super::value::Value;
use std::io::{Error, Result, Write};

/// Rows whose values are taken one after another.
pub(super) trait TextRows {
    /// The number of rows.
    fn len(&self) -> usize;

    /// The value of a row in a column, counted from 0.
    fn value(&self, row: usize, column: usize) -> Value<'_>;
}

/// The line of the columns' names.
pub(super) fn header<'n>(names: impl IntoIterator<Item = &'n str>, delimiter: u8) -> Result<Vec<u8>> {
    let mut line = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    line.write_record(names).map_err(Error::other)?;
    line.into_inner().map_err(|error| Error::other(error.to_string()))
}

/// A line for each row, of `columns` fields.
///
/// Fields are quoted if necessary (RFC 4180, with line feeds). A number is the shortest decimal that reads back as the same `f32`; NaN is an
/// empty field.
pub(super) fn lines(rows: &impl TextRows, columns: usize, delimiter: u8) -> Result<Vec<u8>> {
    /// A typical length of a field.
    const FIELD_BYTES: usize = 10;
    let room = rows.len() * columns * FIELD_BYTES;
    let mut lines = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::with_capacity(room));
    let (mut decimal, mut integer) = (zmij::Buffer::new(), itoa::Buffer::new());
    for row in 0..rows.len() {
        for column in 0..columns {
            match rows.value(row, column) {
                Value::Text(text) | Value::Words(text) => lines.write_field(text),
                Value::Int(value) | Value::Optional(Some(value)) => lines.write_field(integer.format(value)),
                Value::Float(value) if !value.is_nan() => lines.write_field(decimal.format(value)),
                Value::Optional(None) | Value::Float(_) => lines.write_field(""),
            }
            .map_err(Error::other)?;
        }
        lines.write_record(None::<&[u8]>).map_err(Error::other)?;
    }
    lines.into_inner().map_err(|error| Error::other(error.to_string()))
}

/// The text between the objects of an array.
pub(super) const BETWEEN: &str = ",\n";

/// A JSON object for each row, with the columns in order. `array` is the text before the next object of an array; without it, each object
/// is a line. What is not finite is `null`.
pub(super) fn objects<'n>(
    rows: &impl TextRows,
    names: impl Iterator<Item = &'n str> + Clone,
    array: &mut Option<&'static str>,
) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let (mut decimal, mut integer) = (zmij::Buffer::new(), itoa::Buffer::new());
    for row in 0..rows.len() {
        if let Some(before) = array {
            lines.extend_from_slice(std::mem::replace(before, BETWEEN).as_bytes());
        }
        for (column, name) in names.clone().enumerate() {
            lines.extend_from_slice(if column == 0 { b"{\"" } else { b",\"" });
            lines.extend_from_slice(name.as_bytes());
            lines.extend_from_slice(b"\":");
            match rows.value(row, column) {
                Value::Text(text) => serde_json::to_writer(&mut lines, text)?,
                Value::Words(text) => {
                    serde_json::to_writer(&mut lines, &text.split_whitespace().collect::<Vec<_>>())?;
                }
                Value::Int(value) | Value::Optional(Some(value)) => {
                    lines.write_all(integer.format(value).as_bytes())?
                }
                Value::Float(value) if value.is_finite() => lines.write_all(decimal.format(value).as_bytes())?,
                Value::Optional(None) | Value::Float(_) => lines.extend_from_slice(b"null"),
            }
        }
        lines.extend_from_slice(if array.is_some() { b"}" } else { b"}\n" });
    }
    Ok(lines)
}
