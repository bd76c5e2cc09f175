//! Hands batches to free workers, and goes on without workers that fail.

use super::EngineError;
use super::base_pairs::Candidates;
use super::error::DeviceError;
use super::results::BatchFeatures;
use super::selection::Request;
use super::worker::Worker;
use crate::pack::PackedBatch;
use kernels_gpu::bases::TestedPair;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// After this many workers have failed on a batch, the cores compute it, if there are any: the batch may be at fault.
const FAILURES_OF_A_BATCH: usize = 2;
/// Devices are opened once this many atoms per core were requested or announced: about as much work as the cores do while a device
/// is opened and closed. Smaller runs end before a device would pay, and a program that opens no device exits at once. (All columns: a
/// core computes 330,000 to 600,000 atoms a second. A device takes 0.25 s to open and 0.1 s to close.)
const ATOMS_PER_CORE_BEFORE_DEVICES: usize = 1 << 17;
/// While devices are being opened, cores take chunks of this many atoms per core, and of at least [`LEAST_CHUNK_ATOMS`], so
/// that they soon leave the rest to the device.
const CHUNK_ATOMS_PER_CORE: usize = 1 << 11;
const LEAST_CHUNK_ATOMS: usize = 1 << 14;
/// Cores leave announced work to devices that are ready within this time. Meanwhile they read ahead: reading a structure takes
/// them a tenth of the time of computing it. Devices take less time than this to open, unless the driver has to compile kernels
/// or is cold itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// The workers of an engine. A batch takes a free slot of a worker or waits for one.
#[derive(Debug)]
pub(super) struct Scheduler {
    shared: Arc<Shared>,
    /// Batches of more atoms are likely to run out of memory, because one of this size did.
    fitting_atoms: AtomicUsize,
    asked_atoms: AtomicUsize,
    /// The largest total that was announced.
    announced_atoms: AtomicUsize,
    /// Requested atoms after which devices are opened.
    atoms_before_devices: usize,
    chunk_atoms: usize,
    /// About the slots of devices that are opened later.
    coming_slots: usize,
}

/// Shared with the thread that opens devices.
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

/// Opens devices, which takes a while.
pub(super) type Opener = Box<dyn FnOnce() -> Result<Vec<Box<dyn Worker>>, DeviceError> + Send>;

/// Devices that are not open yet.
enum Devices {
    /// There are none, or they are open.
    None,
    /// Not yet needed.
    Later(Opener),
    /// A thread is opening them. Until then, cores leave the work to them.
    Coming { awaited_until: Option<Instant> },
}

impl std::fmt::Debug for Devices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Later(_) => "Later",
            Self::Coming { .. } => "Coming",
        })
    }
}

/// When a worker gets batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Always.
    Chosen,
    /// When the chosen workers have failed.
    Fallback,
    /// Until devices are open, and beside them if that helps.
    Cores,
}

/// A worker with its slots in use and its measured speed.
#[derive(Debug)]
struct Seat {
    worker: Arc<dyn Worker>,
    role: Role,
    slots: usize,
    free: usize,
    /// A batch waits for all of its slots.
    claimed: bool,
    lost: Option<DeviceError>,
    /// Atoms computed so far, and the time they took.
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

    /// Seconds per atom, once known.
    fn seconds_per_atom(&self) -> Option<f64> {
        (self.atoms > 0).then(|| self.busy.as_secs_f64() / self.atoms as f64)
    }
}

/// A failed device, which gets no further batches.
///
/// ```
/// use prism_engine::LostWorker;
/// use prism_engine::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// for LostWorker { name, reason } in engine.lost() {
///     println!("{name} was left out: {reason}");
/// }
/// assert!(engine.lost().is_empty()); // no device, none that fails
/// # Ok::<(), prism_engine::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostWorker {
    /// The worker's name.
    pub name: String,
    /// Why it was lost.
    pub reason: DeviceError,
}

