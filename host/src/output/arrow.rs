//! Arrow IPC.

use super::value::{Kind, Value};
use super::{Column, Columns, OutputError, Provenance, StructureRows, Table};
use arrow_array::builder::{ArrayBuilder, Float32Builder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

/// Rows in a record batch.
const BATCH_ROWS: usize = 1 << 16;

/// A table as an Arrow IPC file ("Feather V2"), uncompressed: texts as Utf8, numbers as Int32 and Float32 with null where one
/// is not defined; version and configuration in the schema's metadata.
///
/// ```
/// use arrow_ipc::reader::FileReader;
/// use prism_host::output::{ArrowTable, Columns, Provenance, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
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
    columns: Vec<(Column, Values)>,
    rows: usize,
}

enum Values {
    Text(StringBuilder),
    Int(Int32Builder),
    Float(Float32Builder),
}

impl<W: Write> ArrowTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let field = |column: &Column| match column.kind() {
            Kind::Text => Field::new(column.name(), DataType::Utf8, false),
            Kind::Int => Field::new(column.name(), DataType::Int32, false),
            Kind::Float => Field::new(column.name(), DataType::Float32, true),
        };
        let fields: Vec<Field> = columns.as_slice().iter().map(field).collect();
        let metadata: HashMap<String, String> =
            provenance.entries().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let file = FileWriter::try_new(out, &Schema::new_with_metadata(fields, metadata)).map_err(io)?;
        let columns = columns.as_slice().iter().map(|column| (*column, Values::of(column))).collect();
        Ok(Self { file, columns, rows: 0 })
    }

    fn write_batch(&mut self) -> Result<(), OutputError> {
        let arrays: Vec<ArrayRef> = self.columns.iter_mut().map(|(_, values)| values.finish()).collect();
        let batch = RecordBatch::try_new(Arc::clone(self.file.schema()), arrays).map_err(io)?;
        self.rows = 0;
        self.file.write(&batch).map_err(io)
    }
}

impl<W: Write> Table for ArrowTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for part in structures {
            self.columns.par_iter_mut().for_each(|(column, values)| values.append(column, part));
            self.rows += part.len();
            // Batches end at the same structure however the table is handed over.
            if self.rows >= BATCH_ROWS {
                self.write_batch()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        let mut out = self.file.into_inner().map_err(io)?;
        Ok(out.flush()?)
    }
}

impl Values {
    fn of(column: &Column) -> Self {
        match column.kind() {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Int => Self::Int(Int32Builder::new()),
            Kind::Float => Self::Float(Float32Builder::new()),
        }
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) {
        for row in 0..part.len() {
            match (&mut *self, part.value(row, column)) {
                (Self::Text(all), Value::Text(text)) => all.append_value(text),
                (Self::Int(all), Value::Int(value)) => all.append_value(value),
                (Self::Float(all), Value::Float(value)) => all.append_option((!value.is_nan()).then_some(value)),
                _ => unreachable!("values are made for their column"),
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(all) => ArrayBuilder::finish(all),
            Self::Int(all) => ArrayBuilder::finish(all),
            Self::Float(all) => ArrayBuilder::finish(all),
        }
    }
}

fn io(error: ArrowError) -> OutputError {
    match error {
        ArrowError::IoError(_, source) => source.into(),
        other => OutputError::Write(std::io::Error::other(other)),
    }
}
