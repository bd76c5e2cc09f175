//! Borrowed parts of device buffers.

use crate::allocation::Memory;
use crate::driver::CUdeviceptr;
use crate::part::{Part, resolve};
use crate::{CudaError, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

/// A view of some elements of a [`DeviceBuffer`](crate::DeviceBuffer), for a kernel's `&[T]`.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer};
///
/// let stream = Context::new(0)?.stream()?;
/// let x = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4])?;
/// let middle = x.view().slice(1..3)?;
/// let mut host = [0; 2];
/// middle.download_into(&stream, &mut host)?;
/// assert_eq!((host, middle.len()), ([2, 3], 2));
/// assert!(matches!(x.slice(3..9), Err(CudaError::OutOfBounds { .. })));
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/copies.rs` runs such code if there is one.
pub struct DeviceView<'a, T: DeviceLayout> {
    memory: &'a Memory,
    start: usize,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A mutable view of some elements of a [`DeviceBuffer`](crate::DeviceBuffer), for a kernel's `&mut Segment<T>`.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer};
///
/// let stream = Context::new(0)?.stream()?;
/// let mut x = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4])?;
/// // For example, two outputs of a launch in one buffer.
/// let (mut low, mut high) = x.view_mut().split_at_mut(2)?;
/// low.zero(&stream)?;
/// high.upload(&stream, &[7, 8])?;
/// low.reborrow().slice(1..)?.copy_from_device(&stream, high.as_view().slice(..1)?)?;
/// assert_eq!(x.download(&stream)?, [0, 7, 7, 8]);
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/copies.rs` runs such code if there is one.
pub struct DeviceViewMut<'a, T: DeviceLayout> {
    memory: &'a Memory,
    start: usize,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

impl<T: DeviceLayout> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceLayout> Copy for DeviceView<'_, T> {}

impl<'a, T: DeviceLayout> DeviceView<'a, T> {
    pub(crate) fn new(memory: &'a Memory, start: usize, len: usize) -> Self {
        Self { memory, start, len, element: PhantomData }
    }

    counted!(self => self.len);

    /// Some of these elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, CudaError> {
        let range = resolve(range, self.len)?;
        Ok(Self::new(self.memory, self.start + range.start, range.len()))
    }

    /// The same bytes as elements of another type of the same size, whose alignment is not larger. (Other types do not compile.)
    ///
    /// See [`Buffer`](crate::Buffer) for an example.
    #[must_use]
    pub fn cast<U: DeviceLayout>(self) -> DeviceView<'a, U> {
        const { castable::<T, U>() };
        DeviceView::new(self.memory, self.start, self.len)
    }

    /// As [`DeviceBuffer::download_into`](crate::DeviceBuffer::download_into).
    ///
    /// # Errors
    /// The same.
    pub fn download_into(&self, stream: &Stream, to: &mut [T]) -> Result<(), CudaError> {
        const OPERATION: &str = "copying from the device";
        if to.len() != self.len {
            return Err(CudaError::Length { operation: OPERATION, from: self.len, to: to.len() });
        }
        // SAFETY: the destination is as long as the source.
        unsafe { self.part().download(stream, to.as_mut_ptr().cast(), OPERATION) }
    }

    /// As [`DeviceBuffer::download`](crate::DeviceBuffer::download).
    ///
    /// # Errors
    /// The same.
    pub fn download(&self, stream: &Stream) -> Result<Vec<T>, CudaError> {
        let mut elements = vec![T::zeroed(); self.len];
        self.download_into(stream, &mut elements)?;
        Ok(elements)
    }

    /// Queues a copy to the host.
    ///
    /// # Safety
    /// `to` must have room for as many elements until the copy has ended.
    pub(crate) unsafe fn copy_to(&self, stream: &Stream, to: *mut T) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        unsafe { self.part().copy_to(stream, to.cast()) }
    }

    /// The same bytes.
    fn part(&self) -> Part<'a> {
        Part { memory: self.memory, bytes: self.bytes() }
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        address::<T>(self.memory, self.start)
    }

    pub(crate) fn memory(&self) -> &'a Memory {
        self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        bytes::<T>(self.start, self.len)
    }

    pub(crate) fn check_readable(&self, operation: &'static str) -> Result<(), CudaError> {
        self.memory.check_readable(&self.bytes(), operation)
    }
}

impl<'a, T: DeviceLayout> DeviceViewMut<'a, T> {
    pub(crate) fn new(memory: &'a Memory, start: usize, len: usize) -> Self {
        Self { memory, start, len, element: PhantomData }
    }

