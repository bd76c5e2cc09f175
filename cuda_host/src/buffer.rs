//! Buffers on a device.

use crate::driver::CUdeviceptr;
use crate::stream::Stream;
use crate::usage::{Access, Begun, Usage, Written};
use crate::view::{DeviceView, DeviceViewMut};
use crate::{Context, CudaError};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

/// Memory of a device, with its uses.
pub(crate) struct Allocation {
    context: Context,
    address: CUdeviceptr,
    usage: Usage<Stream>,
    pub(crate) written: Written,
}

impl Allocation {
    /// At least one element, so that there is always an address.
    fn new<T>(context: &Context, len: usize) -> Result<Self, CudaError> {
        let bytes = byte_len::<T>(len.max(1))?.max(1);
        let address = context.allocate(bytes)?;
        Ok(Self { context: context.clone(), address, usage: Usage::new(), written: Written::default() })
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    pub(crate) fn begin(&self, stream: &Stream, access: Access, operation: &'static str) -> Result<Begun, CudaError> {
        stream.check_device(&self.context, operation)?;
        self.usage.begin(stream, access)
    }

    pub(crate) fn end(&self, stream: &Stream, access: Access, begun: Begun) {
        self.usage.end(stream, access, begun);
    }

    /// An error if it is known that a launch that wrote some of `bytes` has panicked. After [`begin`](Self::begin):
    /// then a panic that becomes known in between is seen by either.
    pub(crate) fn check_readable(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError> {
        match self.written.known_panic(bytes) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }

    /// An error if a launch that wrote some of `bytes` has panicked.
    pub(crate) fn check_written(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError> {
        match self.written.panic(bytes) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }
}

impl Drop for Allocation {
    /// Waits for the work that uses the memory, then frees it.
    fn drop(&mut self) {
        if let Err(error) = self.usage.wait() {
            tracing::warn!("freeing a device buffer: {error}");
        }
        if self.context.bind().is_ok() {
            let driver = self.context.driver();
            // SAFETY: allocated once; no work on it is queued any more.
            unsafe { driver.mem_free(self.address) }.warn(driver, "freeing a device buffer");
        }
    }
}

/// Elements on a device.
///
/// A buffer knows which work uses it. Work on another stream waits for that on the device; a buffer that is
/// dropped while work on it is under way waits for its end first, on the host. Nothing is read back of what a
/// kernel wrote that has panicked.
pub struct DeviceBuffer<T: DeviceLayout> {
    allocation: Allocation,
    len: usize,
    element: PhantomData<T>,
}

impl<T: DeviceLayout> DeviceBuffer<T> {
    /// `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self, CudaError> {
        let mut buffer = Self::allocate(stream.context(), len)?;
        buffer.view_mut().zero(stream)?;
        Ok(buffer)
    }

    /// The elements of a slice.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed).
    pub fn from_slice(stream: &Stream, elements: &[T]) -> Result<Self, CudaError> {
        let mut buffer = Self::allocate(stream.context(), elements.len())?;
        buffer.upload(stream, elements)?;
        Ok(buffer)
    }

    fn allocate(context: &Context, len: usize) -> Result<Self, CudaError> {
        Ok(Self { allocation: Allocation::new::<T>(context, len)?, len, element: PhantomData })
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.allocation.context()
    }

    /// Everything, to read.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        DeviceView::new(&self.allocation, 0, self.len)
    }

    /// Everything, to write.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut::new(&self.allocation, 0, self.len)
    }

    /// Some elements, to read.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceView<'_, T>, CudaError> {
        self.view().slice(range)
    }

    /// Some elements, to write. [`DeviceViewMut::split_at_mut`] gives several at once.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'_, T>, CudaError> {
        self.view_mut().slice(range)
    }

    /// Copies as many elements from the host, and waits for the end of it.
    ///
    /// # Errors
    /// [`CudaError::Length`], [`CudaError::OtherDevice`], and those of the driver.
    pub fn upload(&mut self, stream: &Stream, from: &[T]) -> Result<(), CudaError> {
        self.view_mut().upload(stream, from)
    }

    /// Copies all elements to the host, when the work that writes them is done.
    ///
    /// # Errors
    /// [`CudaError::Panic`] or [`CudaError::Poisoned`] when a kernel has panicked that wrote them, or one that
    /// wrote what they were computed from; [`CudaError::Length`], [`CudaError::OtherDevice`], and the driver's.
    pub fn download_into(&self, stream: &Stream, to: &mut [T]) -> Result<(), CudaError> {
        self.view().download_into(stream, to)
    }

    /// Copies all elements to a new vector, when the work that writes them is done.
    ///
    /// # Errors
    /// As [`download_into`](Self::download_into).
    pub fn download(&self, stream: &Stream) -> Result<Vec<T>, CudaError> {
        self.view().download(stream)
    }

    /// Waits until no work uses the buffer. Says nothing of panics.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait_unused(&self) -> Result<(), CudaError> {
        self.allocation.usage.wait()
    }
}

impl<T: DeviceLayout> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("element", &T::DESCRIPTION)
            .field("len", &self.len)
            .field("device", &self.context().ordinal())
            .finish_non_exhaustive()
    }
}

/// Bytes of `len` elements.
pub(crate) fn byte_len<T>(len: usize) -> Result<usize, CudaError> {
    let element_bytes = size_of::<T>();
    len.checked_mul(element_bytes)
        .filter(|bytes| isize::try_from(*bytes).is_ok())
        .ok_or(CudaError::TooLarge { elements: len, element_bytes })
}

/// The range that `bounds` mean in a buffer of `len` elements.
pub(crate) fn resolve(bounds: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>, CudaError> {
    let start = match bounds.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match bounds.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if start <= end && end <= len { Ok(start..end) } else { Err(CudaError::OutOfBounds { range: start..end, len }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_slices() {
        assert_eq!(resolve(.., 5).unwrap(), 0..5);
        assert_eq!(resolve(2.., 5).unwrap(), 2..5);
        assert_eq!(resolve(..=4, 5).unwrap(), 0..5);
        assert_eq!(resolve(5..5, 5).unwrap(), 5..5);
        for (range, text) in [(4..6, "4..6"), (6..6, "6..6")] {
            let error = resolve(range, 5).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("of 5"), "{error}");
        }
        assert!(resolve(..=usize::MAX, 5).is_err());
        let (start, end) = (3, 2);
        assert!(resolve(start..end, 5).is_err());
    }

    #[test]
    fn sizes_that_overflow_are_refused() {
        assert_eq!(byte_len::<u32>(3).unwrap(), 12);
        assert!(matches!(byte_len::<u64>(usize::MAX / 4), Err(CudaError::TooLarge { element_bytes: 8, .. })));
        assert!(byte_len::<u8>(usize::MAX).is_err());
    }
}
