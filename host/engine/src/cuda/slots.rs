//! A batch goes through a device in chunks. While one is computed, the next is copied to the device and the previous one is
//! copied back.

use super::batch::{DeviceBatch, Values};
use super::engine_error;
use super::locked::LockedRooms;
use super::memory::DeviceMemory;
use super::staging::Staging;
use crate::pack::{BatchChunk, PackedBatch};
use crate::results::{BatchFeatures, ResultPool, ResultSizes, ResultsMut};
use crate::rooms::AtomRoom;
use crate::selection::Request;
use crate::threads::at_once;
use crate::worker::DeviceTimes;
use crate::{Candidates, EngineError, Largest, PairWorkspace};
use cuda_host::{Context, CudaError, CudaExecutor, Event, GpuBufferPool, PoolStatistics, Stream};
use kernels_gpu::bases::TestedPair;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Copies at a time for which pages are locked beforehand: one to the device, one from it. More of them lock more when they need it.
const COPIES: usize = 2;

/// A thread waits asleep for the kernels of a batch of so many atoms, and leaves its core to others: they take a millisecond or more.
const ASLEEP_ATOMS: usize = 1 << 18;

/// Options for batches on a device.
///
/// ```
/// use prism_engine::SlotOptions;
///
/// // Each small batch as one chunk.
/// let options = SlotOptions { chunks: 1, ..SlotOptions::default() };
/// assert_eq!((options.slots, options.chunk_atoms, options.page_locked), (3, 2_097_152, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotOptions {
    /// The number of streams with buffers of their own, at least 1.
    pub slots: usize,
    /// At most this many chunks per batch. More chunks shorten the copies before the first kernel and after the last one,
    /// but smaller chunks keep the device less busy.
    pub chunks: usize,
    /// The least number of atoms in a chunk.
    pub chunk_atoms: usize,
    /// The number of chunks whose kernels run at a time, at least 1: the last blocks of one leave room for the next.
    pub at_once: usize,
    /// Whether copies go through page-locked memory.
    pub page_locked: bool,
}

impl Default for SlotOptions {
    /// Three slots, up to ten chunks of two million atoms or so, two of them computed at a time, page-locked memory.
    fn default() -> Self {
        Self { slots: 3, chunks: 10, chunk_atoms: 1 << 21, at_once: 2, page_locked: true }
    }
}

/// Allocations so far. In a steady state they stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotStatistics {
    /// On the device.
    pub device: PoolStatistics,
    /// Page-locked memory of the host, if it is used.
    pub page_locked: Option<PoolStatistics>,
    /// The number of allocations for results from the system.
    pub results: u64,
}

/// Computes batches on one device, several chunks at once. Threads may share it and take turns.
///
/// All slots take memory from one pool and keep it. Chunks of different sizes follow each other in a slot, so a batch allocates
/// nothing once two batches as large have been computed.
///
/// ```no_run
/// use cuda_host::CudaExecutor;
/// use prism_engine::PackedBatch;
/// use prism_engine::{DeviceSlots, SlotOptions};
/// use prism_read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let (batch, config) = (PackedBatch::from_inputs(vec![&rbd; 1000])?, MegaFusedConfig::default());
/// let executor = CudaExecutor::open(0, "kernels", prism_engine::kernel_image())?;
/// let slots = DeviceSlots::new(&executor, SlotOptions { chunk_atoms: 1 << 18, ..SlotOptions::default() })?;
/// slots.run(&batch, config)?;
/// let (features, times) = slots.run(&batch, config)?;
/// println!("{} rows, {:?} in kernels", features.n_residues(), times.kernels);
/// drop(features);
///
/// // Another run of the same batch allocates nothing.
/// let before = slots.statistics();
/// slots.run(&batch, config)?;
/// assert_eq!(slots.statistics().device.allocations, before.device.allocations);
/// assert_eq!(slots.statistics().results, before.results);
/// slots.release();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests of `fused_gpu` run it on a device (`chunks`), those of `engine_gpu` on a simulated driver (`slots`).
#[derive(Debug)]
pub struct DeviceSlots {
    options: SlotOptions,
    pool: GpuBufferPool,
    staging: Option<Staging>,
    /// For atoms, if copies go through page-locked memory.
    rooms: Option<LockedRooms>,
    results: ResultPool,
    slots: Vec<Mutex<Slot>>,
    /// The slot to wait for when all are busy.
    next: AtomicUsize,
    turns: Turns,
}