/// A computed batch.
pub(super) struct Run {
    /// The worker's number.
    pub(super) worker: usize,
    pub(super) features: BatchFeatures,
    /// How long it took.
    pub(super) busy: Duration,
}

/// How a batch shares its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusivity {
    /// Beside others.
    Shared,
    /// Alone on a worker, with all of the worker's memory.
    Alone,
}

impl Scheduler {
    /// # Panics
    /// If there is no worker.
    pub(super) fn new<W: Into<Arc<dyn Worker>>>(all: Vec<W>, fallback: Option<Box<dyn Worker>>) -> Self {
        assert!(!all.is_empty(), "an engine has a worker");
        let chosen = all.into_iter().map(|worker| Seat::new(worker, Role::Chosen));
        let seats = chosen.chain(fallback.map(|worker| Seat::new(worker, Role::Fallback))).collect();
        Self::of(State { seats, devices: Devices::None })
    }

    /// Cores that start at once, and devices with about `coming_slots` slots, which `opener` opens when there is enough work.
    pub(super) fn with_devices_later(cores: Box<dyn Worker>, coming_slots: usize, opener: Opener) -> Self {
        let state = State { seats: vec![Seat::new(cores, Role::Cores)], devices: Devices::Later(opener) };
        Self { coming_slots, ..Self::of(state) }
    }

    fn of(state: State) -> Self {
        let cores = rayon::current_num_threads();
        let (fitting_atoms, asked_atoms) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let announced_atoms = AtomicUsize::new(0);
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let atoms_before_devices = cores.saturating_mul(ATOMS_PER_CORE_BEFORE_DEVICES);
        let chunk_atoms = cores.saturating_mul(CHUNK_ATOMS_PER_CORE).max(LEAST_CHUNK_ATOMS);
        let coming_slots = 0;
        Self { shared, fitting_atoms, asked_atoms, announced_atoms, atoms_before_devices, chunk_atoms, coming_slots }
    }

    /// As above, with limits that a test chooses.
    #[cfg(test)]
    pub(super) fn asking_for_devices(self, after_atoms: usize, chunk_atoms: usize) -> Self {
        Self { atoms_before_devices: after_atoms, chunk_atoms, ..self }
    }

    /// The number of batches that are usefully computed at once. Devices that are not open yet will leave the cores one batch.
    pub(super) fn slots(&self) -> usize {
        let state = self.shared.lock();
        let seats = state.seats.iter().filter(|seat| seat.role != Role::Fallback);
        let slots = seats.map(|seat| seat.worker.slots().max(1)).sum::<usize>();
        if matches!(state.devices, Devices::None) { slots } else { slots.max(self.coming_slots + 1) }
    }

    /// Whether the chosen workers take atoms from where they lie, so that they need not be put side by side before.
    pub(super) fn gathers(&self) -> bool {
        let state = self.shared.lock();
        let mut chosen = state.seats.iter().filter(|seat| seat.role == Role::Chosen && seat.is_left()).peekable();
        chosen.peek().is_some() && chosen.all(|seat| seat.worker.gathers())
    }

    /// The names of the workers that were chosen, without the fallback.
    pub(super) fn chosen_names(&self) -> Vec<String> {
        let state = self.shared.lock();
        let chosen = state.seats.iter().filter(|seat| seat.role == Role::Chosen);
        chosen.map(|seat| seat.worker.name().to_owned()).collect()
    }

    /// The names of all workers so far, by their numbers.
    pub(super) fn names(&self) -> Vec<String> {
        self.shared.lock().seats.iter().map(|seat| seat.worker.name().to_owned()).collect()
    }

    /// The workers that failed.
    pub(super) fn lost(&self) -> Vec<LostWorker> {
        let state = self.shared.lock();
        let lost = state.seats.iter().filter_map(|seat| Some((seat.worker.name().to_owned(), seat.lost.clone()?)));
        lost.map(|(name, reason)| LostWorker { name, reason }).collect()
    }

