//! Any number of workers that take batches as they are free, and go on without those that fail.

use super::EngineError;
use super::error::DeviceError;
use super::selection::Request;
use super::worker::{Computation, Worker};
use crate::pack::PackedBatch;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// After so many workers that failed on it, no further one is risked on a batch where something else can compute it.
const FAILURES_OF_A_BATCH: usize = 2;
/// Devices are made ready once so many atoms for each core were asked for or announced, which take cores about 0.4 s: fewer are
/// computed before a device would be ready and would have done some of them, and a program that does not touch a device ends
/// at once. (All columns: 115,000 atoms a second on a core. A device is ready after 0.25 s, and takes 0.1 s to be closed.)
const ATOMS_PER_CORE_BEFORE_DEVICES: usize = 3 << 14;
/// Atoms of a chunk that cores take while a device is being made ready, for each core, and at least. So they are soon
/// free to leave the rest to the device.
const CHUNK_ATOMS_PER_CORE: usize = 1 << 11;
const LEAST_CHUNK_ATOMS: usize = 1 << 14;
/// Beside devices, cores take a batch if they need at most so many times the device's time for it.
const SLOWER_THAN_DEVICES: f64 = 4.0;

/// The workers of an engine. Whoever has a batch takes a free slot of one, or waits for it.
#[derive(Debug)]
pub(super) struct Scheduler {
    shared: Arc<Shared>,
    /// Atoms of a batch beyond which memory is likely to run out, as it has before.
    fitting_atoms: AtomicUsize,
    asked_atoms: AtomicUsize,
    /// Atoms that are asked for before devices are.
    atoms_before_devices: usize,
    chunk_atoms: usize,
}

/// What a thread that makes devices ready needs, too.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    seats: Vec<Seat>,
    devices: Devices,
}

/// Opens devices: takes a while.
pub(super) type Opener = Box<dyn FnOnce() -> Result<Vec<Box<dyn Worker>>, DeviceError> + Send>;

/// Devices that the engine has not yet.
enum Devices {
    /// They are not to be had, or are there.
    None,
    /// Not yet needed.
    Later(Opener),
    /// Being made ready, in a thread of their own.
    Coming,
}

impl std::fmt::Debug for Devices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Later(_) => "Later",
            Self::Coming => "Coming",
        })
    }
}

/// When a worker is given batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Always.
    Chosen,
    /// Where those that were chosen no longer can.
    Fallback,
    /// As long as there is no device, and beside devices where that helps.
    Cores,
}

/// How much of a worker is taken.
#[derive(Debug)]
struct Seat {
    worker: Arc<dyn Worker>,
    role: Role,
    slots: usize,
    free: usize,
    /// Somebody waits for all of its slots.
    claimed: bool,
    lost: Option<DeviceError>,
    /// What it has computed, and in which time.
    atoms: usize,
    busy: Duration,
}

impl Seat {
    fn new(worker: impl Into<Arc<dyn Worker>>, role: Role) -> Self {
        let worker = worker.into();
        let slots = if worker.has_turns() { worker.slots().max(1) } else { usize::MAX };
        let (atoms, busy) = (0, Duration::ZERO);
        Self { worker, role, slots, free: slots, claimed: false, lost: None, atoms, busy }
    }

    fn is_left(&self) -> bool {
        self.lost.is_none()
    }

    /// Seconds that a batch takes for an atom, once that is known.
    fn seconds_per_atom(&self) -> Option<f64> {
        (self.atoms > 0).then(|| self.busy.as_secs_f64() / self.atoms as f64)
    }
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
    pub reason: DeviceError,
}

/// A batch that was computed.
pub(super) struct Run {
    /// The worker's number.
    pub(super) worker: usize,
    pub(super) computation: Computation,
    /// How long it took.
    pub(super) busy: Duration,
}

/// How a batch wants to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusivity {
    /// Beside others.
    Shared,
    /// By a worker that does nothing else meanwhile, with all the memory that it has.
    Alone,
}

impl Scheduler {
    /// # Panics
    /// Where there is no worker.
    pub(super) fn new<W: Into<Arc<dyn Worker>>>(all: Vec<W>, fallback: Option<Box<dyn Worker>>) -> Self {
        assert!(!all.is_empty(), "an engine has a worker");
        let chosen = all.into_iter().map(|worker| Seat::new(worker, Role::Chosen));
        let seats = chosen.chain(fallback.map(|worker| Seat::new(worker, Role::Fallback))).collect();
        Self::of(State { seats, devices: Devices::None })
    }

    /// Cores, which begin at once, and devices, which `opener` opens when enough work is there.
    pub(super) fn with_devices_later(cores: Box<dyn Worker>, opener: Opener) -> Self {
        Self::of(State { seats: vec![Seat::new(cores, Role::Cores)], devices: Devices::Later(opener) })
    }

