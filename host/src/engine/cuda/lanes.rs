//! A batch in parts, which go through a device one after another: while one is computed, the next is copied there and the
//! one before is copied back.

use super::batch::DeviceBatch;
use super::engine_error;
use super::memory::DeviceMemory;
use super::staging::Staging;
use crate::engine::results::{BatchFeatures, ResultPool, ResultSizes, ResultsMut};
use crate::engine::selection::Request;
use crate::engine::threads::at_once;
use crate::engine::worker::DeviceTimes;
use crate::engine::{EngineError, Largest};
use crate::pack::{BatchPart, PackedBatch};
use cuda_host::{Context, CudaError, CudaExecutor, Event, GpuBufferPool, PoolStatistics, Stream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Copies at a time: one to the device, one from it.
const COPIES: usize = 2;

/// How batches go through a device.
///
/// ```
/// use prism_host::engine::LaneOptions;
///
/// // Small batches as they are, in one part each.
/// let options = LaneOptions { parts: 1, ..LaneOptions::default() };
/// assert_eq!((options.lanes, options.part_atoms, options.page_locked), (3, 2_097_152, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOptions {
    /// Streams with buffers of their own; 1 at least.
    pub lanes: usize,
    /// Parts that a batch is cut into, at most. More make less time at its beginning and end in which nothing is computed,
    /// and keep the device less busy.
    pub parts: usize,
    /// Atoms of a part, at least.
    pub part_atoms: usize,
    /// Whether copies go through page-locked memory.
    pub page_locked: bool,
}

impl Default for LaneOptions {
    /// Three lanes (one for each copy, one for kernels), eight parts of two million atoms or more, page-locked memory.
    fn default() -> Self {
        Self { lanes: 3, parts: 8, part_atoms: 1 << 21, page_locked: true }
    }
}

/// What was allocated so far. In a steady state it stays as it is.
///
/// The example of [`DeviceLanes`] has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneStatistics {
    /// On the device.
    pub device: PoolStatistics,
    /// Page-locked memory of the host, where there is some.
    pub page_locked: Option<PoolStatistics>,
    /// How often memory for results was asked of the system.
    pub results: u64,
}

/// Computes batches on one device, several parts at once. May be shared by threads, which take turns.
///
/// The memory of each lane is from one pool and is kept from part to part: batches no larger than those before allocate
/// nothing.
///
/// ```no_run
/// use cuda_host::CudaExecutor;
/// use prism_host::PackedBatch;
/// use prism_host::engine::{DeviceLanes, LaneOptions};
/// use prism_host::read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let (batch, config) = (PackedBatch::from_inputs(vec![&rbd; 1000])?, MegaFusedConfig::default());
/// let executor = CudaExecutor::open(0, "kernels", kernels_gpu::PTX)?;
/// let lanes = DeviceLanes::new(&executor, LaneOptions { part_atoms: 1 << 18, ..LaneOptions::default() })?;
/// let (features, times) = lanes.run(&batch, config)?;
/// println!("{} rows, {:?} in kernels", features.n_residues(), times.kernels);
/// drop(features);
///
/// // The same once more allocates nothing.
/// let before = lanes.statistics();
/// lanes.run(&batch, config)?;
/// assert_eq!(lanes.statistics().device.allocations, before.device.allocations);
/// assert_eq!(lanes.statistics().results, before.results);
/// lanes.release();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests `fused_gpu` run it on a device (`parts`: `a_steady_state_allocates_nothing` and others), the tests
/// `cuda_host_gpu` without one, with a driver that is simulated (`lanes`).
#[derive(Debug)]
pub struct DeviceLanes {
    options: LaneOptions,
    pool: GpuBufferPool,
    staging: Option<Staging>,
    results: ResultPool,
    lanes: Vec<Mutex<Lane>>,
    /// For who finds all lanes in use.
    next: AtomicUsize,
    copying: Copying,
}

/// Each direction has the bandwidth for itself, and the kernels of a part the device, so that what was begun first is there
/// first. Where parts are computed side by side, they end together; nothing is left to compute then while they are copied.
#[derive(Debug, Default)]
struct Copying {
    /// With the end of the kernels of the part that was copied last.
    to_device: Mutex<Option<Arc<Event>>>,
    from_device: Mutex<()>,
}

