//! A run whose batches are taken one by one.

use crate::consume::{Batch, Done, Seconds};
use crate::ending::detached;
use crate::engine::Opening;
use crate::frames::Frames;
use crate::names::Warnings;
use crate::options::Reading;
use crate::process::{self, RunError};
use crate::source::{Ended, Lazy, Share};
use crate::table::Table;
use prism_host::Engine;
use prism_host::inputs::{Clashes, InputFile, Inputs, Source};
use prism_host::pipeline::{self, Cancel, Computed, Outcome, Stopped};
use prism_host::run::Run;
use pyo3::ffi;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most computed batches that wait to be taken. This limits the memory, together with the pipeline's own limit.
const AHEAD: usize = 2;
/// How often a wait for a batch, or for the run's end, checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long Ctrl-C waits for the run's end. Then a run that an iterator holds up is left, and ends when the iterator goes on.
const AFTER_CTRL_C: Duration = Duration::from_secs(1);
/// The most inputs that the calling thread computes itself, because starting the pipeline's threads would take longer.
const FEW: usize = 4;
/// The most bytes of them.
const FEW_BYTES: u64 = 1 << 20;

type Message = Result<Done, String>;

/// A run: an iterator of [`Batch`]es. Dropping it ends the run.
#[pyclass(module = "prism_features._prism")]
pub struct Stream {
    /// The only batch, if the calling thread has computed it.
    ready: Option<Done>,
    // In a mutex, since any thread may use a Python object, but only one at a time a receiver.
    receiver: Mutex<Option<Receiver<Message>>>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    /// Disconnected when the thread has ended.
    over: Mutex<Receiver<()>>,
    table: Arc<Table>,
    ended: Ended,
    total: Option<usize>,
    /// The number of the process that runs it.
    process: u32,
}

impl Stream {
    /// Runs on files that were found, which began at `begin`.
    pub fn of_entries(
        py: Python<'_>,
        opening: &Opening,
        (found, clashes): Share,
        begin: Instant,
        reading: &Reading,
        table: Arc<Table>,
        warnings: Warnings,
    ) -> PyResult<Self> {
        let total = found.entries.iter().flatten().all(|file| !file.is_stream()).then_some(found.entries.len());
        if are_few(&found, &clashes, reading) {
            let compute = || {
                let engine = opening.ready(found.atoms_about(), None)?.with_selection(table.selection());
                at_once(&engine, &found, begin, reading, (&table, opening.pool.as_deref()))
            };
            let mut done = detached(py, compute).map_err(RunError::new_err)?;
            done.warn(warnings.take());
            let (receiver, cancel) = (Mutex::new(None), Cancel::default());
            return Ok(Self {
                ready: Some(done),
                receiver,
                cancel,
                thread: None,
                over: Mutex::new(sync_channel(0).1),
                table,
                ended: Ended::default(),
                total,
                process: std::process::id(),
            });
        }
        let (cancel, ignored) = (Cancel::default(), found.ignored.clone());
        let prepare = || opening.ready_for((found, clashes), reading, &cancel);
        let (source, engine) = detached(py, prepare).map_err(RunError::new_err)?;
        let mut stream = Self::begin((engine, opening.pool.clone()), source, cancel, ignored, table, warnings)?;
        stream.total = total;
        Ok(stream)
    }

    /// Runs on the inputs of a Python iterator.
    pub fn of_iterator(
        py: Python<'_>,
        opening: &Arc<Opening>,
        lazy: Lazy,
        reading: Reading,
        table: Arc<Table>,
    ) -> PyResult<Self> {
        let (cancel, ended, warnings) = (Cancel::default(), lazy.ended.clone(), lazy.warnings());
        let engine = detached(py, || opening.ready(0, None)).map_err(RunError::new_err)?;
        let source = lazy.batches(reading, Arc::clone(opening), cancel.clone());
        let mut stream = Self::begin((engine, opening.pool.clone()), source, cancel, Vec::new(), table, warnings)?;
        stream.ended = ended;
        Ok(stream)
    }

