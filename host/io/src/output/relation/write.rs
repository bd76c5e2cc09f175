//! Writes a relation's lines.

use super::super::OutputError;
use super::{CellKind, Cells, RelationColumn};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Lines of text, after the header if it is given.
pub(super) fn lines(
    header: Option<&[RelationColumn]>,
    cells: &[Cells],
    rows: usize,
    delimiter: u8,
) -> std::io::Result<Vec<u8>> {
    let mut lines = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    if let Some(columns) = header {
        lines.write_record(columns.iter().map(|column| column.name)).map_err(std::io::Error::other)?;
    }
    let mut number = zmij::Buffer::new();
    for row in 0..rows {
        for cells in cells {
            match cells {
                Cells::Text(values) => lines.write_field(&values[row]),
                Cells::Int(values) => lines.write_field(values[row].to_string()),
                Cells::Float(values) if values[row].is_nan() => lines.write_field(""),
                Cells::Float(values) => lines.write_field(number.format(values[row])),
            }
            .map_err(std::io::Error::other)?;
        }
        lines.write_record(None::<&[u8]>).map_err(std::io::Error::other)?;
    }
    lines.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

/// The text between the objects of an array.
pub(super) const BETWEEN: &str = ",\n";

/// A JSON object per line. `array` is the text before the next object of an array; without it, objects are lines.
pub(super) fn objects(
    columns: &[RelationColumn],
    cells: &[Cells],
    rows: usize,
    array: &mut Option<&'static str>,
) -> std::io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    let mut number = zmij::Buffer::new();
    for row in 0..rows {
        if let Some(before) = array {
            lines.extend_from_slice(std::mem::replace(before, BETWEEN).as_bytes());
        }
        for (index, (column, cells)) in columns.iter().zip(cells).enumerate() {
            lines.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
            lines.extend_from_slice(column.name.as_bytes());
            lines.extend_from_slice(b"\":");
            match cells {
                Cells::Text(values) if column.kind == CellKind::Words => {
                    let words: Vec<&str> = values[row].split_whitespace().collect();
                    serde_json::to_writer(&mut lines, &words)?;
                }
                Cells::Text(values) => serde_json::to_writer(&mut lines, &values[row])?,
                Cells::Int(values) => write!(lines, "{}", values[row])?,
                Cells::Float(values) if values[row].is_finite() => {
                    lines.extend_from_slice(number.format(values[row]).as_bytes());
                }
                Cells::Float(_) => lines.extend_from_slice(b"null"),
            }
        }
        lines.extend_from_slice(if array.is_some() { b"}" } else { b"}\n" });
    }
    Ok(lines)
}

/// The columns of the Parquet schema.
pub(super) fn parquet_schema(columns: &[RelationColumn]) -> parquet::errors::Result<TypePtr> {
    let fields = columns.iter().map(|column| {
        let (physical, logical, repetition) = match column.kind {
            CellKind::Text | CellKind::Words => {
                (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED)
            }
            CellKind::Int => (PhysicalType::INT32, None, Repetition::REQUIRED),
            CellKind::Float => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
        };
        let builder = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        builder.with_repetition(repetition).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("prism").with_fields(fields.collect::<Result<_, _>>()?);
    Ok(Arc::new(schema.build()?))
}

/// A row group.
pub(super) fn group<W: Write + Send>(file: &mut SerializedFileWriter<W>, cells: &[Cells]) -> Result<(), OutputError> {
    let mut group = file.next_row_group()?;
    for cells in cells {
        let Some(mut column) = group.next_column()? else { break };
        match cells {
            Cells::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(|text| ByteArray::from(text.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            Cells::Int(values) => {
                column.typed::<Int32Type>().write_batch(values, None, None)?;
            }
            Cells::Float(values) => {
                let present: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
                let values: Vec<f32> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                column.typed::<FloatType>().write_batch(&values, Some(&present), None)?;
            }
        }
        column.close()?;
    }
    group.close()?;
    Ok(())
}