    counted!(self => self.len);

    /// The same elements, for a shorter time: a launch consumes its view.
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut::new(self.memory, self.start, self.len)
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_view(&self) -> DeviceView<'_, T> {
        DeviceView::new(self.memory, self.start, self.len)
    }

    /// Some of these elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self, CudaError> {
        let range = resolve(range, self.len)?;
        Ok(Self::new(self.memory, self.start + range.start, range.len()))
    }

    /// The same bytes as elements of another type of the same size, whose alignment is not larger. (Other types do not compile.)
    ///
    /// See [`Buffer`](crate::Buffer) for an example.
    #[must_use]
    pub fn cast<U: DeviceLayout>(self) -> DeviceViewMut<'a, U> {
        const { castable::<T, U>() };
        DeviceViewMut::new(self.memory, self.start, self.len)
    }

    /// The first `mid` elements, and the others.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] if there are fewer than `mid`.
    pub fn split_at_mut(self, mid: usize) -> Result<(Self, Self), CudaError> {
        let head = resolve(..mid, self.len)?;
        let first = Self::new(self.memory, self.start, head.len());
        Ok((first, Self::new(self.memory, self.start + mid, self.len - mid)))
    }

    /// As [`DeviceBuffer::upload`](crate::DeviceBuffer::upload).
    ///
    /// # Errors
    /// The same.
    pub fn upload(&mut self, stream: &Stream, from: &[T]) -> Result<(), CudaError> {
        const OPERATION: &str = "copying to the device";
        if from.len() != self.len {
            return Err(CudaError::Length { operation: OPERATION, from: from.len(), to: self.len });
        }
        // SAFETY: the source is as long as the destination.
        unsafe { self.part().upload(stream, from.as_ptr().cast(), OPERATION) }
    }

    /// Queues a copy from the host.
    ///
    /// # Safety
    /// `from` must have as many elements, which do not change until the copy has ended.
    pub(crate) unsafe fn copy_from(
        &mut self,
        stream: &Stream,
        from: *const T,
        operation: &'static str,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        unsafe { self.part().copy_from(stream, from.cast(), operation) }
    }

    /// Sets all bytes to zero after the work that uses the elements. Does not wait for it.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], and those of the driver.
    pub fn zero(&mut self, stream: &Stream) -> Result<(), CudaError> {
        self.part().zero(stream)
    }

    /// Copies other elements of a device after the work that writes them. Does not wait for it.
    ///
    /// The elements may be on another device than these; the stream is of either. Such a copy goes straight from device to
    /// device if the machine has a way for it, and otherwise through the host, which the driver does.
    ///
    /// # Errors
    /// [`CudaError::Length`]; [`CudaError::OtherDevice`] if the stream is of neither device; [`CudaError::Recorded`] if a
    /// graph would copy between devices; [`CudaError::Poisoned`]; and those of the driver.
    pub fn copy_from_device(&mut self, stream: &Stream, from: DeviceView<'_, T>) -> Result<(), CudaError> {
        const OPERATION: &str = "copying on a device";
        if from.len != self.len {
            return Err(CudaError::Length { operation: OPERATION, from: from.len, to: self.len });
        }
        self.part().copy_from_part(stream, &from.part(), OPERATION)
    }

    /// The same bytes.
    fn part(&mut self) -> Part<'a> {
        Part { memory: self.memory, bytes: self.bytes() }
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        address::<T>(self.memory, self.start)
    }

    pub(crate) fn memory(&self) -> &'a Memory {
        self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        bytes::<T>(self.start, self.len)
    }
}

impl<T: DeviceLayout> fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceView").field("element", &T::DESCRIPTION).field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T: DeviceLayout> fmt::Debug for DeviceViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceViewMut")
            .field("element", &T::DESCRIPTION)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Stops the build if elements of one type are not elements of the other.
pub(crate) const fn castable<T, U>() {
    assert!(size_of::<T>() == size_of::<U>(), "both types have the same size");
    assert!(align_of::<U>() <= align_of::<T>(), "the alignment of the other type is not larger");
}

/// Within or at the end of the allocation, whose first byte is aligned for every type.
fn address<T>(memory: &Memory, start: usize) -> CUdeviceptr {
    memory.address() + (start * size_of::<T>()) as u64
}

fn bytes<T>(start: usize, len: usize) -> Range<usize> {
    start * size_of::<T>()..(start + len) * size_of::<T>()
}
