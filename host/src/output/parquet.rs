//! Parquet.

use super::{Column, Columns, OutputError, Provenance, StructureRows, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows in a row group: large enough to compress well and be read fast, small enough to hold.
const GROUP_ROWS: usize = 1 << 18;

/// A table as Parquet: identity columns are required UTF-8 and INT32, features optional FLOAT with null for NaN;
/// compressed by zstd. Version and configuration are among the file's key-value metadata.
pub struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<(Column, Values)>,
    rows: usize,
}

/// A column of the row group that is being gathered.
enum Values {
    Text(Vec<ByteArray>),
    Int(Vec<i32>),
    /// The values that are there, and for every row whether it is.
    Float(Vec<f32>, Vec<i16>),
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let fields = columns.as_slice().iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("prism").with_fields(fields).build()?;
        let metadata = provenance.entries().map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata.into()));
        for column in columns.as_slice() {
            // Names and table look-ups repeat; computed numbers hardly do, and a dictionary of them costs time.
            let repeats = !matches!(column, Column::Feature(_));
            properties = properties.set_column_dictionary_enabled(column.name().into(), repeats);
        }
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        let columns = columns.as_slice().iter().map(|column| (*column, Values::of(column))).collect();
        Ok(Self { file, columns, rows: 0 })
    }

    fn write_group(&mut self) -> Result<(), OutputError> {
        let mut group = self.file.next_row_group()?;
        for (_, values) in &mut self.columns {
            values.write(&mut group)?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for part in structures {
            for (column, values) in &mut self.columns {
                values.append(column, part);
            }
            self.rows += part.len();
            if self.rows >= GROUP_ROWS {
                self.write_group()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        // The writer's own buffer is flushed by `into_inner`, ours inside `out` by `flush`.
        let mut out = self.file.into_inner()?;
        Ok(out.flush()?)
    }
}

fn field(column: &Column) -> parquet::errors::Result<Type> {
    let (physical, logical, repetition) = match column {
        Column::Structure | Column::Chain | Column::Icode | Column::Resname => {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED)
        }
        Column::Row | Column::Resnum => (PhysicalType::INT32, None, Repetition::REQUIRED),
        Column::Feature(_) => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
    };
    Type::primitive_type_builder(column.name(), physical).with_logical_type(logical).with_repetition(repetition).build()
}

impl Values {
    fn of(column: &Column) -> Self {
        match column {
            Column::Structure | Column::Chain | Column::Icode | Column::Resname => Self::Text(Vec::new()),
            Column::Row | Column::Resnum => Self::Int(Vec::new()),
            Column::Feature(_) => Self::Float(Vec::new(), Vec::new()),
        }
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) {
        let rows = 0..part.len();
        let structure = part.structure;
        match (self, column) {
            (Self::Text(all), Column::Structure) => {
                let name = ByteArray::from(structure.name.as_str());
                all.extend(rows.map(|_| name.clone()));
            }
            (Self::Text(all), Column::Chain) => {
                let ids: Vec<ByteArray> = structure.chains.iter().map(|id| ByteArray::from(id.as_str())).collect();
                all.extend(rows.map(|row| ids.get(structure.chain_ids[row] as usize).cloned().unwrap_or_default()));
            }
            (Self::Text(all), Column::Icode) => {
                all.extend(rows.map(|row| ByteArray::from(&*structure.insertion_codes[row])));
            }
            (Self::Text(all), Column::Resname) => all.extend(rows.map(|row| ByteArray::from(part.resname(row)))),
            (Self::Int(all), Column::Row) => all.extend(rows.map(|row| row as i32)),
            (Self::Int(all), Column::Resnum) => all.extend_from_slice(&structure.residue_numbers[rows]),
            (Self::Float(all, present), Column::Feature(feature)) => {
                for row in &part.rows[rows] {
                    let value = row.columns[feature.column];
                    present.push(i16::from(!value.is_nan()));
                    if !value.is_nan() {
                        all.push(value);
                    }
                }
            }
            _ => unreachable!("values are made for their column"),
        }
    }

    fn write<W: Write + Send>(&mut self, group: &mut SerializedRowGroupWriter<'_, W>) -> Result<(), OutputError> {
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        match self {
            Self::Text(all) => {
                column.typed::<ByteArrayType>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::Int(all) => {
                column.typed::<Int32Type>().write_batch(all, None, None)?;
                all.clear();
            }
            Self::Float(all, present) => {
                column.typed::<FloatType>().write_batch(all, Some(present), None)?;
                all.clear();
                present.clear();
            }
        }
        Ok(column.close()?)
    }
}