    fn of(state: State) -> Self {
        let cores = rayon::current_num_threads();
        let (fitting_atoms, asked_atoms) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let atoms_before_devices = cores.saturating_mul(ATOMS_PER_CORE_BEFORE_DEVICES);
        let chunk_atoms = cores.saturating_mul(CHUNK_ATOMS_PER_CORE).max(LEAST_CHUNK_ATOMS);
        Self { shared, fitting_atoms, asked_atoms, atoms_before_devices, chunk_atoms }
    }

    /// With limits that a test has chosen.
    #[cfg(test)]
    pub(super) fn asking_for_devices(self, after_atoms: usize, chunk_atoms: usize) -> Self {
        Self { atoms_before_devices: after_atoms, chunk_atoms, ..self }
    }

    /// How many batches are computed at once with profit.
    pub(super) fn slots(&self) -> usize {
        /// Of the devices that are still to come.
        const OF_DEVICES: usize = 2;
        let state = self.shared.lock();
        let seats = state.seats.iter().filter(|seat| seat.role != Role::Fallback);
        let coming = if matches!(state.devices, Devices::None) { 0 } else { OF_DEVICES };
        seats.map(|seat| seat.worker.slots().max(1)).sum::<usize>() + coming
    }

    /// The names of the workers that were chosen, without the fallback.
    pub(super) fn chosen_names(&self) -> Vec<String> {
        let state = self.shared.lock();
        let chosen = state.seats.iter().filter(|seat| seat.role == Role::Chosen);
        chosen.map(|seat| seat.worker.name().to_owned()).collect()
    }

    /// The names of the workers that there are so far, by their numbers.
    pub(super) fn names(&self) -> Vec<String> {
        self.shared.lock().seats.iter().map(|seat| seat.worker.name().to_owned()).collect()
    }

    /// Those that failed.
    pub(super) fn lost(&self) -> Vec<LostWorker> {
        let state = self.shared.lock();
        let lost = state.seats.iter().filter_map(|seat| Some((seat.worker.name().to_owned(), seat.lost.clone()?)));
        lost.map(|(name, reason)| LostWorker { name, reason }).collect()
    }

    /// So many atoms are to be computed now; where that is worth it with those before, devices are made ready from now on.
    pub(super) fn expect(&self, atoms: usize) {
        let all = self.asked_atoms.fetch_add(atoms, Ordering::Relaxed).saturating_add(atoms);
        self.announce(all);
    }

    /// So many atoms are to come in all; where that is worth it, devices are made ready from now on.
    pub(super) fn announce(&self, atoms: usize) {
        if atoms < self.atoms_before_devices {
            return;
        }
        let mut state = self.shared.lock();
        if !matches!(state.devices, Devices::Later(_)) {
            return;
        }
        let Devices::Later(opener) = std::mem::replace(&mut state.devices, Devices::Coming) else { return };
        drop(state);
        let shared = Arc::clone(&self.shared);
        // Nobody waits for it: a run that is over before ends without it.
        let begun = thread::Builder::new().name("devices".to_owned()).spawn(move || shared.open(opener));
        if let Err(error) = begun {
            tracing::warn!("computing on the CPU: no thread to make devices ready: {error}");
            self.shared.lock().devices = Devices::None;
        }
    }

