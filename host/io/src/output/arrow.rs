//! Arrow IPC.

mod floats;
mod texts;

use super::columnar::{ColumnFile, Described, Group, ResidueGroups, described};
use super::sink::{OTHER_KIND, Sink};
use super::value::Kind;
use super::{Column, Columns, OutputError, Provenance, StructureRows, Table};
use crate::pipeline::Computed;
use arrow_array::builder::{ArrayBuilder, Float32Builder, Int32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{DictionaryTracker, FileWriter, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use base64::prelude::{BASE64_STANDARD, Engine};
use floats::Floats;
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use texts::Texts;

/// Up to this many values, appending takes less time than waking other threads.
const FEW_VALUES: usize = 1 << 16;

/// A table as an uncompressed Arrow IPC file ("Feather V2"). Texts are Utf8. Numbers are Int32 and Float32, with null for
/// undefined values. The schema's metadata has version and configuration.
///
/// ```
/// use arrow_ipc::reader::FileReader;
/// use prism_io::output::{ArrowTable, Columns, Provenance, StructureRows, Table};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let mut bytes = Vec::new();
/// let mut table = ArrowTable::new(&mut bytes, Columns::default(), &Provenance::of(engine.config()))?;
/// table.write(&[StructureRows { structure: &rbd, features: features.view() }])?;
/// Box::new(table).finish()?;
/// let mut batches = FileReader::try_new(std::io::Cursor::new(bytes), None)?;
/// assert_eq!(batches.schema().metadata()["prism.points"], "100");
/// assert_eq!(batches.next().expect("a batch")?.num_rows(), 194);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArrowTable<W: Write>(ResidueGroups<ArrowFile<W>>);

/// Rows of a table as Arrow record batches in memory, for programs that use them directly. Undefined values are null, of texts as of
/// numbers. (Files have an empty text there.)
///
/// ```
/// use prism_io::output::{Columns, RecordBatches, StructureRows};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let mut rows = RecordBatches::new(Columns::choose(["wcn"])?, Default::default());
/// rows.append(&StructureRows { structure: &rbd, features: features.view() });
/// let batch = rows.take()?;
/// assert_eq!((batch.num_rows(), batch.num_columns()), (194, 7 + 1));
/// assert_eq!(batch.schema().field(7).metadata()["unit"], "Å^-2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecordBatches {
    schema: SchemaRef,
    columns: Vec<(Column, Values)>,
}

/// The values of a column, to which more are appended.
enum Values {
    Text(Texts),
    Int(Int32Builder),
    Float(Float32Builder),
}

impl RecordBatches {
    /// Creates batches without rows. `metadata` becomes the schema's metadata. Columns carry their unit, definition and source.
    #[must_use]
    pub fn new(columns: Columns, metadata: HashMap<String, String>) -> Self {
        let nullable = |column: &Column| {
            let field = field(&column.into());
            if column.may_be_undefined() { field.with_nullable(true) } else { field }
        };
        let fields: Vec<Field> = columns.as_slice().iter().map(nullable).collect();
        Self {
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            columns: columns.as_slice().iter().map(|column| (*column, Values::of(column.kind(), 0))).collect(),
        }
    }

    /// The columns and their types.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Appends a structure's rows.
    pub fn append(&mut self, part: &StructureRows<'_>) {
        self.columns.iter_mut().for_each(|(column, values)| part.give(column, values));
    }

    /// The rows of some structures as a separate batch, beside the appended rows.
    ///
    /// # Errors
    /// When the texts of a column exceed Arrow's 32-bit offsets.
    pub fn batch(&self, parts: &[StructureRows<'_>]) -> Result<RecordBatch, OutputError> {
        let rows: usize = parts.iter().map(StructureRows::len).sum();
        let array = |(column, _): &(Column, Values)| {
            let mut values = Values::of(column.kind(), rows);
            parts.iter().for_each(|part| part.give(column, &mut values));
            values.finish_defined(column)
        };
        let arrays = if rows * self.columns.len() <= FEW_VALUES {
            let features: Vec<_> = self.columns.iter().filter_map(|(column, _)| column.number()).collect();
            let (floats, mut places) = (Floats::new(&features, parts, rows), 0..);
            let of = |column: &(Column, Values)| match column.0.number().and_then(|_| places.next()) {
                Some(place) => Ok(floats.array(place)),
                None => array(column),
            };
            self.columns.iter().map(of).collect::<Result<Vec<_>, _>>()
        } else {
            self.columns.par_iter().map(array).collect()
        };
        RecordBatch::try_new(Arc::clone(&self.schema), arrays.map_err(io)?).map_err(io)
    }

    /// Takes the appended rows. Later rows belong to the next batch.
    ///
    /// # Errors
    /// When the texts of a column exceed Arrow's 32-bit offsets.
    pub fn take(&mut self) -> Result<RecordBatch, OutputError> {
        let arrays: Result<Vec<_>, _> =
            self.columns.iter_mut().map(|(column, values)| values.finish_defined(column)).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), arrays.map_err(io)?).map_err(io)
    }
}

/// The types and descriptions of columns, with the table's metadata.
pub(super) fn schema(columns: &[Described], metadata: HashMap<String, String>) -> Schema {
    Schema::new_with_metadata(columns.iter().map(field).collect::<Vec<_>>(), metadata)
}

pub(super) fn metadata(provenance: &Provenance) -> HashMap<String, String> {
    owned(provenance.entries())
}