/// A stream with buffers of its own.
#[derive(Debug)]
struct Lane {
    executor: CudaExecutor,
    memory: DeviceMemory,
    buffers: Option<DeviceBatch>,
    moments: Moments,
}

/// A part, and where its results go.
struct Job<'a> {
    part: BatchPart<'a>,
    to: ResultsMut<'a>,
}

/// What came of a job, and the place of its first structure.
type Done = (usize, Result<DeviceTimes, EngineError>);

impl DeviceLanes {
    /// Lanes on the executor's device, with its kernels.
    ///
    /// # Errors
    /// Those of the driver. Where there is no page-locked memory, copies do without.
    pub fn new(executor: &CudaExecutor, options: LaneOptions) -> Result<Self, CudaError> {
        Self::with_pool(executor, GpuBufferPool::new(executor.stream().context()), options)
    }

    /// As [`new`](Self::new), with a pool for the device's memory: one that has a limit, say.
    ///
    /// # Errors
    /// The same.
    pub fn with_pool(executor: &CudaExecutor, pool: GpuBufferPool, options: LaneOptions) -> Result<Self, CudaError> {
        let context = executor.stream().context();
        let staging = match options.page_locked.then(|| Staging::new(context, COPIES)).transpose() {
            Err(error @ CudaError::OutOfPinnedMemory { .. }) => {
                tracing::warn!("copies take longer: {error}");
                None
            }
            staging => staging?,
        };
        let lane = |_| {
            let executor = executor.on(&context.stream()?)?;
            let memory = DeviceMemory::new(executor.stream(), &pool, staging.clone());
            Ok(Mutex::new(Lane { executor, memory, buffers: None, moments: Moments::new(context)? }))
        };
        let lanes = (0..options.lanes.max(1)).map(lane).collect::<Result<_, CudaError>>()?;
        let (results, next, copying) = (ResultPool::default(), AtomicUsize::new(0), Copying::default());
        Ok(Self { options, pool, staging, results, lanes, next, copying })
    }

    /// Computes a batch. Its results have the same bits however it is cut. Times of parts are added up; since parts are
    /// done at the same time, the sum is more than what the clock says.
    ///
    /// # Errors
    /// Memory that ran out; a kernel's panic, with its structure; and those of the driver.
    pub fn run(
        &self,
        batch: &PackedBatch,
        request: impl Into<Request>,
    ) -> Result<(BatchFeatures, DeviceTimes), EngineError> {
        let (request, whole) = (&request.into(), batch.whole());
        let room = self.results.room(ResultSizes::of(&whole, &request.selection))?;
        let mut features = BatchFeatures::new(room, &request.selection, &whole);
        let parts = batch.parts((batch.n_atoms() / self.options.part_atoms.max(1)).min(self.options.parts));
        let mut jobs = Vec::with_capacity(parts.len());
        let mut rest = features.as_mut();
        for part in parts {
            let (to, others) = rest.split_at(ResultSizes::of(&part, &request.selection));
            jobs.push(Job { part, to });
            rest = others;
        }
        let result = match <[Job<'_>; 1]>::try_from(jobs) {
            Ok([job]) => self.free_lane().run(job, request, &self.copying),
            Err(jobs) => self.run_all(jobs, request),
        };
        if result.as_ref().is_err_and(EngineError::is_out_of_memory) {
            // The next one is smaller, and may be cut in another way.
            self.release_idle();
        }
        Ok((features, result?))
    }

    /// Gives back the memory that lanes have kept. Waits for batches that are being computed.
    pub fn release(&self) {
        for lane in &self.lanes {
            locked(lane).buffers = None;
        }
        self.pool.trim();
        self.results.trim();
    }

    /// What was allocated so far.
    #[must_use]
    pub fn statistics(&self) -> LaneStatistics {
        let page_locked = self.staging.as_ref().map(Staging::statistics);
        LaneStatistics { device: self.pool.statistics(), page_locked, results: self.results.allocations() }
    }

    /// As [`release`](Self::release), of lanes that nobody uses now.
    fn release_idle(&self) {
        for mut lane in self.lanes.iter().filter_map(|lane| lane.try_lock().ok()) {
            lane.buffers = None;
        }
        self.pool.trim();
    }

