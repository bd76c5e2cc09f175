//! The source of a pool's memory.

use crate::allocation::DeviceBlock;
use crate::pinned_block::PinnedBlock;
use crate::{Context, CudaError};

/// The source of new memory for a pool: blocks that free their memory when they are dropped.
///
/// [`DeviceSource`] and [`PinnedSource`] allocate from the driver. Another source may wrap one of them, to count, to
/// refuse, or to fail on purpose in a test:
///
/// ```
/// use cuda_host::{CudaError, DeviceBlock, MemorySource};
///
/// /// Leaves memory to others by refusing large blocks.
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
    /// If [`CudaError::is_out_of_memory`] is true, the pool frees unused blocks and tries again; other errors go to the
    /// caller.
    fn allocate(&self, bytes: usize) -> Result<B, CudaError>;
}

/// A device's memory, from the driver. [`GpuBufferPool::new`](crate::GpuBufferPool::new) uses it; [`MemorySource`] has an
/// example of another source.
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

/// Page-locked host memory, from the driver. [`PinnedPool::new`](crate::PinnedPool::new) uses it; [`MemorySource`] has an
/// example of another source.
#[derive(Clone, Debug)]
pub struct PinnedSource {
    context: Context,
}

impl PinnedSource {
    /// Memory that the devices of a context's machine can access.
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
