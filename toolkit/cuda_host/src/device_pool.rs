//! A pool of device memory.

use crate::allocation::DeviceBlock;
use crate::buffer::{DeviceBuffer, byte_len};
use crate::context::Context;
use crate::error::CudaError;
use crate::pool::{Core, Lease, MemorySource, PoolOptions, PoolStatistics};
use crate::stream::Stream;
use cuda_layout::DeviceLayout;
use std::fmt;
use std::sync::Arc;

/// Reused device memory.
///
/// A [`DeviceBuffer`] leased from it has exclusive memory until it is dropped. The memory then returns to the pool without
/// waiting, with a record of the pending work on each stream. The next buffer's work runs after that work; if it is on
/// another stream, the device waits. So two buffers never use the same memory at once. In a steady state nothing is
/// allocated, and the host does not wait.
///
/// Every buffer begins at a multiple of 256 bytes. Cheap to clone; clones share the pool. Buffers may outlive it: their
/// memory is then freed when they are dropped.
///
/// ```
/// use cuda_host::{Context, GpuBufferPool};
///
/// # if cuda_host::Device::count().is_err() { return Ok(()); }
/// let context = Context::new(0)?;
/// let (pool, stream) = (GpuBufferPool::new(&context), context.stream()?);
/// for batch in [[1.0f32; 1000], [2.0; 1000], [3.0; 1000]] {
///     // Two buffers at once: one to read, one to write.
///     let input = pool.lease_from(&stream, &batch)?;
///     let mut output = pool.lease::<f32>(&stream, batch.len())?;
///     output.view_mut().copy_from_device(&stream, input.view())?;
///     assert_eq!(output.download(&stream)?, batch);
/// }
/// assert_eq!(pool.statistics().allocations, 2);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
#[derive(Clone)]
pub struct GpuBufferPool {
    core: Arc<Core<DeviceBlock>>,
    context: Context,
}

impl GpuBufferPool {
    /// An empty pool of a device's memory.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self::with_options(context, PoolOptions::default())
    }

    /// A pool with other options.
    #[must_use]
    pub fn with_options(context: &Context, options: PoolOptions) -> Self {
        Self::with_source(context, options, DeviceSource::new(context))
    }

    /// A pool with another source of memory. Blocks of another device than the context's are refused when they are used.
    #[must_use]
    pub fn with_source(
        context: &Context,
        options: PoolOptions,
        source: impl MemorySource<DeviceBlock> + 'static,
    ) -> Self {
        Self { core: Arc::new(Core::new(Box::new(source), options)), context: context.clone() }
    }

    /// `len` elements for work that begins on `stream`; other streams may use them, too. The contents are unspecified:
    /// write them before reading.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] with the requested bytes, if there is no memory even after freeing unused blocks;
    /// [`CudaError::PoolLimit`]; [`CudaError::TooLarge`]; [`CudaError::OtherDevice`]; and those of the driver.
    pub fn lease<T: DeviceLayout>(&self, stream: &Stream, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        Ok(DeviceBuffer::in_lease(self.take(stream, byte_len::<T>(len)?)?, len))
    }

    fn take(&self, stream: &Stream, bytes: usize) -> Result<Lease<DeviceBlock>, CudaError> {
        stream.check_device(&self.context, "leasing device memory")?;
        Ok(Lease::of(&self.core, self.core.take(bytes, stream)?))
    }

    /// `len` elements whose bytes are zero, for work that begins on `stream`.
    ///
    /// # Errors
    /// As [`lease`](Self::lease), and [`CudaError::Recorded`] on a stream that records a graph.
    pub fn lease_zeroed<T: DeviceLayout>(&self, stream: &Stream, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        stream.check_runs("zeroing a new buffer")?;
        let mut buffer = self.lease(stream, len)?;
        buffer.view_mut().zero(stream)?;
        Ok(buffer)
    }

    /// A buffer with the elements of a slice. Waits for the copy, like every copy of a slice.
    ///
    /// # Errors
    /// As [`lease`](Self::lease).
    pub fn lease_from<T: DeviceLayout>(&self, stream: &Stream, elements: &[T]) -> Result<DeviceBuffer<T>, CudaError> {
        let mut buffer = self.lease(stream, elements.len())?;
        buffer.upload(stream, elements)?;
        Ok(buffer)
    }

    /// Its counters and current size.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        self.core.statistics()
    }

    /// Returns all unused blocks to the driver after pending work on them. The result is their size in bytes.
    pub fn trim(&self) -> usize {
        self.core.trim()
    }

    /// The context of its device.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }
}

impl fmt::Debug for GpuBufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (device, statistics) = (self.context.ordinal(), self.statistics());
        f.debug_struct("GpuBufferPool")
            .field("device", &device)
            .field("statistics", &statistics)
            .finish_non_exhaustive()
    }
}

/// A device's memory, from the driver. [`GpuBufferPool::new`] uses it; [`MemorySource`] has an
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
