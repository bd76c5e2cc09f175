//! Parquet.

mod group;

use super::arrow::{encoded, metadata};
use super::value::Kind;
use super::{Column, Columns, OutputError, Provenance, StructureRows, Table};
use arrow_schema::Schema;
use group::{Encoded, Group};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Rows in a row group. This is enough to compress well, and few enough that readers can take part of a file and several groups
/// can be encoded at once.
const GROUP_ROWS: usize = 1 << 16;
/// The most row groups that are encoded at a time. Gathering waits while there are this many.
const GROUPS_IN_FLIGHT: usize = 4;

/// A table as Parquet, compressed by zstd. Identity columns and `site_id` are required UTF-8 and INT32. Features are optional
/// FLOAT, with null for NaN. The file's key-value metadata has version and configuration and, for Arrow's readers, each column's
/// unit, definition and source.
///
/// ```
/// use parquet::file::reader::{FileReader, SerializedFileReader};
/// use prism_host::output::{Columns, ParquetTable, Provenance, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
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
    group: Group,
    /// Groups that rayon's threads encode, in their order in the file.
    in_flight: VecDeque<Receiver<(Encoded, Group)>>,
    /// Groups that were written. Their memory is reused, because fresh pages would cost more than the copies into them.
    spare: Vec<Group>,
}

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
            if is_feature {
                properties = properties.set_column_encoding(column.name().into(), Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        let group = Group::of(columns.as_slice());
        Ok(Self { file, group, columns, in_flight: VecDeque::new(), spare: Vec::new() })
    }

    /// Passes the gathered group to rayon's threads, and writes the groups that are ready.
    fn end_group(&mut self) -> Result<(), OutputError> {
        let next = self.spare.pop().unwrap_or_else(|| Group::of(self.columns.as_slice()));
        let group = std::mem::replace(&mut self.group, next);
        let schema = self.file.schema_descr().columns().to_vec();
        let properties = self.file.properties().clone();
        let encode = move || (group.encode(&schema, &properties), group);
        if rayon::current_thread_index().is_some() {
            // A thread of the pool must not wait for other threads of the pool: there may be none.
            self.write_ready(0)?;
            return self.write_group(encode());
        }
        let (send, encoded) = channel();
        rayon::spawn(move || {
            // The receiver is gone if the table was dropped.
            let _ = send.send(encode());
        });
        self.in_flight.push_back(encoded);
        self.write_ready(GROUPS_IN_FLIGHT)
    }

    /// Writes the groups that are ready. Waits for others while more than `most` are in flight.
    fn write_ready(&mut self, most: usize) -> Result<(), OutputError> {
        while let Some(first) = self.in_flight.front() {
            let lost = || ParquetError::General("a thread that encoded a row group has ended".to_owned());
            let encoded = match first.try_recv() {
                Ok(encoded) => encoded,
                Err(TryRecvError::Empty) if self.in_flight.len() <= most => break,
                Err(TryRecvError::Empty) => first.recv().map_err(|_| lost())?,
                Err(TryRecvError::Disconnected) => return Err(lost().into()),
            };
            self.in_flight.pop_front();
            self.write_group(encoded)?;
        }
        Ok(())
    }

    fn write_group(&mut self, (encoded, mut gathered): (Encoded, Group)) -> Result<(), OutputError> {
        let mut group = self.file.next_row_group()?;
        for (bytes, chunk) in encoded? {
            group.append_column(&bytes, chunk)?;
        }
        group.close()?;
        gathered.clear();
        self.spare.push(gathered);
        Ok(())
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        let mut rest = structures;
        while !rest.is_empty() {
            // Groups end at the same structure however the table is passed.
            let (parts, others) = rest.split_at(self.group.parts_to_fill(rest, GROUP_ROWS));
            self.group.append(self.columns.as_slice(), parts);
            if self.group.rows() >= GROUP_ROWS {
                self.end_group()?;
            }
            rest = others;
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