/// The schema in the form of Parquet's key-value metadata. Arrow's readers look there for units and definitions, which Parquet's
/// own schema cannot hold.
///
/// Readers that find it also take the file's own metadata from there.
pub(super) fn encoded(schema: &Schema) -> String {
    let (generator, mut dictionaries) = (IpcDataGenerator::default(), DictionaryTracker::new(true));
    let encoded =
        generator.schema_to_bytes_with_dictionary_tracker(schema, &mut dictionaries, &IpcWriteOptions::default());
    let length = (encoded.ipc_message.len() as u32).to_le_bytes();
    BASE64_STANDARD.encode([&[0xff; 4], &length, &encoded.ipc_message[..]].concat())
}

fn field(column: &Described) -> Field {
    let (kind, nullable) = match column.kind {
        Kind::Text => (DataType::Utf8, false),
        Kind::Int => (DataType::Int32, false),
        Kind::Optional => (DataType::Int32, true),
        Kind::Float => (DataType::Float32, true),
    };
    Field::new(column.name, kind, nullable).with_metadata(owned(column.about.iter().copied()))
}

/// Names and texts in the form of metadata.
fn owned(about: impl IntoIterator<Item = (&'static str, impl Into<String>)>) -> HashMap<String, String> {
    about.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect()
}

/// A group as a record batch in memory.
pub(super) fn record_batch(columns: &[Described], group: &impl Group) -> Result<RecordBatch, OutputError> {
    let arrays = columns.iter().enumerate().map(|(index, column)| array(column.kind, index, group));
    let arrays = arrays.collect::<Result<_, _>>().map_err(io)?;
    RecordBatch::try_new(Arc::new(schema(columns, HashMap::new())), arrays).map_err(io)
}

/// A column of a group.
fn array(kind: Kind, index: usize, group: &impl Group) -> Result<ArrayRef, ArrowError> {
    let mut values = Values::of(kind, group.rows());
    group.give(index, &mut values, |_| Ok::<_, ArrowError>(()))?;
    values.finish()
}

/// An Arrow IPC file of any table.
pub(super) struct ArrowFile<W: Write> {
    file: FileWriter<W>,
    kinds: Vec<Kind>,
}

impl<W: Write> ArrowFile<W> {
    pub(super) fn new(out: W, columns: &[Described], provenance: &Provenance) -> Result<Self, OutputError> {
        let file = FileWriter::try_new(out, &schema(columns, metadata(provenance))).map_err(io)?;
        Ok(Self { file, kinds: columns.iter().map(|column| column.kind).collect() })
    }
}

impl<W: Write> ColumnFile for ArrowFile<W> {
    type Column = Kind;
    type Encoded = Result<ArrayRef, ArrowError>;

    fn columns(&self) -> Vec<Kind> {
        self.kinds.clone()
    }

    fn encode(kind: &Kind, index: usize, group: &impl Group) -> Self::Encoded {
        array(*kind, index, group)
    }

    fn write(&mut self, group: Vec<Self::Encoded>) -> Result<(), OutputError> {
        let arrays = group.into_iter().collect::<Result<_, _>>().map_err(io)?;
        // The file's own schema has the metadata.
        let batch = RecordBatch::try_new(Arc::clone(self.file.schema()), arrays);
        self.file.write(&batch.map_err(io)?).map_err(io)
    }

    fn finish(self) -> Result<(), OutputError> {
        let mut out = self.file.into_inner().map_err(io)?;
        Ok(out.flush()?)
    }
}

impl<W: Write> ArrowTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let file = ArrowFile::new(out, &described(columns.as_slice()), provenance)?;
        Ok(Self(ResidueGroups::new(file, columns)))
    }
}

impl<W: Write> Table for ArrowTable<W> {
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

impl Sink for Values {
    fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        match self {
            Self::Text(all) => all.extend(texts),
            _ => unreachable!("{OTHER_KIND}"),
        }
    }

    fn ints(&mut self, values: &[i32]) {
        match self {
            Self::Int(all) => all.append_slice(values),
            _ => unreachable!("{OTHER_KIND}"),
        }
    }

    fn optionals(&mut self, values: &[Option<i32>]) {
        match self {
            Self::Int(all) => values.iter().for_each(|value| all.append_option(*value)),
            _ => unreachable!("{OTHER_KIND}"),
        }
    }

    fn floats(&mut self, values: &[f32]) {
        match self {
            Self::Float(all) if values.iter().any(|value| value.is_nan()) => {
                values.iter().for_each(|value| all.append_option((!value.is_nan()).then_some(*value)));
            }
            Self::Float(all) => all.append_slice(values),
            _ => unreachable!("{OTHER_KIND}"),
        }
    }
}

impl Values {
    /// Reserves memory for this many rows.
    fn of(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::Text => Self::Text(Texts::with_capacity(rows)),
            Kind::Int | Kind::Optional => Self::Int(Int32Builder::with_capacity(rows)),
            Kind::Float => Self::Float(Float32Builder::with_capacity(rows)),
        }
    }

    /// As [`finish`](Self::finish), with null for undefined texts.
    fn finish_defined(&mut self, column: &Column) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Text(all) if column.may_be_undefined() => all.finish_defined(),
            _ => self.finish(),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Text(all) => all.finish(),
            Self::Int(all) => Ok(ArrayBuilder::finish(all)),
            Self::Float(all) => Ok(ArrayBuilder::finish(all)),
        }
    }
}

pub(super) fn io(error: ArrowError) -> OutputError {
    match error {
        ArrowError::IoError(_, source) => source.into(),
        other => OutputError::Write(std::io::Error::other(other)),
    }
}
