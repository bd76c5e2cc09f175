//! What a batch of inputs has given.

use crate::table::Table;
use crate::tensor::Tensor;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use prism_host::engine::{BatchResults, Selection};
use prism_host::inputs;
use prism_host::output::StructureRows;
use prism_host::pipeline::{Batch as Inputs, Computed, Outcome};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// An input's name, and what is to be said of it.
pub type Said = (String, String);

/// Structures with what was computed for them.
pub struct Held {
    pub inputs: Inputs,
    pub results: BatchResults,
    /// What was asked for.
    pub selection: Selection,
}

/// What a batch of inputs has given.
#[derive(Clone)]
pub struct Done {
    pub table: RecordBatch,
    /// Where tensors are asked for: of each structure that was computed, its place in the batch.
    held: Option<(Arc<Held>, Vec<usize>)>,
    failures: Vec<Said>,
    warnings: Vec<Said>,
    notes: Vec<Said>,
    inputs: usize,
}

impl Done {
    /// Nothing, of a table's columns.
    pub fn empty(table: &Table) -> Result<Self, String> {
        let (table, _) = table.batch(&[])?;
        let (failures, warnings, notes) = Default::default();
        Ok(Self { table, held: None, failures, warnings, notes, inputs: 0 })
    }

    pub fn of(table: &Table, computed: Computed) -> Result<Self, String> {
        let Computed { batch, results } = computed;
        let (mut failures, mut warnings, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut parts, mut places) = (Vec::new(), Vec::new());
        let mut structures = batch.structures.iter().zip(results.iter()).enumerate();
        for outcome in &batch.outcomes {
            match outcome {
                Outcome::Said { name, text } => notes.push((name.clone(), text.clone())),
                // A file without protein is no failure to the command either.
                Outcome::Failed(failure) if failure.no_protein => {
                    warnings.push((failure.name.clone(), failure.reason.clone()));
                }
                Outcome::Failed(failure) => failures.push((failure.name.clone(), failure.reason.clone())),
                Outcome::Read { notes: told } => {
                    let Some((place, (structure, features))) = structures.next() else { break };
                    for note in told {
                        let to = if note.kind.is_warning() { &mut warnings } else { &mut notes };
                        to.push((structure.name.clone(), note.text.clone()));
                    }
                    match features {
                        Ok(features) => {
                            places.push(place);
                            parts.push(StructureRows { structure, features });
                        }
                        Err(error) => failures.push((structure.name.clone(), error.to_string())),
                    }
                }
            }
        }
        let (rows, refused) = table.batch(&parts)?;
        failures.extend(refused);
        drop((parts, structures));
        let inputs = batch.outcomes.len();
        let held = matches!(table, Table::Tensors { .. });
        let held = held.then(|| (Arc::new(Held { inputs: batch, results, selection: table.selection() }), places));
        Ok(Self { table: rows, held, failures, warnings, notes, inputs })
    }

    /// Says which files of folders are passed over.
    pub fn note_ignored(&mut self, ignored: &[(PathBuf, usize)]) {
        for (folder, count) in ignored {
            let text = format!("{count} files are ignored; the formats are {}", inputs::taken());
            self.notes.push((folder.display().to_string(), text));
        }
    }
}

/// Rows of some structures, with what is to be said of their inputs. Any program that knows Arrow's PyCapsule interface
/// takes it without a copy: `pyarrow.record_batch(batch)`.
#[pyclass(frozen, module = "prism._prism")]
pub struct Batch {
    pub done: Done,
    given: Mutex<Option<Box<FFI_ArrowArray>>>,
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
        // The protocol lets a producer give its own schema when it cannot give the one that was asked for.
        let _ = requested_schema;
        let schema = FFI_ArrowSchema::try_from(self.done.table.schema().as_ref());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let array = FFI_ArrowArray::new(&StructArray::from(self.done.table.clone()).to_data());
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    /// Where a C array of the rows is, for whoever has the schema already. It is there until the batch is dropped, and is
    /// emptied by whoever takes it.
    fn address(&self) -> usize {
        let array = || Box::new(FFI_ArrowArray::new(&StructArray::from(self.done.table.clone()).to_data()));
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        &raw const **given.insert(array()) as usize
    }

    /// A tensor of each structure, where those were asked for.
    fn tensors(&self) -> Vec<Tensor> {
        let Some((held, places)) = &self.done.held else { return Vec::new() };
        places.iter().map(|&place| Tensor::new(Arc::clone(held), place)).collect()
    }

    fn __len__(&self) -> usize {
        self.done.table.num_rows()
    }

    /// Inputs that have no rows, and why.
    #[getter]
    fn failures(&self) -> Vec<Said> {
        self.done.failures.clone()
    }

    /// What is odd about inputs.
    #[getter]
    fn warnings(&self) -> Vec<Said> {
        self.done.warnings.clone()
    }

    /// What was decided about inputs.
    #[getter]
    fn notes(&self) -> Vec<Said> {
        self.done.notes.clone()
    }

    /// How many inputs the batch is of.
    #[getter]
    fn inputs(&self) -> usize {
        self.done.inputs
    }
}
