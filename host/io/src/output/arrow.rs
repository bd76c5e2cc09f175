//! Arrow IPC.

mod floats;
mod texts;

use super::in_order::InOrder;
use super::rows::GroupRows;
use super::value::{Kind, Value};
use super::{Column, Columns, OutputError, Provenance, SharedRows, StructureRows, Table};
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

/// Rows in a record batch.
const BATCH_ROWS: usize = 1 << 16;
/// The most record batches that are made at a time. The thread that writes waits while there are this many.
const BATCHES_IN_FLIGHT: usize = 4;
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
pub struct ArrowTable<W: Write> {
    file: FileWriter<W>,
    columns: Columns,
    /// The record batch that is not full yet.
    rows: GroupRows,
    /// The columns that rayon's threads make: batch by batch, column by column.
    in_flight: InOrder<Result<ArrayRef, ArrowError>>,
    /// The columns of the next batch in the file.
    arrays: Vec<ArrayRef>,
}

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
            let field = field(column);
            if column.may_be_undefined() { field.with_nullable(true) } else { field }
        };
        let fields: Vec<Field> = columns.as_slice().iter().map(nullable).collect();
        Self {
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            columns: columns.as_slice().iter().map(|column| (*column, Values::of(column, 0))).collect(),
        }
    }

    /// The columns and their types.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Appends a structure's rows.
    pub fn append(&mut self, part: &StructureRows<'_>) {
        self.columns.iter_mut().for_each(|(column, values)| values.append(column, part));
    }

    /// The rows of some structures as a separate batch, beside the appended rows.
    ///
    /// # Errors
    /// When the texts of a column exceed Arrow's 32-bit offsets.
    pub fn batch(&self, parts: &[StructureRows<'_>]) -> Result<RecordBatch, OutputError> {
        let rows: usize = parts.iter().map(StructureRows::len).sum();
        let array = |(column, _): &(Column, Values)| {
            let mut values = Values::of(column, rows);
            parts.iter().for_each(|part| values.append(column, part));
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
pub(super) fn schema(columns: &Columns, metadata: HashMap<String, String>) -> Schema {
    Schema::new_with_metadata(columns.as_slice().iter().map(field).collect::<Vec<_>>(), metadata)
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

fn field(column: &Column) -> Field {
    let (kind, nullable) = match column.kind() {
        Kind::Text => (DataType::Utf8, false),
        Kind::Int => (DataType::Int32, false),
        Kind::Optional => (DataType::Int32, true),
        Kind::Float => (DataType::Float32, true),
    };
    let told = [("unit", column.unit()), ("definition", column.definition()), ("source", column.source())];
    Field::new(column.name(), kind, nullable).with_metadata(owned(told))
}

/// Names and texts in the form of metadata.
pub(super) fn owned(told: impl IntoIterator<Item = (&'static str, impl Into<String>)>) -> HashMap<String, String> {
    told.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect()
}

impl<W: Write> ArrowTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let schema = schema(&columns, metadata(provenance));
        let file = FileWriter::try_new(out, &schema).map_err(io)?;
        Ok(Self { file, columns, rows: GroupRows::default(), in_flight: InOrder::default(), arrays: Vec::new() })
    }

    /// Passes the columns of the batch to rayon's threads, and writes the batches that are ready.
    fn end_batch(&mut self) -> Result<(), OutputError> {
        let rows = Arc::new(std::mem::take(&mut self.rows));
        let array = |column: &Column| {
            let (rows, column) = (Arc::clone(&rows), *column);
            move || {
                let mut values = Values::of(&column, rows.rows());
                rows.iter().for_each(|part| values.append(&column, &part));
                values.finish()
            }
        };
        self.in_flight.begin(self.columns.as_slice().iter().map(array).collect());
        drop(rows);
        self.write_ready(BATCHES_IN_FLIGHT)
    }

    /// Writes the batches that are ready. Waits for others while more than `most` are in flight.
    fn write_ready(&mut self, most: usize) -> Result<(), OutputError> {
        let columns = self.columns.as_slice().len();
        while let Some(array) = self.in_flight.next(most * columns) {
            self.arrays.push(array.map_err(std::io::Error::from)?.map_err(io)?);
            if self.arrays.len() == columns {
                let schema = Arc::clone(self.file.schema());
                let batch = RecordBatch::try_new(schema, std::mem::take(&mut self.arrays));
                self.file.write(&batch.map_err(io)?).map_err(io)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Table for ArrowTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.write_shared(&SharedRows::copied(structures))
    }

    fn write_shared(&mut self, rows: &SharedRows) -> Result<(), OutputError> {
        rows.derive(&self.columns);
        let mut next = 0;
        while next < rows.len() {
            next = self.rows.fill(rows, next, BATCH_ROWS);
            if self.rows.rows() >= BATCH_ROWS {
                self.end_batch()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        if self.rows.rows() > 0 {
            self.end_batch()?;
        }
        self.write_ready(0)?;
        let mut out = self.file.into_inner().map_err(io)?;
        Ok(out.flush()?)
    }
}

impl Values {
    /// Reserves memory for this many rows.
    fn of(column: &Column, rows: usize) -> Self {
        match column.kind() {
            Kind::Text => Self::Text(Texts::with_capacity(rows)),
            Kind::Int | Kind::Optional => Self::Int(Int32Builder::with_capacity(rows)),
            Kind::Float => Self::Float(Float32Builder::with_capacity(rows)),
        }
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) {
        let (rows, structure) = (0..part.len(), part.structure);
        // The column is matched once. Matching it for each value would take longer than everything else.
        match (&mut *self, column) {
            (Self::Float(all), Column::Feature(feature)) => match part.values(feature).get(rows) {
                None => all.append_nulls(part.len()),
                Some(values) if values.iter().any(|value| value.is_nan()) => {
                    values.iter().for_each(|value| all.append_option((!value.is_nan()).then_some(*value)));
                }
                Some(values) => all.append_slice(values),
            },
            (Self::Text(all), Column::State(feature)) => {
                let values = part.values(feature);
                let letter = |row| feature.state(values.get(row).copied().unwrap_or(f32::NAN));
                all.extend(rows.map(letter));
            }
            (Self::Text(all), Column::Structure) => all.extend(rows.map(|_| structure.name.as_str())),
            (Self::Text(all), Column::Chain) => all.extend(rows.map(|row| part.chain(row))),
            (Self::Text(all), Column::Icode) => all.extend(structure.insertion_codes[rows].iter().map(|code| &**code)),
            (Self::Text(all), Column::Resname) => all.extend(rows.map(|row| part.resname(row))),
            (Self::Text(all), Column::Parent) => all.extend(rows.map(|row| structure.parent(row))),
            (Self::Text(all), Column::Polymer) => all.extend(rows.map(|row| structure.polymer(row))),
            (Self::Int(all), Column::SiteId) => {
                part.site_ids_in(column).into_iter().take(part.len()).for_each(|rank| all.append_option(rank));
            }
            (Self::Int(all), Column::Resnum) => all.append_slice(&structure.residue_numbers[rows]),
            _ => rows.for_each(|row| self.append_value(part.value(row, column))),
        }
    }

    fn append_value(&mut self, value: Value<'_>) {
        match (self, value) {
            (Self::Text(all), Value::Text(text) | Value::Words(text)) => all.extend([text]),
            (Self::Int(all), Value::Int(value)) => all.append_value(value),
            (Self::Int(all), Value::Optional(value)) => all.append_option(value),
            (Self::Float(all), Value::Float(value)) => all.append_option((!value.is_nan()).then_some(value)),
            _ => unreachable!("values are made for their column"),
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
