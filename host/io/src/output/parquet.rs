//! Parquet.

mod chunk;
mod dictionary;
mod pages;
mod statistics;

use super::arrow::{encoded, metadata};
use super::columnar::{ColumnFile, Described, Group, ResidueGroups, described};
use super::value::Kind;
use super::{Columns, OutputError, Provenance, StructureRows, Table};
use crate::pipeline::Computed;
use bytes::Bytes;
use parquet::basic::{Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, Type};
use std::io::Write;
use std::sync::Arc;

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
pub struct ParquetTable<W: Write + Send>(ResidueGroups<ParquetFile<W>>);

/// A Parquet file of any table.
pub(super) struct ParquetFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    kinds: Vec<Kind>,
}

/// An encoded column of a row group, and its metadata for the footer.
type Encoded = Result<(Bytes, ColumnCloseResult), ParquetError>;

/// The metadata key of Arrow's schema, by Arrow's convention.
const ARROW_SCHEMA: &str = "ARROW:schema";

impl<W: Write + Send> ParquetFile<W> {
    pub(super) fn new(out: W, columns: &[Described], provenance: &Provenance) -> Result<Self, OutputError> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("prism").with_fields(fields).build()?;
        // Provenance, and the schema for Arrow's readers.
        let entries = provenance.entries().into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let schema_of_arrow = encoded(&super::arrow::schema(columns, metadata(provenance)));
        let metadata = entries.chain([KeyValue::new(ARROW_SCHEMA.to_owned(), schema_of_arrow)]).collect();
        let mut properties = WriterProperties::builder()
            .set_compression(pages::compression())
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata));
        for Described { name, kind, is_feature, .. } in columns {
            // Names and table look-ups repeat. Computed numbers hardly do, so a dictionary of them would waste time. Their first
            // bytes do repeat: stored apart from the other bytes, they are smaller and faster to read.
            properties = properties.set_column_dictionary_enabled((*name).into(), !is_feature);
            if matches!(kind, Kind::Float | Kind::Text) {
                // `statistics` adds them.
                properties = properties.set_column_statistics_enabled((*name).into(), EnabledStatistics::None);
            }
            if *is_feature {
                properties = properties.set_column_encoding((*name).into(), Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, kinds: columns.iter().map(|column| column.kind).collect() })
    }
}

impl<W: Write + Send> ColumnFile for ParquetFile<W> {
    type Column = (Kind, ColumnDescPtr, WriterPropertiesPtr);
    type Encoded = Encoded;

    fn columns(&self) -> Vec<Self::Column> {
        let described = self.file.schema_descr().columns().iter();
        let column = |(kind, described): (&Kind, &ColumnDescPtr)| {
            (*kind, Arc::clone(described), Arc::clone(self.file.properties()))
        };
        self.kinds.iter().zip(described).map(column).collect()
    }

    fn encode((kind, described, properties): &Self::Column, index: usize, group: &impl Group) -> Encoded {
        chunk::encode(group, (index, *kind), Arc::clone(described), Arc::clone(properties))
    }

    fn write(&mut self, group: Vec<Encoded>) -> Result<(), OutputError> {
        let mut row_group = self.file.next_row_group()?;
        for column in group {
            let (bytes, chunk) = column?;
            row_group.append_column(&bytes, chunk)?;
        }
        row_group.close()?;
        Ok(())
    }

    fn finish(self) -> Result<(), OutputError> {
        // The writer's own buffer is flushed by `into_inner`, ours inside `out` by `flush`.
        let mut out = self.file.into_inner()?;
        Ok(out.flush()?)
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let file = ParquetFile::new(out, &described(columns.as_slice()), provenance)?;
        Ok(Self(ResidueGroups::new(file, columns)))
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.write_shared(&Arc::new(structures.into()))
    }

    fn write_shared(&mut self, computed: &Arc<Computed>) -> Result<(), OutputError> {
        self.0.write(computed)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.0.finish()
    }
}

fn field(column: &Described) -> parquet::errors::Result<Type> {
    let (physical, logical, repetition) = match column.kind {
        Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Kind::Int => (PhysicalType::INT32, None, Repetition::REQUIRED),
        Kind::Optional => (PhysicalType::INT32, None, Repetition::OPTIONAL),
        Kind::Float => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
    };
    Type::primitive_type_builder(column.name, physical).with_logical_type(logical).with_repetition(repetition).build()
}