    /// Adds `atoms` to the requested atoms, and opens devices once the sum is worth it. Meanwhile cores continue, because more
    /// work may not come. Work that was announced soon ends, unless it is twice as much as was announced: a device would come
    /// too late for it.
    pub(super) fn expect(&self, atoms: usize) {
        let all = self.asked_atoms.fetch_add(atoms, Ordering::Relaxed).saturating_add(atoms);
        let announced = self.announced_atoms.load(Ordering::Relaxed);
        if all >= self.atoms_before_devices.max(announced.saturating_mul(2)) {
            self.begin_to_open(None);
        }
    }

    /// Announces that `atoms` atoms will come in all. Opens devices if that is worth it, and leaves the atoms to them if they are
    /// ready soon.
    pub(super) fn announce(&self, atoms: usize) {
        self.announced_atoms.fetch_max(atoms, Ordering::Relaxed);
        if atoms >= self.atoms_before_devices {
            self.begin_to_open(Instant::now().checked_add(PATIENCE));
        }
    }

    fn begin_to_open(&self, awaited_until: Option<Instant>) {
        let mut state = self.shared.lock();
        if !matches!(state.devices, Devices::Later(_)) {
            return;
        }
        let coming = Devices::Coming { awaited_until };
        let Devices::Later(opener) = std::mem::replace(&mut state.devices, coming) else { return };
        drop(state);
        let shared = Arc::clone(&self.shared);
        // Nobody waits for this thread, so a run that ends earlier does not wait for it.
        let begun = thread::Builder::new().name("devices".to_owned()).spawn(move || shared.open(opener));
        if let Err(error) = begun {
            tracing::warn!("computing on the CPU: no thread to make devices ready: {error}");
            self.shared.lock().devices = Devices::None;
        }
    }

    /// A worker that is left and takes atoms from where they lie, if there is one.
    pub(super) fn gathering(&self) -> Option<Arc<dyn Worker>> {
        let state = self.shared.lock();
        let seat = state.seats.iter().find(|seat| seat.is_left() && seat.worker.gathers())?;
        Some(Arc::clone(&seat.worker))
    }

    /// The number of requested or announced atoms after which devices are opened.
    pub(super) fn atoms_for_devices(&self) -> usize {
        self.atoms_before_devices
    }

    /// Whether devices are being opened now.
    pub(super) fn awaits_devices(&self) -> bool {
        matches!(self.shared.lock().devices, Devices::Coming { .. })
    }