    /// Runs on frames of a trajectory.
    pub fn of_frames(
        py: Python<'_>,
        opening: &Opening,
        frames: &Frames,
        most: Option<usize>,
        table: &Arc<Table>,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let prepare = || {
            let of = || frames.batches(most.unwrap_or(usize::MAX), Run::BATCH_ATOMS, &cancel);
            let source = opening.within(of)?;
            let engine = opening.ready(source.atoms(), None)?;
            Ok::<_, String>((source.sized_for(&engine), engine))
        };
        let (source, engine) = detached(py, prepare).map_err(RunError::new_err)?;
        let (total, table) = (source.n_frames(), table.of_frames());
        let mut stream =
            Self::begin((engine, opening.pool.clone()), source, cancel, Vec::new(), table, Warnings::default())?;
        stream.total = Some(total);
        Ok(stream)
    }

    fn begin(
        (engine, pool): (Arc<Engine>, Option<Arc<ThreadPool>>),
        source: impl Iterator<Item = pipeline::Batch> + Send + 'static,
        cancel: Cancel,
        ignored: Vec<(PathBuf, usize)>,
        table: Arc<Table>,
        warnings: Warnings,
    ) -> PyResult<Self> {
        let (send, receiver) = sync_channel(AHEAD);
        let table = table.for_run();
        let (stop, own) = (cancel.clone(), Arc::clone(&table));
        let (not_over, over) = sync_channel(0);
        // Computes only what the table has, in the same memory.
        let engine = engine.with_selection(table.selection());
        let run = move || {
            let _not_over = not_over;
            let mut ignored = Some(ignored);
            let ended = pipeline::run(&engine, source, &stop, |computed| {
                let mut done = Done::of(&own, computed, pool.as_deref());
                if let (Ok(done), Some(ignored)) = (&mut done, ignored.take()) {
                    done.note_ignored(&ignored);
                }
                if let Ok(done) = &mut done {
                    done.warn(warnings.take());
                }
                send.send(done).map_err(|_| Gone)
            });
            if let (true, Some(rows)) = (ended.is_ok(), own.last()) {
                let _ = send.send(rows.map(|rows| Done::of_rows(rows, Vec::new(), Vec::new(), 0)));
            }
            // Of inputs after the last batch.
            let rest = warnings.take();
            if ended.is_ok() && !rest.is_empty() {
                let _ = send.send(Done::empty(&own).map(|mut done| {
                    done.warn(rest);
                    done
                }));
            }
            tell(ended, &send);
        };
        let thread = std::thread::Builder::new().name("prism".to_owned()).spawn(run)?;
        let receiver = Mutex::new(Some(receiver));
        let (thread, ended) = (Some(thread), Ended::default());
        let (over, process) = (Mutex::new(over), std::process::id());
        Ok(Self { ready: None, receiver, cancel, thread, over, table, ended, total: None, process })
    }

    /// Ends the run and waits for that, at most as long as `patience`. An iterator that does not give its next input holds it up.
    ///
    /// # Errors
    /// What a handler of signals raises, such as that of Ctrl-C. The run ends when the iterator goes on.
    fn close(&mut self, py: Python<'_>, patience: Option<Duration>) -> PyResult<()> {
        if self.process != std::process::id() {
            // The run goes on in the parent, which has the threads.
            std::mem::forget((self.thread.take(), std::mem::take(&mut self.receiver)));
            return Ok(());
        }
        self.cancel.cancel();
        // A thread that sends finds no receiver, and ends.
        let receiver = self.receiver.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        detached(py, || drop(receiver));
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let (over, begin) = (&self.over, Instant::now());
        let wait = || over.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE);
        while let Err(RecvTimeoutError::Timeout) = detached(py, wait) {
            if patience.is_some_and(|patience| begin.elapsed() >= patience) {
                return Ok(());
            }
            py.check_signals()?;
        }
        let _ = detached(py, || thread.join());
        Ok(())
    }
}

/// The receiver of batches is gone.
struct Gone;

/// Sends why a run ended early, if it did.
fn tell<T>(ended: Result<T, Stopped<Gone>>, send: &SyncSender<Message>) {
    match ended {
        Ok(_) | Err(Stopped::Cancelled | Stopped::Consumer(Gone)) => {}
        Err(Stopped::Engine(error)) => drop(send.send(Err(error.to_string()))),
        Err(Stopped::Threads(error)) => drop(send.send(Err(format!("no thread could be started: {error}")))),
    }
}

/// Whether inputs are so few that this thread computes them.
fn are_few(found: &Inputs, clashes: &Clashes, reading: &Reading) -> bool {
    let files = || found.entries.iter().flatten();
    reading.lineages.is_none()
        && clashes.is_empty()
        && found.entries.len() <= FEW
        && !files().any(InputFile::is_stream)
        && files().map(|file| file.size).sum::<u64>() <= FEW_BYTES
}