    /// A lane that nobody uses, or else will be free.
    fn free_lane(&self) -> MutexGuard<'_, Lane> {
        let idle = self.lanes.iter().find_map(|lane| match lane.try_lock() {
            Ok(lane) => Some(lane),
            Err(TryLockError::Poisoned(lane)) => Some(lane.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        idle.unwrap_or_else(|| locked(&self.lanes[self.next.fetch_add(1, Ordering::Relaxed) % self.lanes.len()]))
    }

    /// Each lane takes every so manieth job: the same ones for the same batch, so that its memory fits the next time.
    fn run_all(&self, jobs: Vec<Job<'_>>, request: &Request) -> Result<DeviceTimes, EngineError> {
        let mut of_lanes: Vec<Vec<Job<'_>>> = self.lanes.iter().map(|_| Vec::new()).collect();
        for (index, job) in jobs.into_iter().enumerate() {
            of_lanes[index % self.lanes.len()].push(job);
        }
        let failed = AtomicBool::new(false);
        let work = |lane: &Mutex<Lane>, jobs: Vec<Job<'_>>| {
            let mut done: Vec<Done> = Vec::with_capacity(jobs.len());
            for job in jobs {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                let first = job.part.structures().start;
                let result = locked(lane).run(job, request, &self.copying);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                done.push((first, result));
            }
            done
        };
        let busy = self.lanes.iter().zip(of_lanes).filter(|(_, jobs)| !jobs.is_empty()).collect();
        let mut done: Vec<Done> = at_once(busy, |(lane, jobs)| work(lane, jobs)).into_iter().flatten().collect();
        done.sort_by_key(|(first, _)| *first);
        let mut sum = DeviceTimes::default();
        for (_, times) in done {
            sum += times?;
        }
        Ok(sum)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lane {
    fn run(
        &mut self,
        Job { part, to }: Job<'_>,
        request: &Request,
        copying: &Copying,
    ) -> Result<DeviceTimes, EngineError> {
        let stream = self.executor.stream().clone();
        // Taken, and put back after success alone: what a panicked kernel wrote is not used again, and memory that
        // ran out is free for a smaller batch.
        let mut buffers = match self.buffers.take() {
            Some(buffers) if buffers.request() == request => buffers,
            _ => DeviceBatch::in_memory(&self.memory, request).map_err(|error| EngineError::Device(error.into()))?,
        };
        let times = self
            .compute(&mut buffers, &stream, &part, to, copying)
            .map_err(|error| engine_error(error, &part, buffers.sizes()))?;
        self.buffers = Some(buffers);
        Ok(times)
    }

    fn compute(
        &self,
        buffers: &mut DeviceBatch,
        stream: &Stream,
        part: &BatchPart<'_>,
        to: ResultsMut<'_>,
        copying: &Copying,
    ) -> Result<DeviceTimes, CudaError> {
        let Moments { begin, uploaded, started, launched, computed, downloaded } = &self.moments;
        {
            let mut before = locked(&copying.to_device);
            begin.record(stream)?;
            buffers.upload_part(stream, part, Largest::default())?;
            uploaded.record(stream)?;
            if let Some(before) = &*before {
                stream.queue_behind(before)?;
            }
            started.record(stream)?;
            buffers.launch(&self.executor)?;
            launched.record(stream)?;
            *before = Some(Arc::clone(launched));
        }
        stream.synchronize()?;
        {
            let _alone = locked(&copying.from_device);
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

/// Where the stages of a part begin and end in the stream.
#[derive(Debug)]
struct Moments {
    begin: Event,
    uploaded: Event,
    /// When the part before is computed.
    started: Event,
    /// The next part waits for it.
    launched: Arc<Event>,
    computed: Event,
    downloaded: Event,
}

impl Moments {
    fn new(context: &Context) -> Result<Self, CudaError> {
        let event = || Event::new(context);
        let (begin, uploaded, started) = (event()?, event()?, event()?);
        let (launched, computed, downloaded) = (Arc::new(event()?), event()?, event()?);
        Ok(Self { begin, uploaded, started, launched, computed, downloaded })
    }
}

fn between(start: &Event, end: &Event) -> Result<Duration, CudaError> {
    Ok(Duration::from_secs_f64(f64::from(end.elapsed_ms(start)?.max(0.0)) / 1000.0))
}
