//! Workers compute batches: a device, or the CPU's cores.

use super::EngineError;
use super::base_pairs::{Candidates, tested_here};
use super::results::BatchFeatures;
use super::rooms::AtomRoom;
use super::selection::Request;
use crate::pack::PackedBatch;
use kernels_gpu::bases::TestedPair;
use std::time::Duration;

/// A backend's way of computing several batches at once: one device, or all cores of a CPU. The results have the same bits on
/// every worker.
///
/// A backend is one module that implements this trait. It brings its [`Memory`](super::Memory) and an
/// [`Executor`](cuda_std::launch::Executor). The engine schedules batches, halves those that do not fit, and finds the structure
/// that caused an error.
///
/// ```
/// use cuda_std::launch::CpuExecutor;
/// use prism_engine::{
///     BatchFeatures, EngineError, HostMemory, InputBuffers, Largest, Request, Worker, Workspace, launch_mega_fused_batch,
///     point_groups,
/// };
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Engine, PackedBatch};
/// use std::sync::Arc;
///
/// #[derive(Debug)]
/// struct Shuffled;
///
/// impl Worker for Shuffled {
///     fn name(&self) -> &str {
///         "cores that take threads in another order"
///     }
///
///     fn slots(&self) -> usize {
///         1
///     }
///
///     fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
///         let (memory, chunk, config) = (HostMemory, batch.whole(), request.config);
///         let points = point_groups(config.points);
///         let (mut inputs, mut work) = (InputBuffers::new(&memory)?, Workspace::new(&memory)?);
///         work.prepare(&memory, &chunk, request, Largest::default())?;
///         inputs.upload(&memory, &chunk)?;
///         launch_mega_fused_batch(&CpuExecutor::shuffled(7), inputs.view(&points, config.points), &mut work, config)
///             .map_err(|error| EngineError::of_launch(error, &chunk, &work))?;
///         let mut features = BatchFeatures::room(batch, request)?;
///         work.results(&memory, &mut features)?;
///         Ok(features)
///     }
/// }
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().workers([Arc::new(Shuffled) as Arc<dyn Worker>]).build()?;
/// assert_eq!(engine.run(&[rbd])?[0].n_residues, 194);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Worker: std::fmt::Debug + Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// The number of batches that it usefully computes at once.
    fn slots(&self) -> usize;

    /// Whether batches beyond [`slots`](Self::slots) wait for their turn. If not, every batch is computed at once, also when the
    /// caller is in a thread pool whose threads must not block.
    fn has_turns(&self) -> bool {
        true
    }

    /// Whether it takes the atoms of structures from where they lie. If not, they are put side by side while the batch waits for its turn
    /// ([`PackedBatch::join`]).
    fn gathers(&self) -> bool {
        false
    }

    /// Room for at least so many atoms, from which it takes them without a copy by the host.
    fn atom_room(&self, _atoms: usize) -> Option<Box<dyn AtomRoom>> {
        None
    }

    /// Computes a batch. A device adds its times ([`BatchFeatures::timed`]), if it can measure them.
    ///
    /// # Errors
    /// The errors of the batch: too little memory, and panics of kernels. After [`EngineError::Device`] of the kind
    /// [`Lost`](super::DeviceErrorKind::Lost) or [`Unavailable`](super::DeviceErrorKind::Unavailable) the worker gets no further
    /// batch.
    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError>;

    /// Tests pairs of bases. Without a method of its own a worker does so on the calling thread.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn test_pairs(&self, given: &Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> {
        tested_here(given)
    }

    /// Frees memory that was kept for later batches. Nothing is computed meanwhile.
    fn release(&self) {}
}

/// How a device's time on a batch was divided. If the batch went through the device in chunks, the chunks' times are added up,
/// although chunks overlap.
///
/// ```
/// use prism_engine::DeviceTimes;
/// use std::time::Duration;
///
/// let chunk = DeviceTimes { kernels: Duration::from_millis(3), ..DeviceTimes::default() };
/// let mut batch = DeviceTimes::default();
/// batch += chunk;
/// batch += chunk;
/// assert_eq!((batch.kernels, batch.upload), (Duration::from_millis(6), Duration::ZERO));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTimes {
    /// Reserving memory on the device, and copying the batch there.
    pub upload: Duration,
    /// Running the kernels.
    pub kernels: Duration,
    /// Copying the results back.
    pub download: Duration,
}

impl std::ops::AddAssign for DeviceTimes {
    fn add_assign(&mut self, other: Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.download += other.download;
    }
}