/// Reads and computes all of a few inputs. The search for them began at `begin`.
fn at_once(
    engine: &Engine,
    found: &Inputs,
    begin: Instant,
    reading: &Reading,
    (table, pool): (&Table, Option<&ThreadPool>),
) -> Result<Done, String> {
    let mut batch = pipeline::Batch::default();
    let read = found.entries.iter().flat_map(|entry| match entry {
        Ok(file) => {
            let packed = matches!(file.source, Source::Packed(..));
            file.read_all(&reading.options).into_iter().map(|read| (read, packed)).collect()
        }
        Err(failure) => vec![(Err(failure.clone()), false)],
    });
    for (one, packed) in read {
        batch.readings.push(pipeline::Reading { packed, ..pipeline::Reading::default() });
        batch.outcomes.push(match one {
            Ok(mut read) => {
                reading.annotations.apply(&mut read.structure);
                batch.structures.push(read.structure);
                Outcome::Read { notes: read.notes }
            }
            Err(failure) => Outcome::Failed(failure),
        });
    }
    let read = begin.elapsed();
    let begin = Instant::now();
    let results = engine.run_structures(&batch.structures).map_err(|error| error.to_string())?;
    let (compute, device) = (begin.elapsed(), results.device_times());
    let begin = Instant::now();
    let mut done = Done::of(table, Computed { batch, results }, pool)?;
    done.seconds = Some(Seconds { read, compute, rows: begin.elapsed(), device });
    done.note_ignored(&found.ignored);
    Ok(done)
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.thread.is_none() {
            return;
        }
        // The run's threads may wait for Python's lock, to advance an iterator.
        Python::attach(|py| {
            // Of the caller, whose frame drops this. A handler of signals must not meet it.
            let pending = PyErr::take(py);
            if let Err(error) = self.close(py, None) {
                raise_later(py, error);
            }
            if let Some(pending) = pending {
                pending.restore(py);
            }
        });
    }
}

/// Raises what a handler of signals raised where nothing can be raised: when the main thread, which runs these handlers, goes on.
fn raise_later(py: Python<'_>, error: PyErr) {
    extern "C" fn raise(error: *mut c_void) -> c_int {
        // SAFETY: the pointer is that of the box below, and Python calls this once.
        let error = unsafe { Box::from_raw(error.cast::<PyErr>()) };
        Python::try_attach(|py| error.restore(py)).map_or(0, |()| -1)
    }
    let error = Box::into_raw(Box::new(error));
    // SAFETY: the function takes such a pointer.
    if unsafe { ffi::Py_AddPendingCall(Some(raise), error.cast()) } != 0 {
        // SAFETY: Python has no room for the call, and did not keep the pointer.
        unsafe { Box::from_raw(error) }.write_unraisable(py, None);
    }
}

#[pymethods]
impl Stream {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        if let Some(done) = self.ready.take() {
            return Ok(Some(done.into()));
        }
        process::check(self.process)?;
        loop {
            let received = detached(py, || {
                let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.as_ref().map_or(Err(RecvTimeoutError::Disconnected), |one| one.recv_timeout(PATIENCE))
            });
            match received {
                Ok(Ok(done)) => return Ok(Some(done.into())),
                Ok(Err(error)) => return Err(RunError::new_err(error)),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupted) = py.check_signals() {
                        self.close(py, Some(AFTER_CTRL_C))?;
                        return Err(interrupted);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let panicked = self.thread.take().is_some_and(|thread| detached(py, || thread.join()).is_err());
                    return match (self.ended.take(), panicked) {
                        (Some(error), _) => Err(error),
                        (None, true) => Err(RunError::new_err("the run ended by a panic; its message is above")),
                        (None, false) => Ok(None),
                    };
                }
            }
        }
    }

    /// The only batch, if the calling thread has computed it, as in a small call.
    fn only(&mut self) -> Option<Batch> {
        self.ready.take().map(Batch::from)
    }

    /// A table without rows, with the columns of the batches.
    fn empty(&self) -> PyResult<Batch> {
        Ok(Done::empty(&self.table).map_err(RunError::new_err)?.into())
    }

    /// The number of inputs, if it is known: archives may hold any number.
    #[getter]
    fn total(&self) -> Option<usize> {
        self.total
    }

    /// Ends the run early.
    fn cancel(&mut self, py: Python<'_>) -> PyResult<()> {
        self.close(py, None)
    }
}
