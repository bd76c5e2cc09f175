//! Reads, packs, computes and writes different batches at the same time.
//!
//! ```text
//! source ──> pack ──> compute, in as many slots as the engine has ──> consumer, in the source's order
//! ```
//!
//! At most [`Telemetry::peak_batches`] batches are in memory, whatever the number of structures. A batch takes a permit
//! before it is read and returns it when it is written, so a slow stage makes the earlier stages wait.

mod cancel;
mod files;
mod frames;
mod telemetry;
#[cfg(test)]
mod tests;

pub use cancel::Cancel;
pub use files::{MOST_ATOMS, StructureFiles, batch_atoms};
pub use frames::TrajectoryFrames;
pub use telemetry::{Amount, Stage, Telemetry, WorkerTime, cores_time};

use crate::inputs::InputFailure;
use prism_engine::{BatchResults, Engine, EngineError, Packed, Selection};
use prism_read::structure::StructureInput;
use prism_read::{Note, NoteKind};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use telemetry::Clock;

/// Structures to compute together.
#[derive(Debug, Default)]
pub struct Batch {
    /// The structures that could be read.
    pub structures: Vec<StructureInput>,
    /// All inputs of the batch, in order.
    pub outcomes: Vec<Outcome>,
    /// Number of bytes read for the batch.
    pub bytes: u64,
    /// Measurements of the reading of each outcome; shorter if some were not measured.
    pub readings: Vec<Reading>,
}

/// Measurements of the reading of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Number of models in the structure's file, read or not.
    pub models: usize,
    /// The time of reading. The first structure of a file has the time of the whole file.
    pub time: Duration,
    /// Whether it is from a packed data set, so that its warnings were given when it was packed.
    pub packed: bool,
}

/// The outcome of reading an input.
#[derive(Debug)]
pub enum Outcome {
    /// It is the batch's next structure.
    Read {
        /// Notes: choices that were made, and oddities.
        notes: Vec<Note>,
    },
    /// It could not be read.
    Failed(InputFailure),
    /// Not an input, but notes about an archive of inputs.
    Said {
        /// The name of the archive.
        name: String,
        /// A sentence without the name.
        text: String,
    },
}

