//! Writes a relation's lines as Parquet.

use super::super::OutputError;
use super::{CellKind, Cells, RelationColumn};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

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
