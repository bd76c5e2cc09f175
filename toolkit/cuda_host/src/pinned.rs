//! Page-locked host memory, for copies that run beside the program.

use crate::buffer::byte_len;
use crate::part::resolve;
use crate::pinned_block::PinnedBlock;
use crate::pinned_slice::PinnedSlice;
use crate::pool::Lease;
use crate::slot::Watch;
use crate::usage::Access;
use crate::{Context, CudaError, DeviceView, DeviceViewMut, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// What copies to a device are called in errors.
const UPLOAD: &str = "copying from page-locked memory";

/// Elements in page-locked memory. Copies to and from it run while the program continues, on streams of any device.
///
/// The buffer knows its pending copies. Accessing its elements waits for them. So does dropping it, unless it belongs to a
/// [`PinnedPool`](crate::PinnedPool): then its memory returns to the pool, and its next user waits.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, PinnedBuffer};
///
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let mut host = PinnedBuffer::<f32>::zeroed(&context, 1000)?;
/// host.as_mut_slice()?.fill(1.5);
/// let mut device = DeviceBuffer::<f32>::zeroed(&stream, 1000)?;
/// host.upload(&stream, device.view_mut())?; // does not wait
/// let mut back = PinnedBuffer::zeroed(&context, 1000)?;
/// back.download(&stream, device.view())?;
/// println!("done: {}", back.is_idle()?);
/// assert_eq!(back.as_slice()?[999], 1.5); // waits
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/staging.rs` runs such code if there is one.
pub struct PinnedBuffer<T: DeviceLayout> {
    lease: Lease<PinnedBlock>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: DeviceLayout> PinnedBuffer<T> {
    /// `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn zeroed(context: &Context, len: usize) -> Result<Self, CudaError> {
        let block = PinnedBlock::allocate(context, byte_len::<T>(len)?)?;
        Ok(Self::in_lease(Lease::owned(block), len))
    }

    /// `len` elements with unspecified contents, in memory with room for them.
    pub(crate) fn in_lease(lease: Lease<PinnedBlock>, len: usize) -> Self {
        Self { lease, len, element: PhantomData }
    }

    /// The same memory as bytes.
    pub(crate) fn into_bytes(self) -> PinnedBuffer<u8> {
        PinnedBuffer::in_lease(self.lease, self.len * size_of::<T>())
    }

    counted!(self => self.len);

    /// The context that it was made with.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.lease.context()
    }

    /// Whether no copy is pending, so that accessing the elements does not wait.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn is_idle(&self) -> Result<bool, CudaError> {
        self.lease.copies().is_idle()
    }

    /// The elements, after pending copies.
    ///
    /// # Errors
    /// [`CudaError::Panic`] or [`CudaError::Poisoned`] if they were copied from results of a kernel that panicked.
    pub fn as_slice(&self) -> Result<&[T], CudaError> {
        self.lease.copies().wait_to_read()?;
        // SAFETY: there are as many elements of plain data; no copy changes them, since that takes `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer(), self.len) })
    }

    /// The elements for writing, after pending copies. Clears the mark of invalid results.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], CudaError> {
        self.lease.copies().wait_to_write()?;
        // SAFETY: there are as many elements of plain data, borrowed only by this call; no copy is pending.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer(), self.len) })
    }

    /// Copies the first elements to the device without waiting.
    ///
    /// # Errors
    /// [`CudaError::Length`] if there are fewer than in `to`, [`CudaError::OtherDevice`], and those of the driver.
    pub fn upload(&self, stream: &Stream, to: DeviceViewMut<'_, T>) -> Result<(), CudaError> {
        if self.len < to.len() {
            return Err(CudaError::Length { operation: UPLOAD, from: self.len, to: to.len() });
        }
        self.upload_range(stream, 0..to.len(), to)
    }

    /// The elements for several threads, after pending copies. They do not change any more.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    pub fn into_slice(self) -> Result<PinnedSlice<T>, CudaError> {
        self.lease.copies().wait_to_read()?;
        Ok(PinnedSlice::new(self))
    }

    /// Copies some of the elements to the device without waiting.
    pub(crate) fn upload_range(
        &self,
        stream: &Stream,
        range: Range<usize>,
        mut to: DeviceViewMut<'_, T>,
    ) -> Result<(), CudaError> {
        let range = resolve(range, self.len)?;
        if range.len() != to.len() {
            return Err(CudaError::Length { operation: UPLOAD, from: range.len(), to: to.len() });
        }
        stream.check_runs(UPLOAD)?;
        let mut copies = self.lease.copies();
        copies.check(UPLOAD)?;
        copies.follow(stream)?;
        // SAFETY: the range is within the elements; changing or freeing these waits for the event of this copy.
        let copied = unsafe { to.copy_from(stream, self.pointer().add(range.start), UPLOAD) };
        copies.note(stream, None)?;
        copied
    }

    /// Copies from the device to the first elements without waiting.
    ///
    /// # Errors
    /// [`CudaError::Length`] if `from` has more, [`CudaError::OtherDevice`], [`CudaError::Poisoned`], and those of the
    /// driver.
    pub fn download(&mut self, stream: &Stream, from: DeviceView<'_, T>) -> Result<(), CudaError> {
        const OPERATION: &str = "copying to page-locked memory";
        if self.len < from.len() {
            return Err(CudaError::Length { operation: OPERATION, from: from.len(), to: self.len });
        }
        stream.check_runs(OPERATION)?;
        let mut copies = self.lease.copies();
        copies.follow(stream)?;
        let _turn = stream.enter(OPERATION)?;
        let watch = Watch::new(stream.slot());
        let begun = from.memory().begin(stream, Access::Read, from.bytes(), OPERATION)?;
        from.check_readable(OPERATION)?;
        // SAFETY: long enough; reading or freeing the elements waits for the event of this copy.
        let copied = unsafe { from.copy_to(stream, self.pointer()) };
        from.memory().end(stream, Access::Read, begun);
        copies.note(stream, Some(watch))?;
        copied
    }

    pub(crate) fn block(&self) -> &PinnedBlock {
        &self.lease
    }

    pub(crate) fn pointer(&self) -> *mut T {
        self.lease.pointer().cast()
    }
}

impl<T: DeviceLayout> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer").field("element", &T::DESCRIPTION).field("len", &self.len).finish_non_exhaustive()
    }
}