    /// Atoms of a chunk into which a batch is better cut before it is computed, where it is.
    pub(super) fn chunk_atoms(&self) -> Option<usize> {
        let coming = matches!(self.shared.lock().devices, Devices::Coming);
        coming.then_some(self.chunk_atoms)
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
    pub(super) fn run(
        &self,
        batch: &PackedBatch,
        request: &Request,
        exclusivity: Exclusivity,
    ) -> Result<Run, EngineError> {
        let mut failures = 0;
        while let Some(turn) = self.take(exclusivity, failures, batch.n_atoms()) {
            let worker = Arc::clone(&turn.worker);
            if exclusivity == Exclusivity::Alone && worker.has_turns() {
                worker.release();
            }
            let begin = Instant::now();
            match worker.run(batch, request) {
                Ok(computation) => {
                    let busy = begin.elapsed();
                    self.shared.note(turn.seat, batch.n_atoms(), busy);
                    return Ok(Run { worker: turn.seat, computation, busy });
                }
                Err(EngineError::Device(error)) if error.is_the_workers() => {
                    self.shared.lose(turn.seat, &error);
                    failures += 1;
                }
                Err(error) => return Err(error),
            }
        }
        Err(EngineError::Device(self.last_reason()))
    }

    /// Takes a slot, or all of a worker's; waits for one. `None`: every worker is lost.
    fn take(&self, exclusivity: Exclusivity, failures: usize, atoms: usize) -> Option<Turn<'_>> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        loop {
            if !state.seats.iter().any(Seat::is_left) {
                return None;
            }
            let Some(seat) = best(&state.seats, failures, atoms) else {
                state = shared.wait(state);
                continue;
            };
            let worker = Arc::clone(&state.seats[seat].worker);
            if state.seats[seat].slots == usize::MAX {
                return Some(Turn { shared, worker, seat, slots: 0 });
            }
            if exclusivity == Exclusivity::Shared {
                state.seats[seat].free -= 1;
                return Some(Turn { shared, worker, seat, slots: 1 });
            }
            // From now on nobody else begins here.
            state.seats[seat].claimed = true;
            while state.seats[seat].free < state.seats[seat].slots && state.seats[seat].is_left() {
                state = shared.wait(state);
            }
            let taken = &mut state.seats[seat];
            taken.claimed = false;
            if taken.is_left() {
                taken.free = 0;
                let slots = taken.slots;
                return Some(Turn { shared, worker, seat, slots });
            }
            shared.changed.notify_all();
        }
    }

    fn last_reason(&self) -> DeviceError {
        let lost = self.shared.lock().seats.iter().rev().find_map(|seat| seat.lost.clone());
        lost.unwrap_or_else(|| DeviceError::lost("no worker is left"))
    }
}

/// The seat that a batch is to take, if one is free: a device where there is one, of those the one of which most is free,
/// so that batches spread over all.
fn best(seats: &[Seat], failures: usize, atoms: usize) -> Option<usize> {
    let open = |seat: &Seat| seat.is_left() && !seat.claimed && seat.free > 0;
    let share = |seat: &Seat| seat.free as f64 / seat.slots as f64;
    let freest = |wanted: &dyn Fn(&Seat) -> bool| {
        let open = seats.iter().enumerate().filter(|(_, seat)| open(seat) && wanted(seat));
        open.min_by(|a, b| share(b.1).total_cmp(&share(a.1))).map(|(index, _)| index)
    };
    let is_chosen = |seat: &Seat| seat.role == Role::Chosen;
    let others_left = seats.iter().any(|seat| !is_chosen(seat) && seat.is_left());
    let chosen_left = seats.iter().any(|seat| is_chosen(seat) && seat.is_left());
    if !chosen_left || (failures >= FAILURES_OF_A_BATCH && others_left) {
        return freest(&|seat| !is_chosen(seat));
    }
    freest(&is_chosen).or_else(|| freest(&|seat| seat.role == Role::Cores && helps(seats, seat, atoms)))
}

/// Whether cores are done with a batch about as soon as devices, all of which are busy.
fn helps(seats: &[Seat], cores: &Seat, atoms: usize) -> bool {
    let of_devices = seats.iter().filter(|seat| seat.role == Role::Chosen && seat.is_left());
    let fastest = of_devices.filter_map(Seat::seconds_per_atom).min_by(f64::total_cmp);
    match (fastest, cores.seconds_per_atom()) {
        (Some(device), Some(cores)) => atoms as f64 * cores <= SLOWER_THAN_DEVICES * atoms as f64 * device,
        _ => false,
    }
}

impl Shared {
    /// Opens devices, which take batches from then on.
    fn open(&self, opener: Opener) {
        let opened = opener();
        let mut state = self.lock();
        state.devices = Devices::None;
        match opened {
            Ok(workers) => state.seats.extend(workers.into_iter().map(|worker| Seat::new(worker, Role::Chosen))),
            Err(error) if error.is_unavailable() => tracing::info!("computing on the CPU: {error}"),
            // There is a device, and it should have worked.
            Err(error) => tracing::warn!("computing on the CPU: {error}"),
        }
        drop(state);
        self.changed.notify_all();
    }

    fn note(&self, seat: usize, atoms: usize, busy: Duration) {
        let seat = &mut self.lock().seats[seat];
        seat.atoms = seat.atoms.saturating_add(atoms);
        seat.busy += busy;
    }

    fn lose(&self, seat: usize, error: &DeviceError) {
        let seat = &mut self.lock().seats[seat];
        if seat.lost.is_none() {
            tracing::warn!("{} failed and is left out from now on: {error}", seat.worker.name());
            seat.lost = Some(error.clone());
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Slots of a worker in use; they go back whatever happens.
struct Turn<'a> {
    shared: &'a Shared,
    worker: Arc<dyn Worker>,
    seat: usize,
    slots: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.slots > 0 {
            self.shared.lock().seats[self.seat].free += self.slots;
            self.shared.changed.notify_all();
        }
    }
}
