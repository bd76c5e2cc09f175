//! A pool of page-locked memory.

use crate::buffer::byte_len;
use crate::context::Context;
use crate::error::CudaError;
use crate::pinned::PinnedBuffer;
use crate::pinned_block::PinnedBlock;
use crate::pool::{Core, Lease, MemorySource, PoolOptions, PoolStatistics};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::sync::Arc;

/// Staging blocks that may have pending copies while the host fills another.
const BUSY_BLOCKS: usize = 2;

/// Reused page-locked host memory: locking pages takes as long as copying them.
///
/// A [`PinnedBuffer`] leased from it may be dropped as soon as its copy is queued. Its memory stays until the copy is done,
/// and can then be leased again. By default two blocks of a size may be on their way to the device while a third is filled.
/// The next request gets the oldest one, and waits for its copy on access.
///
/// ```
/// use cuda_host::{Context, GpuBufferPool, PinnedPool};
///
/// # if cuda_host::Device::count().is_err() { return Ok(()); }
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let (memory, staging) = (GpuBufferPool::new(&context), PinnedPool::new(&context));
/// for batch in 0..100 {
///     let mut upload = staging.lease::<u32>(1 << 20)?;
///     upload.as_mut_slice()?.fill(batch);
///     let mut input = memory.lease::<u32>(&stream, 1 << 20)?;
///     // Queued; the next batch is filled while it runs.
///     upload.upload(&stream, input.view_mut())?;
/// }
/// assert!(staging.statistics().allocations <= 3);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
#[derive(Clone)]
pub struct PinnedPool {
    core: Arc<Core<PinnedBlock>>,
}

impl PinnedPool {
    /// An empty pool of memory that devices can access.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self::with_options(context, PoolOptions::default().busy_blocks(BUSY_BLOCKS))
    }

    /// A pool with other options.
    #[must_use]
    pub fn with_options(context: &Context, options: PoolOptions) -> Self {
        Self::with_source(options, PinnedSource::new(context))
    }

    /// A pool with another source of memory.
    #[must_use]
    pub fn with_source(options: PoolOptions, source: impl MemorySource<PinnedBlock> + 'static) -> Self {
        Self { core: Arc::new(Core::new(Box::new(source), options)) }
    }

    /// `len` elements with unspecified contents. Accessing them waits for a pending copy.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`] if there is none even after freeing unused blocks; [`CudaError::PoolLimit`];
    /// [`CudaError::TooLarge`]; and those of the driver.
    pub fn lease<T: DeviceLayout>(&self, len: usize) -> Result<PinnedBuffer<T>, CudaError> {
        let block = self.core.take(byte_len::<T>(len)?, &())?;
        Ok(PinnedBuffer::in_lease(Lease::of(&self.core, block), len))
    }

    /// A buffer with the elements of a slice, ready to be copied.
    ///
    /// # Errors
    /// As [`lease`](Self::lease).
    pub fn lease_from<T: DeviceLayout>(&self, elements: &[T]) -> Result<PinnedBuffer<T>, CudaError> {
        let mut buffer = self.lease(elements.len())?;
        buffer.as_mut_slice()?.copy_from_slice(elements);
        Ok(buffer)
    }

    /// Its counters and current size.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        self.core.statistics()
    }

    /// Returns all unused blocks to the driver after pending copies. The result is their size in bytes.
    pub fn trim(&self) -> usize {
        self.core.trim()
    }
}

impl fmt::Debug for PinnedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedPool").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

/// Page-locked host memory, from the driver. [`PinnedPool::new`] uses it; [`MemorySource`] has an
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
