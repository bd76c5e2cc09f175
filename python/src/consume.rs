//! The results of a batch of inputs.

use crate::export::Exported;
use crate::lock::Unlocked;
use crate::table::Table;
use crate::tensor::{Held, Tensor};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use prism_host::engine::DeviceTimes;
use prism_host::inputs::{self, InputFailure};
use prism_host::output::StructureRows;
use prism_host::pipeline::{Computed, Outcome};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rayon::ThreadPool;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// An input's name, and a message about it.
pub type Message = (String, String);

/// An input without rows: its name, why, and whether there is nothing at its path.
pub type Failed = (String, String, bool);

/// An input's failure for Python.
pub fn failed(failure: InputFailure) -> Failed {
    (failure.name, failure.reason, failure.missing)
}

/// Seconds of copies to a device, of kernels, and of copies from it.
type OfDevice = (f64, f64, f64);

/// The times of the calling thread's work on a batch.
#[derive(Clone, Copy)]
pub struct Seconds {
    /// Finding the files, and reading them.
    pub read: Duration,
    pub compute: Duration,
    /// Making the columns, and dropping what they were made of.
    pub rows: Duration,
    /// The part of `compute` that a device reports.
    pub device: Option<DeviceTimes>,
}

/// The results of a batch of inputs.
#[derive(Clone)]
pub struct Done {
    pub table: RecordBatch,
    /// For tensors: the structures, and the indices in the batch of those that were computed.
    held: Option<(Arc<Held>, Vec<usize>)>,
    failures: Vec<Failed>,
    warnings: Vec<Message>,
    notes: Vec<Message>,
    inputs: usize,
    /// If the calling thread did the work.
    pub seconds: Option<Seconds>,
}

impl Done {
    /// No rows, with a table's columns.
    pub fn empty(table: &Table) -> Result<Self, String> {
        let (table, ..) = table.batch(&[], None)?;
        let (failures, warnings, notes) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { table, held: None, failures, warnings, notes, inputs: 0, seconds: None })
    }

    /// Rows that are no results of the engine.
    pub fn of_rows(table: RecordBatch, failures: Vec<Failed>, notes: Vec<Message>, inputs: usize) -> Self {
        Self { table, held: None, failures, warnings: Vec::new(), notes, inputs, seconds: None }
    }

    pub fn of(table: &Table, computed: Computed, pool: Option<&ThreadPool>) -> Result<Self, String> {
        let Computed { batch, results } = computed;
        let (mut failures, mut warnings, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut parts, mut indices) = (Vec::new(), Vec::new());
        let mut structures = batch.structures.iter().zip(results.iter()).enumerate();
        let readings = batch.readings.iter().map(|reading| reading.packed).chain(std::iter::repeat(false));
        for (outcome, packed) in batch.outcomes.iter().zip(readings) {
            match outcome {
                Outcome::Said { name, text } => notes.push((name.clone(), text.clone())),
                // As for the command, a file without protein is no failure.
                Outcome::Failed(failure) if failure.no_protein => {
                    warnings.push((failure.name.clone(), failure.reason.clone()));
                }
                Outcome::Failed(failure) => failures.push(failed(failure.clone())),
                Outcome::Read { notes: own_notes } => {
                    let Some((index, (structure, features))) = structures.next() else { break };
                    for note in own_notes {
                        // The warnings of a packed structure were given when it was packed.
                        let to = if note.kind.is_warning() && !packed { &mut warnings } else { &mut notes };
                        to.push((structure.name.clone(), note.text.clone()));
                    }
                    match features {
                        Ok(features) => {
                            indices.push(index);
                            parts.push(StructureRows { structure, features });
                        }
                        Err(error) => failures.push((structure.name.clone(), error.to_string(), false)),
                    }
                }
            }
        }
        let (rows, refused, odd) = table.batch(&parts, pool)?;
        failures.extend(refused.into_iter().map(|(name, reason)| (name, reason, false)));
        warnings.extend(odd);
        drop((parts, structures));
        let inputs = batch.outcomes.len();
        let held = matches!(table, Table::Tensors(_));
        let held = held.then(|| {
            (Arc::new(Held { inputs: batch, results: Unlocked::new(results), selection: table.selection() }), indices)
        });
        Ok(Self { table: rows, held, failures, warnings, notes, inputs, seconds: None })
    }

    /// Adds warnings.
    pub fn warn(&mut self, warnings: Vec<Message>) {
        self.warnings.extend(warnings);
    }

    /// Adds notes about files in folders that are not read.
    pub fn note_ignored(&mut self, ignored: &[(PathBuf, usize)]) {
        for (folder, count) in ignored {
            self.notes.push((folder.display().to_string(), inputs::ignored(*count)));
        }
    }
}

/// Rows of some structures, with messages about their inputs. Any package that knows Arrow's PyCapsule interface takes them without a
/// copy: `pyarrow.record_batch(batch)`.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Batch {
    pub done: Done,
    given: Mutex<Option<Exported>>,
}

impl From<Done> for Batch {
    fn from(done: Done) -> Self {
        Self { done, given: Mutex::default() }
    }
}

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol lets a producer give its own schema if it cannot give the requested one.
        let _ = requested_schema;
        let schema = FFI_ArrowSchema::try_from(self.done.table.schema().as_ref());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let array = FFI_ArrowArray::new(&StructArray::from(self.done.table.clone()).to_data());
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    /// The address of a C array of the rows, for a reader that has the schema already. The reader empties it. It lives until the batch
    /// is dropped.
    fn address(&self) -> usize {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.insert(Exported::new(&self.done.table)).address()
    }

    /// A tensor for each structure, if tensors were requested.
    fn tensors(&self) -> Vec<Tensor> {
        let Some((held, indices)) = &self.done.held else { return Vec::new() };
        indices.iter().map(|&index| Tensor::new(Arc::clone(held), index)).collect()
    }

    fn __len__(&self) -> usize {
        self.done.table.num_rows()
    }

    /// Inputs without rows, and why.
    #[getter]
    fn failures(&self) -> Vec<Failed> {
        self.done.failures.clone()
    }

    /// Odd properties of inputs.
    #[getter]
    fn warnings(&self) -> Vec<Message> {
        self.done.warnings.clone()
    }

    /// Choices that were made while reading inputs.
    #[getter]
    fn notes(&self) -> Vec<Message> {
        self.done.notes.clone()
    }

    /// The number of inputs of the batch.
    #[getter]
    fn inputs(&self) -> usize {
        self.done.inputs
    }

    /// Seconds of reading, of computing, and of making the columns; and the parts of computing on a device: copies to it, kernels,
    /// copies from it. `None` if threads of the pipeline did the work. Measurements of a call's other costs need it.
    #[getter]
    fn seconds(&self) -> Option<(f64, f64, f64, Option<OfDevice>)> {
        let Seconds { read, compute, rows, device } = self.done.seconds?;
        let of = |times: DeviceTimes| {
            (times.upload.as_secs_f64(), times.kernels.as_secs_f64(), times.download.as_secs_f64())
        };
        Some((read.as_secs_f64(), compute.as_secs_f64(), rows.as_secs_f64(), device.map(of)))
    }
}