/// One copy in each direction runs at a time for the chunks of a batch, and the kernels of some chunks, so chunks finish in order. If
/// all were computed side by side, they would finish together and leave the device idle while their results are copied. Nobody waits
/// for the order of whole batches, so they are copied side by side.
#[derive(Debug, Default)]
struct Turns {
    to_device: Mutex<()>,
    from_device: Mutex<()>,
    /// The events that end the kernels of the last chunks, as many as are computed at a time.
    launched: Mutex<VecDeque<Arc<Event>>>,
    at_once: usize,
}

/// A stream with buffers of its own.
#[derive(Debug)]
struct Slot {
    executor: CudaExecutor,
    memory: DeviceMemory,
    buffers: Option<DeviceBatch>,
    moments: Moments,
}

/// A chunk, and the destination of its results.
struct Job<'a> {
    chunk: BatchChunk<'a>,
    to: ResultsMut<'a>,
    /// Whether the chunk is the whole batch.
    is_whole: bool,
}

/// The times of a chunk, and its values if they stay on the device.
type Outcome = (DeviceTimes, Option<Values>);
/// The index of a job's first structure, and the job's result.
type Done = (usize, Result<Outcome, EngineError>);

impl DeviceSlots {
    /// Slots on the executor's device, with its kernels.
    ///
    /// # Errors
    /// Those of the driver. Without page-locked memory, copies use ordinary memory.
    pub fn new(executor: &CudaExecutor, options: SlotOptions) -> Result<Self, CudaError> {
        Self::with_pool(executor, GpuBufferPool::new(executor.stream().context()), options)
    }

    /// As [`new`](Self::new), with a given pool for the device's memory, for example one with a limit.
    ///
    /// # Errors
    /// The same.
    pub fn with_pool(executor: &CudaExecutor, pool: GpuBufferPool, options: SlotOptions) -> Result<Self, CudaError> {
        let context = executor.stream().context();
        let staging = match options.page_locked.then(|| Staging::new(context, COPIES)).transpose() {
            Err(error @ CudaError::OutOfPinnedMemory { .. }) => {
                tracing::warn!("copies take longer: {error}");
                None
            }
            staging => staging?,
        };
        if let Some(staging) = &staging {
            staging.make_room_for_parcels(&pool, executor.stream());
        }
        let slot = |_| {
            let executor = executor.on(&context.stream()?)?;
            let memory = DeviceMemory::new(executor.stream(), &pool, staging.clone());
            Ok(Mutex::new(Slot { executor, memory, buffers: None, moments: Moments::new(context)? }))
        };
        let slots = (0..options.slots.max(1)).map(slot).collect::<Result<_, CudaError>>()?;
        let rooms = staging.is_some().then(|| LockedRooms::new(context));
        let (results, next) = (ResultPool::default(), AtomicUsize::new(0));
        let turns = Turns { at_once: options.at_once.max(1), ..Turns::default() };
        Ok(Self { options, pool, staging, rooms, results, slots, next, turns })
    }

    /// Tests pairs of bases, in one slot.
    pub(super) fn test_pairs(&self, given: &Candidates<'_>) -> Result<Vec<TestedPair>, CudaError> {
        let slot = self.slots[0].lock().unwrap_or_else(PoisonError::into_inner);
        let mut work = PairWorkspace::new(&slot.memory, given)?;
        work.launch(&slot.executor)?;
        work.results(&slot.memory)
    }

    /// Room for at least so many atoms, from which slots copy them without staging.
    #[must_use]
    pub fn atom_room(&self, atoms: usize) -> Option<Box<dyn AtomRoom>> {
        self.rooms.as_ref()?.take(atoms)
    }