    /// Waits for devices to which the work is left. If they are still being opened afterwards, returns the chunk size in atoms.
    /// Otherwise returns `None`: batches stay whole.
    pub(super) fn chunk_atoms(&self) -> Option<usize> {
        let mut state = self.shared.lock();
        while let Devices::Coming { awaited_until } = state.devices {
            let left = awaited_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Some(self.chunk_atoms);
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Whether a batch of `atoms` atoms should be halved before it is tried.
    pub(super) fn is_too_large(&self, atoms: usize) -> bool {
        atoms > self.fitting_atoms.load(Ordering::Relaxed)
    }

    /// Records that memory ran out on a batch of several structures. Later batches are halved beforehand, since running out
    /// gives up all kept buffers.
    pub(super) fn ran_out(&self, atoms: usize) {
        self.fitting_atoms.fetch_min(atoms.div_ceil(2), Ordering::Relaxed);
    }

    /// Computes a batch. If a worker fails, another one computes it.
    ///
    /// # Errors
    /// Errors of the batch itself, and the error of the last worker that failed.
    pub(super) fn run(
        &self,
        batch: &PackedBatch,
        request: &Request,
        exclusivity: Exclusivity,
    ) -> Result<Run, EngineError> {
        let mut failures = 0;
        while let Some(turn) = self.take(exclusivity, failures) {
            let worker = Arc::clone(&turn.worker);
            if exclusivity == Exclusivity::Alone && worker.has_turns() {
                worker.release();
            }
            let begin = Instant::now();
            match worker.run(batch, request) {
                Ok(features) => {
                    let busy = begin.elapsed();
                    self.shared.note(turn.seat, batch.n_atoms(), busy);
                    return Ok(Run { worker: turn.seat, features, busy });
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

    /// Waits for a slot of a worker, or for all of its slots. `None` if every worker is lost.
    fn take(&self, exclusivity: Exclusivity, failures: usize) -> Option<Turn<'_>> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        loop {
            if !state.seats.iter().any(Seat::is_left) {
                return None;
            }
            let Some(seat) = best(&state.seats, failures) else {
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
            // From now on no other batch begins on this worker.
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

    /// Tests pairs of bases on the first worker that is left: they take a device a few milliseconds at most, and wait for no turn.
    pub(super) fn test_pairs(&self, given: &Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> {
        let left = || self.shared.lock().seats.iter().position(Seat::is_left);
        while let Some(seat) = left() {
            let worker = Arc::clone(&self.shared.lock().seats[seat].worker);
            match worker.test_pairs(given) {
                Err(EngineError::Device(error)) if error.is_the_workers() => self.shared.lose(seat, &error),
                tested => return tested,
            }
        }
        Err(EngineError::Device(self.last_reason()))
    }

    fn last_reason(&self) -> DeviceError {
        let lost = self.shared.lock().seats.iter().rev().find_map(|seat| seat.lost.clone());
        lost.unwrap_or_else(|| DeviceError::lost("no worker is left"))
    }
}

/// Finds a free seat for a batch. Devices come first, and among them the one with the largest share of free slots. Of several such, the one
/// that has computed for the shortest time takes it, so that all devices work until the end.
fn best(seats: &[Seat], failures: usize) -> Option<usize> {
    let open = |seat: &Seat| seat.is_left() && !seat.claimed && seat.free > 0;
    let share = |seat: &Seat| seat.free as f64 / seat.slots as f64;
    let freest = |wanted: &dyn Fn(&Seat) -> bool| {
        let open = seats.iter().enumerate().filter(|(_, seat)| open(seat) && wanted(seat));
        let order = |a: &Seat, b: &Seat| share(b).total_cmp(&share(a)).then(a.busy.cmp(&b.busy));
        open.min_by(|(_, a), (_, b)| order(a, b)).map(|(index, _)| index)
    };
    let is_chosen = |seat: &Seat| seat.role == Role::Chosen;
    let others_left = seats.iter().any(|seat| !is_chosen(seat) && seat.is_left());
    let chosen_left = seats.iter().any(|seat| is_chosen(seat) && seat.is_left());
    if !chosen_left || (failures >= FAILURES_OF_A_BATCH && others_left) {
        return freest(&|seat| !is_chosen(seat));
    }
    freest(&is_chosen).or_else(|| freest(&|seat| seat.role == Role::Cores && helps(seats, seat)))
}

/// Whether cores would finish a batch before the devices, which are all busy. A device gives back the first of its slots after a part
/// of the time of a batch, and then takes the time of a batch. Cores that take longer do not help: at the end everything waits for
/// them, and before it they are missing where structures are read and columns encoded.
fn helps(seats: &[Seat], cores: &Seat) -> bool {
    let of_devices = seats.iter().filter(|seat| seat.role == Role::Chosen && seat.is_left());
    let until_done = of_devices.filter_map(|seat| Some(seat.seconds_per_atom()? * (1.0 + 1.0 / seat.slots as f64)));
    match (until_done.min_by(f64::total_cmp), cores.seconds_per_atom()) {
        (Some(device), Some(cores)) => cores <= device,
        _ => false,
    }
}

impl Shared {
    /// Opens devices. From then on they take batches.
    fn open(&self, opener: Opener) {
        let opened = opener();
        let mut state = self.lock();
        state.devices = Devices::None;
        match opened {
            Ok(workers) => state.seats.extend(workers.into_iter().map(|worker| Seat::new(worker, Role::Chosen))),
            Err(error) if error.is_unavailable() => tracing::info!("computing on the CPU: {error}"),
            // There is a device, but it cannot be used.
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

/// Slots of a worker in use. They are returned on drop, also after a panic.
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
