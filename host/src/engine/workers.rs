//! Any number of workers that take batches as they are free, and go on without those that fail.

use super::EngineError;
use super::selection::Request;
use super::worker::{Computation, Worker};
use crate::pack::PackedBatch;
use cuda_host::CudaError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After so many workers that failed on it, no further one is risked on a batch where something else can compute it.
const FAILURES_OF_A_BATCH: usize = 2;

/// The workers of an engine. Whoever has a batch takes a free lane of one, or waits for it.
#[derive(Debug)]
pub(super) struct Workers {
    all: Vec<Box<dyn Worker>>,
    /// Computes what the others no longer can; beside those that are counted.
    fallback: Option<Box<dyn Worker>>,
    seats: Mutex<Vec<Seat>>,
    changed: Condvar,
    /// Atoms of a batch beyond which memory is likely to run out, as it has before.
    fitting_atoms: AtomicUsize,
}

/// How much of a worker is taken.
#[derive(Debug)]
struct Seat {
    lanes: usize,
    free: usize,
    /// Somebody waits for all of its lanes.
    claimed: bool,
    lost: Option<CudaError>,
}

/// A device that failed and was left out from then on.
///
/// ```
/// use prism_host::engine::LostWorker;
/// use prism_host::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// for LostWorker { name, reason } in engine.lost() {
///     println!("{name} was left out: {reason}");
/// }
/// assert!(engine.lost().is_empty()); // no device, none that fails
/// # Ok::<(), prism_host::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostWorker {
    /// What it is called.
    pub name: String,
    /// Why.
    pub reason: CudaError,
}

/// A batch that was computed.
pub(super) struct Run {
    /// The worker's number; that of the fallback comes after all others.
    pub(super) worker: usize,
    pub(super) computation: Computation,
    /// How long it took.
    pub(super) busy: Duration,
}

/// How a batch wants to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Beside others.
    Others,
    /// By a worker that does nothing else meanwhile, with all the memory that it has.
    Alone,
}

impl Workers {
    /// # Panics
    /// Where there is no worker.
    pub(super) fn new(all: Vec<Box<dyn Worker>>, fallback: Option<Box<dyn Worker>>) -> Self {
        assert!(!all.is_empty(), "an engine has a worker");
        let seat = |worker: &dyn Worker| {
            let lanes = if worker.has_turns() { worker.lanes().max(1) } else { usize::MAX };
            Seat { lanes, free: lanes, claimed: false, lost: None }
        };
        let seats = Mutex::new(all.iter().map(|worker| seat(&**worker)).collect());
        Self { all, fallback, seats, changed: Condvar::new(), fitting_atoms: AtomicUsize::new(usize::MAX) }
    }

    /// How many batches are computed at once with profit.
    pub(super) fn lanes(&self) -> usize {
        self.all.iter().map(|worker| worker.lanes().max(1)).sum()
    }

    /// The names of the workers that were chosen, without the fallback.
    pub(super) fn chosen_names(&self) -> Vec<String> {
        self.all.iter().map(|worker| worker.name().to_owned()).collect()
    }

    /// The workers' names, the fallback's last.
    pub(super) fn names(&self) -> Vec<String> {
        self.all.iter().chain(&self.fallback).map(|worker| worker.name().to_owned()).collect()
    }

    /// Those that failed.
    pub(super) fn lost(&self) -> Vec<LostWorker> {
        let seats = self.lock();
        let both = self.all.iter().zip(seats.iter());
        let lost = both.filter_map(|(worker, seat)| Some((worker.name().to_owned(), seat.lost.clone()?)));
        lost.map(|(name, reason)| LostWorker { name, reason }).collect()
    }

    /// Whether a batch of so many structures is better halved before it is tried.
    pub(super) fn is_too_large(&self, atoms: usize) -> bool {
        atoms > self.fitting_atoms.load(Ordering::Relaxed)
    }

    /// Memory ran out on a batch of several structures; later ones are to be smaller from the beginning, since running
    /// out costs every buffer that was kept.
    pub(super) fn ran_out(&self, atoms: usize) {
        self.fitting_atoms.fetch_min(atoms.div_ceil(2), Ordering::Relaxed);
    }

