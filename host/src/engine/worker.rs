//! What computes a batch: a device, or the CPU's cores.

use super::EngineError;
use super::results::BatchFeatures;
use super::selection::Request;
use crate::pack::PackedBatch;
use std::time::Duration;

/// Computes batches, several at once. What it computes has the same bits whichever worker it is.
pub(crate) trait Worker: std::fmt::Debug + Send + Sync {
    /// What it is called, for people.
    fn name(&self) -> &str;

    /// How many batches it computes at once with profit.
    fn slots(&self) -> usize;

    /// Whether more than [`slots`](Self::slots) batches at once take turns. Where they do not, whoever comes is
    /// computed at once, also from within a pool of threads that must not block.
    fn has_turns(&self) -> bool;

    /// Computes a batch.
    ///
    /// # Errors
    /// Memory that ran out and panics of kernels, which are the batch's; else the worker is no use any more.
    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<Computation, EngineError>;

    /// Gives back memory that was kept for later batches. Nothing is computed meanwhile.
    fn release(&self) {}
}

/// A batch's results, and how long parts of the work took where the worker can tell.
#[derive(Debug)]
pub(crate) struct Computation {
    pub(crate) features: BatchFeatures,
    pub(crate) times: Option<DeviceTimes>,
}

/// How a device's time on a batch is shared out. Where a batch went through it in parts, times of parts are added up,
/// though parts are done at the same time.
///
/// ```
/// use prism_host::engine::DeviceTimes;
/// use std::time::Duration;
///
/// let part = DeviceTimes { kernels: Duration::from_millis(3), ..DeviceTimes::default() };
/// let mut batch = DeviceTimes::default();
/// batch += part;
/// batch += part;
/// assert_eq!((batch.kernels, batch.upload), (Duration::from_millis(6), Duration::ZERO));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceTimes {
    /// Making room on the device, and copying the batch there.
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
