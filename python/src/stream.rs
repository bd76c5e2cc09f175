//! A run whose batches are taken one by one.

use crate::batch::Table;
use crate::source::{Item, batches};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use prism_host::pipeline::{self, Cancel, Computed, Outcome, Stopped};
use prism_host::{Engine, ReadOptions};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Batches that wait to be taken: with those in the pipeline, what bounds memory.
const AHEAD: usize = 2;
/// How long a wait for a batch goes on without a look whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);

/// An input's name, and what is to be said of it.
type Said = (String, String);

/// What a batch of inputs has given.
struct Done {
    table: RecordBatch,
    failures: Vec<Said>,
    notes: Vec<Said>,
    inputs: usize,
}

type Message = Result<Done, String>;

/// A run: an iterator of [`Batch`]es. Dropping it ends the run.
#[pyclass(module = "prism._prism")]
pub struct Stream {
    // A mutex, since a receiver is of one thread at a time and a Python object is of all.
    receiver: Mutex<Option<Receiver<Message>>>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    schema: RecordBatch,
}

impl Stream {
    pub fn begin(engine: Arc<Engine>, items: Vec<Item>, options: ReadOptions, table: Table) -> PyResult<Self> {
        let (send, receiver) = sync_channel(AHEAD);
        let cancel = Cancel::default();
        let schema = table.batch(&[]).map_err(PyRuntimeError::new_err)?;
        let source = batches(&engine, items, &options, &cancel).map_err(PyRuntimeError::new_err)?;
        let stop = cancel.clone();
        let run = move || {
            let ended = pipeline::run(&engine, source, &stop, |computed| send_batch(&table, computed, &send));
            match ended {
                Ok(_) | Err(Stopped::Cancelled | Stopped::Consumer(Gone)) => {}
                Err(Stopped::Engine(error)) => drop(send.send(Err(error.to_string()))),
                Err(Stopped::Threads(error)) => drop(send.send(Err(format!("no thread could be started: {error}")))),
            }
        };
        let thread = std::thread::Builder::new().name("prism".to_owned()).spawn(run)?;
        Ok(Self { receiver: Mutex::new(Some(receiver)), cancel, thread: Some(thread), schema })
    }

    fn close(&mut self) {
        self.cancel.cancel();
        // Whoever sends finds nobody to send to, and ends.
        drop(self.receiver.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The run's threads take nothing of Python's; others may go on meanwhile.
        Python::attach(|py| py.detach(|| self.close()));
    }
}

#[pymethods]
impl Stream {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        loop {
            let received = py.detach(|| {
                let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.as_ref().map_or(Err(RecvTimeoutError::Disconnected), |one| one.recv_timeout(PATIENCE))
            });
            match received {
                Ok(Ok(done)) => return Ok(Some(Batch { done })),
                Ok(Err(error)) => return Err(PyRuntimeError::new_err(error)),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupted) = py.check_signals() {
                        py.detach(|| self.close());
                        return Err(interrupted);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let panicked = self.thread.take().is_some_and(|thread| py.detach(|| thread.join()).is_err());
                    return match panicked {
                        true => Err(PyRuntimeError::new_err("the run ended by a panic; its message is above")),
                        false => Ok(None),
                    };
                }
            }
        }
    }

    /// A table without rows, of the columns that the batches have.
    fn empty(&self) -> Batch {
        let (failures, notes) = (Vec::new(), Vec::new());
        Batch { done: Done { table: self.schema.clone(), failures, notes, inputs: 0 } }
    }

    /// Ends the run early.
    fn cancel(&mut self, py: Python<'_>) {
        py.detach(|| self.close());
    }
}

/// Nobody takes batches any more.
struct Gone;

fn send_batch(table: &Table, computed: Computed, send: &SyncSender<Message>) -> Result<(), Gone> {
    let Computed { batch, results } = computed;
    let (mut failures, mut notes, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut structures = batch.structures.iter().zip(results.iter());
    for outcome in &batch.outcomes {
        match outcome {
            Outcome::Said { name, text } => notes.push((name.clone(), text.clone())),
            Outcome::Failed(failure) => failures.push((failure.name.clone(), failure.reason.clone())),
            Outcome::Read { notes: told } => {
                let Some((structure, features)) = structures.next() else { break };
                notes.extend(told.iter().map(|note| (structure.name.clone(), note.text.clone())));
                match features {
                    Ok(features) => kept.push((structure, features)),
                    Err(error) => failures.push((structure.name.clone(), error.to_string())),
                }
            }
        }
    }
    let inputs = batch.outcomes.len();
    let done = table.batch(&kept).map(|table| Done { table, failures, notes, inputs });
    send.send(done).map_err(|_| Gone)
}

/// Rows of some structures, with what is to be said of their inputs. Any program that knows Arrow's PyCapsule interface
/// takes it without a copy: `pyarrow.record_batch(batch)`.
#[pyclass(frozen, module = "prism._prism")]
pub struct Batch {
    done: Done,
}

const STREAM: &CStr = c"arrow_array_stream";

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer give its own schema when it cannot give the one that was asked for.
        let _ = requested_schema;
        let table = self.done.table.clone();
        let schema = table.schema();
        let reader = RecordBatchIterator::new([Ok(table)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    fn __len__(&self) -> usize {
        self.done.table.num_rows()
    }

    /// Inputs that have no rows, and why.
    #[getter]
    fn failures(&self) -> Vec<Said> {
        self.done.failures.clone()
    }

    /// What is odd about inputs that were read.
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
