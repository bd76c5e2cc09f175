//! The source of a pool's memory.

use crate::error::CudaError;

/// The source of new memory for a pool: blocks that free their memory when they are dropped.
///
/// [`DeviceSource`](crate::DeviceSource) and [`PinnedSource`](crate::PinnedSource) allocate from the driver. Another source
/// may wrap one of them to count, to refuse, or to fail on purpose in a test:
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