/// A batch with the results of its structures.
///
/// ```
/// use prism_io::inputs::InputFailure;
/// use prism_io::pipeline::{Batch, Cancel, Computed, Outcome, run};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
/// use prism_read::StructureInput;
/// use std::convert::Infallible;
///
/// // Three inputs: a valid one, a missing file, and a structure without atoms.
/// let read = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let failure = InputFailure::new("missing.pdb", "no such file".to_owned());
/// let outcomes = vec![
///     Outcome::Read { notes: read.notes },
///     Outcome::Failed(failure),
///     Outcome::Read { notes: Vec::new() },
/// ];
/// let batch = Batch { structures: vec![read.structure, StructureInput::default()], outcomes, ..Batch::default() };
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let telemetry = run(&engine, [batch].into_iter(), &Cancel::default(), |Computed { batch, results }| {
///     let features = results.get(0).expect("the first can be computed");
///     assert_eq!((features.n_residues, features.site_ids.len(), features.summary.residues), (194, 194, 194));
///     assert!(results.get(1).is_err_and(|error| error.structure_index() == Some(1)));
///     // There is a result for each input that was read.
///     let read = batch.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Read { .. }));
///     assert_eq!((read.count(), results.len(), results.iter().len()), (2, 2, 2));
///     Ok::<(), Infallible>(())
/// })
/// .expect("a run that is not stopped");
/// assert_eq!(telemetry.write.amount.structures, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Computed {
    /// The batch.
    pub batch: Batch,
    /// Features or an error for each structure.
    pub results: BatchResults,
}

/// Why a run ended early.
///
/// ```
/// use prism_io::pipeline::{Batch, Cancel, Stopped, run};
/// use prism_engine::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let stopped = run(&engine, [Batch::default()].into_iter(), &Cancel::default(), |_| Err("the disk is full"));
/// assert!(matches!(stopped, Err(Stopped::Consumer("the disk is full"))));
/// # Ok::<(), prism_engine::EngineError>(())
/// ```
#[derive(Debug)]
pub enum Stopped<E> {
    /// It was cancelled.
    Cancelled,
    /// The backend failed, independently of the structures.
    Engine(Box<EngineError>),
    /// A thread could not be started.
    Threads(std::io::Error),
    /// The consumer failed.
    Consumer(E),
}

/// Batches in memory beyond those being packed or computed: one being read, one being written.
const SPARE_BATCHES: usize = 2;
/// Most threads that pack. One thread copies fewer atoms per second than a fast device computes.
const MOST_PACKERS: usize = 4;
/// Computing threads per packing thread.
const THREADS_PER_PACKER: usize = 4;

fn packers() -> usize {
    (rayon::current_num_threads() / THREADS_PER_PACKER).clamp(1, MOST_PACKERS)
}

/// Computes all batches of a source and passes them to `consume` on this thread, in the source's order. Source, packing and
/// computation have their own threads.
///
/// # Errors
/// The errors of `consume`, errors that stop the engine, and [`Stopped::Cancelled`]. Nothing is consumed after an error.
pub fn run<E>(
    engine: &Engine,
    source: impl Iterator<Item = Batch> + Send,
    cancel: &Cancel,
    mut consume: impl FnMut(Computed) -> Result<(), E>,
) -> Result<Telemetry, Stopped<E>> {
    let (begin, cores_before) = (Instant::now(), cores_time());
    let slots = engine.slots();
    let in_flight = InFlight::default();
    let packers = packers();
    let (take_permit, give_permit) = sync_channel::<()>(slots + packers + SPARE_BATCHES);
    let (read_batch, batches) = sync_channel(1);
    let (pack_batch, packed) = sync_channel(1);
    let (finish_batch, computed) = sync_channel(slots);
    // Dropped with the last receiving thread: senders then get an error.
    let (batches, packed) = (Arc::new(Mutex::new(batches)), Arc::new(Mutex::new(packed)));
    std::thread::scope(|scope| {
        let in_flight = &in_flight;
        let reader = begun(scope, "read", move || read(source, cancel, in_flight, &take_permit, &read_batch))
            .map_err(Stopped::Threads)?;
        let packer = |_| {
            let (batches, pack_batch, alarm) = (Arc::clone(&batches), pack_batch.clone(), Alarm(finish_batch.clone()));
            begun(scope, "pack", move || pack(engine, &batches, &pack_batch, alarm))
        };
        let packers = (0..packers).map(packer).collect::<Result<Vec<_>, _>>().map_err(Stopped::Threads)?;
        let slot = |_| {
            let (packed, finish_batch) = (Arc::clone(&packed), Alarm(finish_batch.clone()));
            begun(scope, "compute", move || compute(engine, cancel, &packed, &finish_batch))
        };
        let computers = (0..slots).map(slot).collect::<Result<Vec<_>, _>>().map_err(Stopped::Threads)?;
        drop((batches, pack_batch, packed, finish_batch));
        // These ends are dropped on return, and the other threads end.
        let (computed, give_permit) = (computed, give_permit);
        let mut writer = Clock::new();
        let mut telemetry = Telemetry::new(engine.worker_names());
        let mut early = BTreeMap::new();
        let mut next = 0;
        while let Ok((index, result)) = writer.waiting(|| computed.recv()) {
            early.insert(if result.is_some() { index } else { next }, result);
            while let Some(result) = early.remove(&next) {
                if cancel.is_cancelled() {
                    return Err(Stopped::Cancelled);
                }
                // `None` if the run was cancelled, or a thread panicked; the scope's end resumes the panic in this thread.
                let one: Computed =
                    result.ok_or(Stopped::Cancelled)?.map_err(|error| Stopped::Engine(Box::new(error)))?;
                telemetry.count(&one.results, engine);
                telemetry.reading += one.batch.readings.iter().map(|reading| reading.time).sum::<Duration>();
                let amount = Amount::of_results(&one);
                writer.busy(amount, || consume(one)).map_err(Stopped::Consumer)?;
                in_flight.leave();
                next += 1;
                let _ = give_permit.recv();
            }
        }
        drop((computed, give_permit));
        let (reader, total) = joined(reader);
        if total != Some(next) {
            // A source or worker ends early only for this reason.
            return Err(Stopped::Cancelled);
        }
        telemetry.read = reader;
        telemetry.pack = packers.into_iter().map(joined).sum();
        telemetry.compute = computers.into_iter().map(joined).sum();
        telemetry.write = writer.stage();
        telemetry.wall = begin.elapsed();
        telemetry.cores = cores_time().saturating_sub(cores_before);
        telemetry.peak_batches = in_flight.most.load(Ordering::Relaxed);
        Ok(telemetry)
    })
}

/// A batch's number and result; `None` if a thread panicked or the run was cancelled.
type Numbered = (usize, Option<Result<Computed, EngineError>>);
type ToCompute = (usize, Batch, Packed);

/// Counts the batches in memory.
#[derive(Default)]
struct InFlight {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl InFlight {
    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the number of batches of the source if it reached its end.
fn read(
    source: impl Iterator<Item = Batch>,
    cancel: &Cancel,
    in_flight: &InFlight,
    take_permit: &SyncSender<()>,
    read_batch: &SyncSender<(usize, Batch)>,
) -> (Stage, Option<usize>) {
    let mut clock = Clock::new();
    let mut batches = source.enumerate();
    let mut total = 0;
    while !cancel.is_cancelled() && clock.blocked(|| take_permit.send(()).is_ok()) {
        let Some((index, batch)) =
            clock.measured(|| batches.next(), |batch| batch.as_ref().map(|(_, b)| Amount::of_batch(b)))
        else {
            let complete = !cancel.is_cancelled();
            return (clock.stage(), complete.then_some(total));
        };
        in_flight.enter();
        total += 1;
        if !clock.blocked(|| read_batch.send((index, batch)).is_ok()) {
            break;
        }
    }
    (clock.stage(), None)
}

/// Tells the consumer when its thread panics. Without it, the consumer would wait forever for the lost batch.
struct Alarm(SyncSender<Numbered>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send((0, None));
        }
    }
}

fn pack(
    engine: &Engine,
    batches: &Mutex<Receiver<(usize, Batch)>>,
    pack_batch: &SyncSender<ToCompute>,
    _alarm: Alarm,
) -> Stage {
    let mut clock = Clock::new();
    while let Ok((index, batch)) = clock.waiting(|| next_of(batches)) {
        let packed = clock.measured(|| engine.pack(&batch.structures), |packed| packed.batch().map(Amount::of_packed));
        if !clock.blocked(|| pack_batch.send((index, batch, packed)).is_ok()) {
            break;
        }
    }
    clock.stage()
}

fn compute(
    engine: &Engine,
    cancel: &Cancel,
    packed: &Mutex<Receiver<ToCompute>>,
    Alarm(finish_batch): &Alarm,
) -> Stage {
    let mut clock = Clock::new();
    while let Ok((index, mut batch, packed)) = clock.waiting(|| next_of(packed)) {
        if cancel.is_cancelled() {
            // The batch is no longer needed, but the source may be waiting for its permit.
            let _ = finish_batch.send((index, None));
            break;
        }
        note_large_wcn(&mut batch, engine.selection());
        let work = || {
            let results = engine.run_packed(&batch.structures, packed);
            results.map(|results| Computed { batch, results })
        };
        let result = clock.measured(work, |result| result.as_ref().ok().map(Amount::of_results));
        if !clock.blocked(|| finish_batch.send((index, Some(result))).is_ok()) {
            break;
        }
    }
    clock.stage()
}

/// Adds a note to structures that are too large for `wcn`.
fn note_large_wcn(batch: &mut Batch, selection: &Selection) {
    let read = batch.outcomes.iter_mut().filter_map(|outcome| match outcome {
        Outcome::Read { notes } => Some(notes),
        _ => None,
    });
    for (notes, structure) in read.zip(&batch.structures) {
        let residues = structure.n_residues();
        if selection.leaves_out_wcn(residues) {
            let text = format!(
                "wcn is left out, as its cost grows with the square of {residues} residues (--columns wcn computes it)"
            );
            notes.push(Note { kind: NoteKind::LargeWcn, text });
        }
    }
}

/// Receives the next value from a receiver shared by several threads.
fn next_of<T>(receiver: &Mutex<Receiver<T>>) -> Result<T, RecvError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv()
}

/// Starts a thread, or returns why it could not be started.
fn begun<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().name(name.to_owned()).spawn_scoped(scope, work)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
