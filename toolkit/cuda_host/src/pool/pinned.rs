//! A pool of page-locked memory.

use super::core::{Core, PoolStatistics};
use super::lease::Lease;
use super::{MemorySource, PinnedSource, PoolOptions};
use crate::buffer::byte_len;
use crate::pinned_block::PinnedBlock;
use crate::{Context, CudaError, PinnedBuffer};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::sync::Arc;

/// Pieces of staging memory that the host fills while copies from others are under way.
const BUSY_BLOCKS: usize = 2;

/// Page-locked host memory that is used again: locking pages takes as long as copying them.
///
/// A [`PinnedBuffer`] leased from it may be dropped as soon as its copy is queued. Its memory stays until the copy is
/// done, and is then somebody else's. By default two blocks of a size may be on their way to the device while a third is
/// filled; whoever asks for one more gets the oldest, and waits for its copy when it looks at the elements.
///
/// ```
/// use cuda_host::{Context, GpuBufferPool, PinnedPool};
///
/// # fn main() -> Result<(), cuda_host::CudaError> {
/// # if cuda_host::Device::count().is_err() {
/// #     return Ok(());
/// # }
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
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PinnedPool {
    core: Arc<Core<PinnedBlock>>,
}

impl PinnedPool {
    /// An empty pool of memory that devices reach.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self::with_options(context, PoolOptions::default().busy_blocks(BUSY_BLOCKS))
    }

    /// One that trades memory for time in another way.
    #[must_use]
    pub fn with_options(context: &Context, options: PoolOptions) -> Self {
        Self::with_source(options, PinnedSource::new(context))
    }

    /// One that gets its memory from elsewhere.
    #[must_use]
    pub fn with_source(options: PoolOptions, source: impl MemorySource<PinnedBlock> + 'static) -> Self {
        Self { core: Arc::new(Core::new(Box::new(source), options)) }
    }

    /// `len` elements, whatever was there. Looking at them waits for a copy that is still under way.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`] when there is none even after what the pool kept was freed;
    /// [`CudaError::PoolLimit`]; [`CudaError::TooLarge`]; and those of the driver.
    pub fn lease<T: DeviceLayout>(&self, len: usize) -> Result<PinnedBuffer<T>, CudaError> {
        let block = self.core.take(byte_len::<T>(len)?, &())?;
        Ok(PinnedBuffer::in_lease(Lease::of(&self.core, block), len))
    }

    /// The elements of a slice, ready to be copied on.
    ///
    /// # Errors
    /// As [`lease`](Self::lease).
    pub fn lease_from<T: DeviceLayout>(&self, elements: &[T]) -> Result<PinnedBuffer<T>, CudaError> {
        let mut buffer = self.lease(elements.len())?;
        buffer.as_mut_slice()?.copy_from_slice(elements);
        Ok(buffer)
    }

    /// What it has done so far, and what it holds.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        self.core.statistics()
    }

    /// Gives what no buffer has back to the driver, and returns how many bytes that were. Waits for copies under way.
    pub fn trim(&self) -> usize {
        self.core.trim()
    }
}

impl fmt::Debug for PinnedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedPool").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