    /// Computes a batch. Its results have the same bits however it is divided into chunks. The chunks' times are added up.
    /// Because chunks overlap, the sum exceeds the elapsed time.
    ///
    /// # Errors
    /// Too little memory; a kernel's panic, with its structure; and those of the driver.
    pub fn run(
        &self,
        batch: &PackedBatch,
        request: impl Into<Request>,
    ) -> Result<(BatchFeatures, DeviceTimes), EngineError> {
        let (request, whole) = (&request.into(), batch.whole());
        let sizes = |chunk: &BatchChunk<'_>| ResultSizes::of(chunk, &request.selection).on_host();
        let room = self.results.room(sizes(&whole))?;
        let mut features = BatchFeatures::new(room, &request.selection, &whole);
        let chunks =
            batch.chunks_with_small_ends((batch.n_atoms() / self.options.chunk_atoms.max(1)).min(self.options.chunks));
        let (mut jobs, mut firsts, mut first) = (Vec::with_capacity(chunks.len()), Vec::with_capacity(chunks.len()), 0);
        let mut rest = features.as_mut();
        let is_whole = chunks.len() == 1;
        for chunk in chunks {
            firsts.push(first);
            first += chunk.n_residues();
            let (to, others) = rest.split_at(sizes(&chunk));
            jobs.push(Job { chunk, to, is_whole });
            rest = others;
        }
        let result = match <[Job<'_>; 1]>::try_from(jobs) {
            Ok([job]) => self.free_slot().run(job, request, &self.turns).map(|one| vec![one]),
            Err(jobs) => self.run_all(jobs, request),
        };
        if result.as_ref().is_err_and(EngineError::is_out_of_memory) {
            // The next batch is smaller, and may be divided differently.
            self.release_idle();
        }
        let (mut times, mut kept) = (DeviceTimes::default(), Vec::new());
        for (first, (of_chunk, values)) in firsts.into_iter().zip(result?) {
            times += of_chunk;
            kept.extend(values.map(|values| (first, Arc::new(values) as _)));
        }
        if request.selection.stays_on_device() {
            features.set_on_device(kept);
        }
        Ok((features, times))
    }

    /// Frees the memory that slots have kept. Waits for batches that are being computed.
    pub fn release(&self) {
        for slot in &self.slots {
            locked(slot).buffers = None;
        }
        self.pool.trim();
        self.rooms.iter().for_each(LockedRooms::trim);
        self.results.trim();
    }

    /// The allocations so far.
    #[must_use]
    pub fn statistics(&self) -> SlotStatistics {
        let page_locked = self.staging.as_ref().map(Staging::statistics);
        SlotStatistics { device: self.pool.statistics(), page_locked, results: self.results.allocations() }
    }

    /// As [`release`](Self::release), for idle slots only.
    fn release_idle(&self) {
        for mut slot in self.slots.iter().filter_map(|slot| slot.try_lock().ok()) {
            slot.buffers = None;
        }
        self.pool.trim();
    }

