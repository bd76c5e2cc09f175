//! Page-locked elements that do not change any more.

use crate::{CudaError, DeviceViewMut, PinnedBuffer, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::ops::{Deref, Range};

/// Elements in page-locked memory that do not change any more: a slice for every thread, also while parts of it are copied to devices.
///
/// Its memory is freed, or used again by its [`PinnedPool`](crate::PinnedPool), after those copies.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, PinnedBuffer};
///
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let mut buffer = PinnedBuffer::<f32>::zeroed(&context, 1000)?;
/// buffer.as_mut_slice()?[400..600].fill(1.5);
/// let shared = buffer.into_slice()?;
/// let mut device = DeviceBuffer::<f32>::zeroed(&stream, 200)?;
/// shared.upload(&stream, 400..600, device.view_mut())?; // does not wait
/// assert_eq!(shared[500], 1.5); // neither does this
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/staging.rs` runs such code if there is one.
pub struct PinnedSlice<T: DeviceLayout> {
    buffer: PinnedBuffer<T>,
}

impl<T: DeviceLayout> PinnedSlice<T> {
    /// `buffer` has no pending copy to it, and nobody else has it.
    pub(crate) fn new(buffer: PinnedBuffer<T>) -> Self {
        Self { buffer }
    }

    /// Copies some of the elements to the device without waiting.
    ///
    /// # Errors
    /// [`CudaError::Length`] if there are not as many as in `to`, [`CudaError::OutOfBounds`] if there are no such elements,
    /// [`CudaError::OtherDevice`], and those of the driver.
    pub fn upload(&self, stream: &Stream, range: Range<usize>, to: DeviceViewMut<'_, T>) -> Result<(), CudaError> {
        self.buffer.upload_range(stream, range, to)
    }
}

impl<T: DeviceLayout> Deref for PinnedSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: there are as many elements of plain data. Copies to them, which take the buffer by `&mut`, ended before it came here.
        unsafe { std::slice::from_raw_parts(self.buffer.pointer(), self.buffer.len()) }
    }
}

impl<T: DeviceLayout> fmt::Debug for PinnedSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedSlice")
            .field("element", &T::DESCRIPTION)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
