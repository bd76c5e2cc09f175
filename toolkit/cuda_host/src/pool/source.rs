//! Where a pool's memory comes from.

use crate::allocation::DeviceBlock;
use crate::pinned_block::PinnedBlock;
use crate::{Context, CudaError};

/// Where a pool gets memory when it has none that fits: blocks that give their memory back when they are dropped.
///
/// [`DeviceSource`] and [`PinnedSource`] ask the driver. Another source may wrap one of them, to count, to refuse, or to
/// fail on purpose in a test:
///
/// ```
/// use cuda_host::{CudaError, DeviceBlock, MemorySource};
///
/// /// Lets others have the device's memory too: refuses large blocks.
/// struct Modest<S>(S);
///
/// impl<S: MemorySource<DeviceBlock>> MemorySource<DeviceBlock> for Modest<S> {
///     fn allocate(&self, bytes: usize) -> Result<DeviceBlock, CudaError> {
///         if bytes > 1 << 30 {
///             let operation = "allocating a modest block".to_owned();
///             return Err(CudaError::OutOfMemory { operation, bytes, free: 0, total: 1 << 30 });
///         }
///         self.0.allocate(bytes)
///     }
/// }
/// ```
pub trait MemorySource<B>: Send + Sync {
    /// A block of at least `bytes` bytes.
    ///
    /// # Errors
    /// One of which [`CudaError::is_out_of_memory`] says yes makes the pool free what it keeps and ask once more; others
    /// are the caller's.
    fn allocate(&self, bytes: usize) -> Result<B, CudaError>;
}

/// A device's memory, from the driver.
///
/// What [`GpuBufferPool::new`](crate::GpuBufferPool::new) takes; [`MemorySource`] has an example of another.
#[derive(Clone, Debug)]
pub struct DeviceSource {
    context: Context,
}

impl DeviceSource {
    /// The memory of a context's device.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }
}

impl MemorySource<DeviceBlock> for DeviceSource {
    fn allocate(&self, bytes: usize) -> Result<DeviceBlock, CudaError> {
        DeviceBlock::allocate(&self.context, bytes)
    }
}

/// Page-locked memory of the host, from the driver.
///
/// What [`PinnedPool::new`](crate::PinnedPool::new) takes; [`MemorySource`] has an example of another.
#[derive(Clone, Debug)]
pub struct PinnedSource {
    context: Context,
}

impl PinnedSource {
    /// Memory that the devices of a context's machine reach.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }
}

impl MemorySource<PinnedBlock> for PinnedSource {
    fn allocate(&self, bytes: usize) -> Result<PinnedBlock, CudaError> {
        PinnedBlock::allocate(&self.context, bytes)
    }
}
