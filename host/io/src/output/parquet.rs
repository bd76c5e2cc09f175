//! Parquet.

mod chunk;
mod statistics;

use super::arrow::{encoded, metadata};
use super::in_order::InOrder;
use super::rows::GroupRows;
use super::value::Kind;
use super::{Column, Columns, OutputError, Provenance, SharedRows, StructureRows, Table};
use arrow_schema::Schema;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, Type};
use std::io::Write;
use std::sync::Arc;

/// Rows in a row group. This is enough to compress well, and few enough that readers can take part of a file and several groups
/// can be encoded at once.
const GROUP_ROWS: usize = 1 << 16;
/// The most row groups that are encoded at a time. The thread that writes waits while there are this many.
const GROUPS_IN_FLIGHT: usize = 4;

/// A table as Parquet, compressed by zstd. Identity columns are required UTF-8 and INT32, and `site_id` is an optional INT32.
/// Features are optional FLOAT, with null for NaN. The file's key-value metadata has version and configuration and, for Arrow's
/// readers, each column's unit, definition and source.
///
/// ```
/// use parquet::file::reader::{FileReader, SerializedFileReader};
/// use prism_io::output::{Columns, ParquetTable, Provenance, StructureRows, Table};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut bytes = Vec::new();
/// let provenance = Provenance::of(engine.config());
/// let mut table = ParquetTable::new(&mut bytes, Columns::choose(["wcn", "sasa"])?, &provenance)?;
/// table.write(&all)?;
/// Box::new(table).finish()?;
///
/// let file = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
/// let metadata = file.metadata().file_metadata();
/// assert_eq!((metadata.num_rows(), metadata.schema_descr().num_columns()), (194, 7 + 2));
/// let told = metadata.key_value_metadata().into_iter().flatten();
/// let points: Vec<_> = told.filter(|entry| entry.key == "prism.points").map(|entry| entry.value.as_deref()).collect();
/// assert_eq!(points, [Some("100")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Columns,
    /// The group that is not full yet.
    group: GroupRows,
    /// The chunks that rayon's threads encode: group by group, column by column.
    in_flight: InOrder<Encoded>,
    /// The chunks of the next group in the file.
    encoded: Vec<(Bytes, ColumnCloseResult)>,
}

/// An encoded column of a row group, and its metadata for the footer.
type Encoded = Result<(Bytes, ColumnCloseResult), ParquetError>;

/// The metadata key of Arrow's schema, by Arrow's convention.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// The metadata of a file: provenance, and the schema for Arrow's readers.
pub(super) fn key_values(provenance: &Provenance, schema: &Schema) -> Vec<KeyValue> {
    let entries = provenance.entries().into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value));
    entries.chain([KeyValue::new(ARROW_SCHEMA.to_owned(), encoded(schema))]).collect()
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let fields = columns.as_slice().iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("prism").with_fields(fields).build()?;
        let schema_of_arrow = super::arrow::schema(&columns, metadata(provenance));
        let metadata = key_values(provenance, &schema_of_arrow);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata));
        for column in columns.as_slice() {
            // Names and table look-ups repeat. Computed numbers hardly do, so a dictionary of them would waste time. Their first
            // bytes do repeat: stored apart from the other bytes, they are smaller and faster to read.
            let is_feature = matches!(column, Column::Feature(_));
            properties = properties.set_column_dictionary_enabled(column.name().into(), !is_feature);
            if matches!(column.kind(), Kind::Float | Kind::Text) {
                // `statistics` adds them.
                properties = properties.set_column_statistics_enabled(column.name().into(), EnabledStatistics::None);
            }
            if is_feature {
                properties = properties.set_column_encoding(column.name().into(), Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, columns, group: GroupRows::default(), in_flight: InOrder::default(), encoded: Vec::new() })
    }

    /// Passes the columns of the group to rayon's threads, and writes the groups that are ready.
    fn end_group(&mut self) -> Result<(), OutputError> {
        let group = Arc::new(std::mem::take(&mut self.group));
        let schema = self.file.schema_descr().columns();
        let encode = |(column, described): (&Column, &ColumnDescPtr)| {
            let (group, column, described) = (Arc::clone(&group), *column, Arc::clone(described));
            let properties = Arc::clone(self.file.properties());
            move || chunk::encode(&group, &column, described, properties)
        };
        self.in_flight.begin(self.columns.as_slice().iter().zip(schema).map(encode).collect());
        drop(group);
        self.write_ready(GROUPS_IN_FLIGHT)
    }

    /// Writes the groups that are ready. Waits for others while more than `most` are in flight.
    fn write_ready(&mut self, most: usize) -> Result<(), OutputError> {
        let columns = self.columns.as_slice().len();
        while let Some(encoded) = self.in_flight.next(most * columns) {
            self.encoded.push(encoded.map_err(std::io::Error::from)??);
            if self.encoded.len() == columns {
                let mut group = self.file.next_row_group()?;
                for (bytes, chunk) in self.encoded.drain(..) {
                    group.append_column(&bytes, chunk)?;
                }
                group.close()?;
            }
        }
        Ok(())
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.write_shared(&SharedRows::copied(structures))
    }

    fn write_shared(&mut self, rows: &SharedRows) -> Result<(), OutputError> {
        rows.derive(&self.columns);
        let mut next = 0;
        while next < rows.len() {
            next = self.group.fill(rows, next, GROUP_ROWS);
            if self.group.rows() >= GROUP_ROWS {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        if self.group.rows() > 0 {
            self.end_group()?;
        }
        self.write_ready(0)?;
        // The writer's own buffer is flushed by `into_inner`, ours inside `out` by `flush`.
        let mut out = self.file.into_inner()?;
        Ok(out.flush()?)
    }
}

fn field(column: &Column) -> parquet::errors::Result<Type> {
    let (physical, logical, repetition) = match column.kind() {
        Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Kind::Int => (PhysicalType::INT32, None, Repetition::REQUIRED),
        Kind::Optional => (PhysicalType::INT32, None, Repetition::OPTIONAL),
        Kind::Float => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
    };
    Type::primitive_type_builder(column.name(), physical).with_logical_type(logical).with_repetition(repetition).build()
}
