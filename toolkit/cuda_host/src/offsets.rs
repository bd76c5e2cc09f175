//! Offsets of ragged buffers on a device.

use crate::{Context, CudaError, DeviceBuffer, DeviceView, GpuBufferPool, Stream};
use cuda_std::launch::Offsets;

/// [`Offsets`] on a device: the limits of the segments of a ragged buffer.
///
/// They are made only from checked offsets, and nothing else writes them.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceOffsets};
/// use cuda_std::launch::Offsets;
///
/// let stream = Context::new(0)?.stream()?;
/// let mut offsets = DeviceOffsets::new(&stream, &Offsets::new(vec![0, 3, 5]).unwrap())?;
/// assert_eq!((offsets.segments(), offsets.end()), (2, 5));
/// offsets.set(&stream, &Offsets::new(vec![0, 4]).unwrap())?; // the next batch
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/arguments.rs` runs such code if there is one.
#[derive(Debug)]
pub struct DeviceOffsets {
    buffer: DeviceBuffer<u32>,
    segments: usize,
    end: u32,
}

impl DeviceOffsets {
    /// Copies offsets to the device.
    ///
    /// # Errors
    /// Those of [`DeviceBuffer::from_slice`].
    pub fn new(stream: &Stream, offsets: &Offsets) -> Result<Self, CudaError> {
        Ok(Self::of(DeviceBuffer::from_slice(stream, offsets.as_slice())?, offsets))
    }

    /// Copies offsets to memory of a pool, to which it returns.
    ///
    /// # Errors
    /// Those of [`GpuBufferPool::lease_from`].
    pub fn leased(pool: &GpuBufferPool, stream: &Stream, offsets: &Offsets) -> Result<Self, CudaError> {
        Ok(Self::of(pool.lease_from(stream, offsets.as_slice())?, offsets))
    }

    /// `offsets`, whose copy is in `buffer`.
    pub(crate) fn of(buffer: DeviceBuffer<u32>, offsets: &Offsets) -> Self {
        Self { buffer, segments: offsets.segments(), end: offsets.end() }
    }

    /// Replaces the offsets. Recorded graphs keep theirs. Allocates if there are more than ever before, or a graph keeps the
    /// old ones.
    ///
    /// # Errors
    /// Those of [`DeviceBuffer::upload`]. After an error there are no segments.
    pub fn set(&mut self, stream: &Stream, offsets: &Offsets) -> Result<(), CudaError> {
        let slice = offsets.as_slice();
        (self.segments, self.end) = (0, 0);
        // A graph keeps the offsets that its launches were checked with.
        if slice.len() > self.buffer.len() || self.buffer.is_in_graph() {
            let headroom = slice.len() + slice.len() / 4;
            self.buffer = self.buffer.another(stream, headroom)?;
        }
        self.buffer.slice_mut(..slice.len())?.upload(stream, slice)?;
        (self.segments, self.end) = (offsets.segments(), offsets.end());
        Ok(())
    }

    /// Number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// Number of elements that a buffer must have: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.end
    }

    /// The context that they belong to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer.context()
    }

    pub(crate) fn view(&self) -> DeviceView<'_, u32> {
        self.buffer.view()
    }
}
