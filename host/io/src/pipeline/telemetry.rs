//! Measures the time and the amount of work of a run.

use super::{Batch, Computed};
use prism_engine::pack::PackedBatch;
use prism_engine::{BatchResults, DeviceTimes, Engine};
use prism_read::structure::StructureInput;
use std::iter::Sum;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Time and amount of work of each stage of a run. Stages run at the same time, so their times add up to more than
/// [`wall`](Self::wall).
///
/// ```
/// use prism_io::pipeline::{Batch, Cancel, Telemetry, run};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let batches = std::iter::repeat_with(|| Batch { structures: vec![rbd.clone()], ..Batch::default() });
/// let consume = |_| Ok::<(), std::convert::Infallible>(());
/// let told: Telemetry = run(&engine, batches.take(3), &Cancel::default(), consume).expect("a run to its end");
///
/// let compute = &told.compute;
/// assert_eq!((compute.amount.batches, compute.amount.residues), (3, 3 * 194));
/// // One number per feature and a site id per residue, and a summary of 32 bytes per structure.
/// assert_eq!(compute.amount.bytes, 3 * (194 * (shared_types::FEATURES.len() as u64 * 4 + 4) + 32));
/// println!("{:?} in all; {:?} computing, {:?} waiting", told.wall, compute.busy, compute.waiting);
/// println!("{:?} of all cores", told.cores);
/// for worker in &told.workers {
///     println!("{}: {} structures in {:?}", worker.name, worker.amount.structures, worker.busy);
/// }
/// assert!(told.workers[0].device.is_none() && told.halvings == 0); // cores, for which no batch is too large
/// assert!((1..=3).contains(&told.peak_batches));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Telemetry {
    /// Time from beginning to end.
    pub wall: Duration,
    /// CPU time of the process, over all its threads. At most [`wall`](Self::wall) times the number of cores. Zero if the
    /// system does not report it.
    pub cores: Duration,
    /// Reading inputs; its bytes are those of the files. Its times are those of the thread that makes batches of what other
    /// threads read.
    pub read: Stage,
    /// The time of all inputs in the threads that read them, also of those that were read before the run began.
    pub reading: Duration,
    /// Packing; its bytes are those of the packed batches.
    pub pack: Stage,
    /// Computing; its bytes are those of the results.
    pub compute: Stage,
    /// The consumer; its bytes are those of the results passed to it.
    pub write: Stage,
    /// Times of the workers (devices or the CPU's cores), including those that computed nothing.
    pub workers: Vec<WorkerTime>,
    /// How often a batch or part of one did not fit into memory and was halved.
    pub halvings: u64,
    /// Largest number of batches in memory at once.
    pub peak_batches: usize,
}

/// Times of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// Number of threads over which times are summed. Reading and computing use more threads internally.
    pub threads: usize,
    /// Working time.
    pub busy: Duration,
    /// Time waiting for the previous stage.
    pub waiting: Duration,
    /// Time waiting for the next stage, or for room in memory.
    pub blocked: Duration,
    /// The amount of work.
    pub amount: Amount,
}

/// An amount of work.
///
/// ```
/// use prism_io::pipeline::Amount;
///
/// let mut one = Amount::default();
/// (one.structures, one.residues) = (1, 194);
/// let mut all = Amount::default();
/// all += one;
/// all += one;
/// assert_eq!((all.structures, all.residues, all.bytes), (2, 388, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Amount {
    /// Batches, or parts of halved ones.
    pub batches: u64,
    /// Structures.
    pub structures: u64,
    /// Their residues.
    pub residues: u64,
    /// Their heavy atoms.
    pub atoms: u64,
    /// Number of bytes; each stage says of what.
    pub bytes: u64,
}

/// Times and work of a device, or of the CPU's cores.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorkerTime {
    /// The worker's name.
    pub name: String,
    /// Working time, summed over batches that it computed at the same time.
    pub busy: Duration,
    /// How a device spent its time, by its own clock.
    pub device: Option<DeviceTimes>,
    /// The amount of work, without bytes.
    pub amount: Amount,
}

impl Telemetry {
    pub(super) fn new(workers: Vec<String>) -> Self {
        let workers = workers.into_iter().map(|name| WorkerTime { name, ..WorkerTime::default() });
        Self { workers: workers.collect(), ..Self::default() }
    }