    /// Computes a batch; where a worker fails, another does.
    ///
    /// # Errors
    /// What is the batch's own, and what the last worker failed with.
    pub(super) fn run(&self, batch: &PackedBatch, request: &Request, company: Company) -> Result<Run, EngineError> {
        let mut failures = 0;
        while let Some(turn) = self.take(company) {
            let worker = &*self.all[turn.worker];
            if company == Company::Alone && worker.has_turns() {
                worker.release();
            }
            let begin = Instant::now();
            match worker.run(batch, request) {
                Ok(computation) => return Ok(Run { worker: turn.worker, computation, busy: begin.elapsed() }),
                Err(EngineError::Cuda(error)) if is_the_workers(&error) => {
                    self.lose(turn.worker, &error);
                    failures += 1;
                    if failures >= FAILURES_OF_A_BATCH && self.fallback.is_some() {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        match &self.fallback {
            Some(worker) => {
                let begin = Instant::now();
                let computation = worker.run(batch, request)?;
                Ok(Run { worker: self.all.len(), computation, busy: begin.elapsed() })
            }
            None => Err(EngineError::Cuda(self.last_reason())),
        }
    }

    /// Takes a lane, or all of a worker's; waits for one. `None`: every worker is lost.
    fn take(&self, company: Company) -> Option<Turn<'_>> {
        let mut seats = self.lock();
        loop {
            let left = |seat: &Seat| seat.lost.is_none();
            if !seats.iter().any(left) {
                return None;
            }
            // The one of which most is free, so that batches spread over all.
            let open = |(_, seat): &(usize, &mut Seat)| left(seat) && !seat.claimed && seat.free > 0;
            let share = |seat: &Seat| seat.free as f64 / seat.lanes as f64;
            let best = seats.iter_mut().enumerate().filter(open).min_by(|a, b| share(b.1).total_cmp(&share(a.1)));
            match (best, company) {
                (Some((worker, seat)), _) if seat.lanes == usize::MAX => {
                    return Some(Turn { workers: self, worker, lanes: 0 });
                }
                (Some((worker, seat)), Company::Others) => {
                    seat.free -= 1;
                    return Some(Turn { workers: self, worker, lanes: 1 });
                }
                (Some((worker, seat)), Company::Alone) => {
                    // From now on nobody else begins here.
                    seat.claimed = true;
                    while seats[worker].free < seats[worker].lanes && left(&seats[worker]) {
                        seats = self.wait(seats);
                    }
                    let seat = &mut seats[worker];
                    seat.claimed = false;
                    if left(seat) {
                        seat.free = 0;
                        return Some(Turn { workers: self, worker, lanes: seat.lanes });
                    }
                    self.changed.notify_all();
                }
                (None, _) => seats = self.wait(seats),
            }
        }
    }

    fn lose(&self, worker: usize, error: &CudaError) {
        let seat = &mut self.lock()[worker];
        if seat.lost.is_none() {
            tracing::warn!("{} failed and is left out from now on: {error}", self.all[worker].name());
            seat.lost = Some(error.clone());
            self.changed.notify_all();
        }
    }

    fn last_reason(&self) -> CudaError {
        self.lock().iter().rev().find_map(|seat| seat.lost.clone()).unwrap_or(CudaError::NoLibrary)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, seats: MutexGuard<'a, Vec<Seat>>) -> MutexGuard<'a, Vec<Seat>> {
        self.changed.wait(seats).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the driver itself failed, after which a device is not to be relied on; all else is the batch's or the
/// program's, and would be the same on any device.
fn is_the_workers(error: &CudaError) -> bool {
    matches!(error, CudaError::Driver { .. } | CudaError::NoDevice { .. } | CudaError::NoSuchDevice { .. })
}

/// Lanes of a worker in use; they go back whatever happens.
struct Turn<'a> {
    workers: &'a Workers,
    worker: usize,
    lanes: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.lanes > 0 {
            self.workers.lock()[self.worker].free += self.lanes;
            self.workers.changed.notify_all();
        }
    }
}