    /// An idle slot, or else the next one in turn once it is free.
    fn free_slot(&self) -> MutexGuard<'_, Slot> {
        let idle = self.slots.iter().find_map(|slot| match slot.try_lock() {
            Ok(slot) => Some(slot),
            Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        idle.unwrap_or_else(|| locked(&self.slots[self.next.fetch_add(1, Ordering::Relaxed) % self.slots.len()]))
    }

    /// Slot `i` of `n` takes jobs `i`, `i + n`, ... A batch of the same shape gives each slot jobs of the same sizes, so its
    /// memory fits again.
    fn run_all(&self, jobs: Vec<Job<'_>>, request: &Request) -> Result<Vec<Outcome>, EngineError> {
        let mut of_slots: Vec<Vec<Job<'_>>> = self.slots.iter().map(|_| Vec::new()).collect();
        for (index, job) in jobs.into_iter().enumerate() {
            of_slots[index % self.slots.len()].push(job);
        }
        let failed = AtomicBool::new(false);
        let work = |slot: &Mutex<Slot>, jobs: Vec<Job<'_>>| {
            let mut done: Vec<Done> = Vec::with_capacity(jobs.len());
            for job in jobs {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                let first = job.chunk.structures().start;
                let result = locked(slot).run(job, request, &self.turns);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                done.push((first, result));
            }
            done
        };
        let busy = self.slots.iter().zip(of_slots).filter(|(_, jobs)| !jobs.is_empty()).collect();
        let mut done: Vec<Done> = at_once(busy, |(slot, jobs)| work(slot, jobs)).into_iter().flatten().collect();
        done.sort_by_key(|(first, _)| *first);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    fn run(
        &mut self,
        Job { chunk, to, is_whole }: Job<'_>,
        request: &Request,
        turns: &Turns,
    ) -> Result<Outcome, EngineError> {
        let stream = self.executor.stream().clone();
        // Buffers return to the slot only after success: what a panicked kernel wrote is not used again, and memory
        // that ran out is free for a smaller batch.
        let mut buffers = match self.buffers.take() {
            Some(buffers) if buffers.request() == request => buffers,
            _ => DeviceBatch::in_memory(&self.memory, request).map_err(|error| EngineError::Device(error.into()))?,
        };
        let stays = request.selection.stays_on_device();
        let outcome = self.compute(&mut buffers, &stream, (&chunk, is_whole), to, turns).and_then(|times| {
            let values = stays.then(|| buffers.lend_values(&stream)).transpose()?;
            Ok((times, values))
        });
        let outcome = outcome.map_err(|error| engine_error(error, &chunk, buffers.sizes()))?;
        self.buffers = Some(buffers);
        Ok(outcome)
    }

    fn compute(
        &self,
        buffers: &mut DeviceBatch,
        stream: &Stream,
        (chunk, is_whole): (&BatchChunk<'_>, bool),
        to: ResultsMut<'_>,
        turns: &Turns,
    ) -> Result<DeviceTimes, CudaError> {
        let Moments { begin, uploaded, started, launched, computed, downloaded } = &self.moments;
        // Chunks of a larger batch take turns.
        let turn = |mutex| (!is_whole).then(|| locked(mutex));
        {
            let _turn = turn(&turns.to_device);
            begin.record(stream)?;
            // Chunks of a larger batch keep their buffers, which fit again.
            if is_whole {
                buffers.upload_gathered(stream, chunk, Largest::DEVICE)?;
            } else {
                buffers.upload_chunk(stream, chunk, Largest::DEVICE)?;
            }
            uploaded.record(stream)?;
            let mut before = locked(&turns.launched);
            if before.len() >= turns.at_once
                && let Some(before) = before.pop_front()
            {
                stream.queue_behind(&before)?;
            }
            started.record(stream)?;
            buffers.launch(&self.executor)?;
            launched.record(stream)?;
            before.push_back(Arc::clone(launched));
        }
        if is_whole && chunk.n_atoms() >= ASLEEP_ATOMS {
            launched.synchronize()?;
        }
        stream.synchronize()?;
        {
            let _turn = turn(&turns.from_device);
            computed.record(stream)?;
            buffers.results_into(stream, to)?;
            downloaded.record(stream)?;
        }
        Ok(DeviceTimes {
            upload: between(begin, uploaded)?,
            kernels: between(started, launched)?,
            download: between(computed, downloaded)?,
        })
    }
}

/// Events at the begin and end of a chunk's stages in the stream.
#[derive(Debug)]
struct Moments {
    begin: Event,
    uploaded: Event,
    /// The event after the kernels for which this chunk's wait.
    started: Event,
    /// The event for which the next chunk waits.
    launched: Arc<Event>,
    computed: Event,
    downloaded: Event,
}

impl Moments {
    fn new(context: &Context) -> Result<Self, CudaError> {
        let event = || Event::new(context);
        let (begin, uploaded, started) = (event()?, event()?, event()?);
        let (launched, computed, downloaded) = (Arc::new(Event::blocking(context)?), event()?, event()?);
        Ok(Self { begin, uploaded, started, launched, computed, downloaded })
    }
}

fn between(start: &Event, end: &Event) -> Result<Duration, CudaError> {
    Ok(Duration::from_secs_f64(f64::from(end.elapsed_ms(start)?.max(0.0)) / 1000.0))
}