    /// Adds the results of one batch.
    pub(super) fn count(&mut self, results: &BatchResults, engine: &Engine) {
        self.halvings += results.halvings();
        for run in results.runs() {
            if run.worker >= self.workers.len() {
                // Devices that became ready in the meantime.
                let names = engine.worker_names().into_iter().skip(self.workers.len());
                self.workers.extend(names.map(|name| WorkerTime { name, ..WorkerTime::default() }));
            }
            let Some(worker) = self.workers.get_mut(run.worker) else { continue };
            worker.busy += run.busy;
            if let Some(times) = run.times {
                *worker.device.get_or_insert_default() += times;
            }
            worker.amount += Amount {
                batches: 1,
                structures: run.structures as u64,
                residues: run.residues as u64,
                atoms: run.atoms as u64,
                bytes: 0,
            };
        }
    }
}

impl Amount {
    pub(super) fn of_batch(batch: &Batch) -> Self {
        let count = |size: fn(&StructureInput) -> usize| batch.structures.iter().map(|s| size(s) as u64).sum();
        Self {
            batches: 1,
            structures: batch.structures.len() as u64,
            residues: count(|one| one.n_rows()),
            atoms: count(StructureInput::n_atoms),
            bytes: batch.bytes,
        }
    }

    pub(crate) fn of_packed(batch: &PackedBatch) -> Self {
        Self {
            batches: 1,
            structures: batch.n_structures() as u64,
            residues: batch.n_residues() as u64,
            atoms: batch.n_atoms() as u64,
            bytes: batch.bytes() as u64,
        }
    }

    /// The structures that have results, and the bytes of the results.
    pub(super) fn of_results(computed: &Computed) -> Self {
        let mut amount = Self { batches: 1, ..Self::default() };
        for (structure, result) in computed.batch.structures.iter().zip(computed.results.iter()) {
            let Ok(features) = result else { continue };
            amount.structures += 1;
            amount.residues += structure.n_rows() as u64;
            amount.atoms += structure.n_atoms() as u64;
            amount.bytes += (size_of_val(features.values) + size_of_val(features.site_ids)) as u64;
            amount.bytes += size_of_val(features.summary) as u64;
        }
        amount
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.batches += other.batches;
        self.structures += other.structures;
        self.residues += other.residues;
        self.atoms += other.atoms;
        self.bytes += other.bytes;
    }
}

impl AddAssign for Stage {
    fn add_assign(&mut self, other: Self) {
        self.threads += other.threads;
        self.busy += other.busy;
        self.waiting += other.waiting;
        self.blocked += other.blocked;
        self.amount += other.amount;
    }
}

impl Sum for Stage {
    fn sum<I: Iterator<Item = Self>>(stages: I) -> Self {
        stages.fold(Self::default(), |mut all, stage| {
            all += stage;
            all
        })
    }
}

/// CPU time of the process so far.
pub fn cores_time() -> Duration {
    #[cfg(unix)]
    {
        let taken = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::try_from(taken).unwrap_or_default()
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

/// Measures one thread of a stage.
pub(super) struct Clock {
    stage: Stage,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { stage: Stage { threads: 1, ..Stage::default() } }
    }

    pub(super) fn stage(self) -> Stage {
        self.stage
    }

    /// Measures work on a known amount.
    pub fn busy<T>(&mut self, amount: Amount, work: impl FnOnce() -> T) -> T {
        self.measured(work, |_| Some(amount))
    }

    /// Measures work whose amount, if any, is known afterwards.
    pub(super) fn measured<T>(&mut self, work: impl FnOnce() -> T, amount: impl FnOnce(&T) -> Option<Amount>) -> T {
        let done = timed(&mut self.stage.busy, work);
        if let Some(amount) = amount(&done) {
            self.stage.amount += amount;
        }
        done
    }

    pub(super) fn waiting<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        timed(&mut self.stage.waiting, wait)
    }

    pub(super) fn blocked<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        timed(&mut self.stage.blocked, wait)
    }
}

fn timed<T>(sum: &mut Duration, what: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let answer = what();
    *sum += begin.elapsed();
    answer
}
