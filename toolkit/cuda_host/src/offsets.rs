//! Offsets of ragged buffers on a device.

use crate::{Context, CudaError, DeviceBuffer, DeviceView, GpuBufferPool, Stream};
use cuda_std::launch::Offsets;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Whether the parcel that brings them to the device has been sent.
    sent: Option<Arc<AtomicBool>>,
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
        Self { buffer, segments: offsets.segments(), end: offsets.end(), sent: None }
    }

    /// `offsets` that will be in `buffer` once a parcel is sent. Until then there are no segments.
    pub(crate) fn in_parcel(buffer: DeviceBuffer<u32>, offsets: &Offsets, sent: &Arc<AtomicBool>) -> Self {
        Self { sent: Some(Arc::clone(sent)), ..Self::of(buffer, offsets) }
    }

    fn are_on_device(&self) -> bool {
        self.sent.as_ref().is_none_or(|sent| sent.load(Ordering::Acquire))
    }

    /// Replaces the offsets. Recorded graphs keep theirs. Allocates if there are more than ever before, or a graph keeps the
    /// old ones.
    ///
    /// # Errors
    /// Those of [`DeviceBuffer::upload`]. After an error there are no segments.
    pub fn set(&mut self, stream: &Stream, offsets: &Offsets) -> Result<(), CudaError> {
        let slice = offsets.as_slice();
        (self.segments, self.end) = (0, 0);
        // A graph keeps the offsets that its launches were checked with, and a parcel still brings those that were added to it.
        if slice.len() > self.buffer.len() || self.buffer.is_in_graph() || !self.are_on_device() {
            let headroom = slice.len() + slice.len() / 4;
            self.buffer = self.buffer.another(stream, headroom)?;
            self.sent = None;
        }
        self.buffer.slice_mut(..slice.len())?.upload(stream, slice)?;
        (self.segments, self.end) = (offsets.segments(), offsets.end());
        Ok(())
    }

    /// Number of segments; none while a [`Parcel`](crate::Parcel) that has them is not sent.
    #[must_use]
    pub fn segments(&self) -> usize {
        if self.are_on_device() { self.segments } else { 0 }
    }

    /// Number of elements that a buffer must have: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> u32 {
        if self.are_on_device() { self.end } else { 0 }
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
