//! Buffers on a device.

use crate::allocation::{DeviceBlock, Memory};
use crate::part::Part;
use crate::pool::Lease;
use crate::stream::Stream;
use crate::view::{DeviceView, DeviceViewMut};
use crate::{Context, CudaError};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

/// Elements on a device.
///
/// A buffer knows the work that uses it. Work on another stream waits for it on the device. Dropping a buffer waits on the
/// host for work that uses it, and then returns its memory to the driver. A buffer from a
/// [`GpuBufferPool`](crate::GpuBufferPool) does not wait: its memory returns to the pool. Results of a kernel that panicked
/// cannot be read.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer};
///
/// let stream = Context::new(0)?.stream()?;
/// let mut x = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4])?;
/// let zeros = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
/// x.slice_mut(1..3)?.copy_from_device(&stream, zeros.view())?;
/// assert_eq!(x.download(&stream)?, [1, 0, 0, 4]);
/// x.grow(&stream, 5)?; // the new one is 0
/// x.upload(&stream, &[5, 6, 7, 8, 9])?;
/// x.truncate(3);
/// assert!(x.len() == 3 && x.capacity() >= 5);
/// assert_eq!(x.slice(1..)?.download(&stream)?, [6, 7]);
/// assert_eq!(x.into_vec(&stream)?, [5, 6, 7]);
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/copies.rs` runs such code if there is one.
pub struct DeviceBuffer<T: DeviceLayout> {
    memory: Memory,
    /// The bytes of the memory that belong to this buffer: all of them, or some if it is part of a parcel. They begin at a
    /// multiple of the element's size.
    room: Range<usize>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: DeviceLayout> DeviceBuffer<T> {
    /// `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::TooLarge`], [`CudaError::Recorded`] on a stream that records a graph, where the
    /// buffer would have any contents until the graph is launched, and those of the driver.
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self, CudaError> {
        stream.check_runs("zeroing a new buffer")?;
        let mut buffer = Self::unwritten(stream.context(), len)?;
        buffer.view_mut().zero(stream)?;
        Ok(buffer)
    }

    /// A buffer with the elements of a slice.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed).
    pub fn from_slice(stream: &Stream, elements: &[T]) -> Result<Self, CudaError> {
        let mut buffer = Self::unwritten(stream.context(), elements.len())?;
        buffer.upload(stream, elements)?;
        Ok(buffer)
    }

    /// Elements in memory of another library, for example a Python array. `owner` keeps the memory alive; it is dropped
    /// after the work that uses the buffer.
    ///
    /// # Safety
    /// Until `owner` is dropped, there are `len` elements at `address`, which is aligned for them, in memory that kernels
    /// on the device of `context` can access. Other work that writes them has ended before this call. Other code uses them
    /// again only after the work here, for which it waits itself.
    ///
    /// # Errors
    /// [`CudaError::TooLarge`].
    pub unsafe fn from_foreign(
        context: &Context,
        address: u64,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> Result<Self, CudaError> {
        // SAFETY: ensured by the caller.
        let block = unsafe { DeviceBlock::foreign(context, address, byte_len::<T>(len)?, Box::new(owner)) };
        Ok(Self::in_lease(Lease::owned(block), len))
    }

    /// Elements in memory of another library, for a scope.
    ///
    /// # Safety
    /// As for [`ForeignScope::buffer`](crate::ForeignScope::buffer).
    pub(crate) unsafe fn in_scope(context: &Context, address: u64, len: usize) -> Result<Self, CudaError> {
        // SAFETY: ensured by the caller.
        let block = unsafe { DeviceBlock::in_scope(context, address, byte_len::<T>(len)?) };
        Ok(Self::in_lease(Lease::owned(block), len))
    }

    /// `len` elements with unspecified contents.
    pub(crate) fn unwritten(context: &Context, len: usize) -> Result<Self, CudaError> {
        let block = DeviceBlock::allocate(context, byte_len::<T>(len)?)?;
        Ok(Self::in_lease(Lease::owned(block), len))
    }

    /// `len` elements with unspecified contents, in memory with room for them.
    pub(crate) fn in_lease(lease: Lease<DeviceBlock>, len: usize) -> Self {
        Self::whole(Memory::new(lease), len)
    }

    /// The first `len` elements of a memory of its own.
    fn whole(memory: Memory, len: usize) -> Self {
        let room = 0..memory.bytes();
        Self { memory, room, len, element: PhantomData }
    }

    /// `len` elements in a part of a memory, which no other buffer has.
    pub(crate) fn part(memory: &Memory, room: Range<usize>, len: usize) -> Self {
        Self { memory: memory.clone(), room, len, element: PhantomData }
    }

    /// `len` elements with unspecified contents, in new memory from this buffer's source.
    pub(crate) fn another(&self, stream: &Stream, len: usize) -> Result<Self, CudaError> {
        Ok(Self::whole(another(&self.memory, stream, byte_len::<T>(len)?)?, len))
    }

    /// Makes the buffer at least `len` elements long and keeps its contents; new elements are zero bytes. If its memory has
    /// no room, it gets new memory from the same source and copies on the device. Only freeing old memory that does not
    /// belong to a pool waits.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::TooLarge`], [`CudaError::Poisoned`] if its contents must not be read, and
    /// those of the driver. The buffer then stays unchanged.
    pub fn grow(&mut self, stream: &Stream, len: usize) -> Result<(), CudaError> {
        stream.check_runs("growing a device buffer")?;
        if len > self.len {
            grow(&mut self.memory, &mut self.room, stream, size_of::<T>() * self.len, byte_len::<T>(len)?)?;
            self.len = len;
        }
        Ok(())
    }

    /// Makes the buffer at most `len` elements long. Its memory stays.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The capacity in elements; [`grow`](Self::grow) keeps the memory up to it.
    #[must_use]
    pub fn capacity(&self) -> usize {
        match size_of::<T>() {
            0 => usize::MAX,
            size => self.room.len() / size,
        }
    }

    /// Whether a graph uses its memory: the graph's next launch reads what is written now. A buffer of a
    /// [`Parcel`](crate::Parcel) counts as such, since others have the same memory.
    #[must_use]
    pub fn is_in_graph(&self) -> bool {
        self.memory.is_shared()
    }

    counted!(self => self.len);

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.memory.context()
    }

    /// A view of all elements.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        DeviceView::new(&self.memory, self.first(), self.len)
    }

    /// A mutable view of all elements.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut::new(&self.memory, self.first(), self.len)
    }

    /// Where it begins in its memory, in elements.
    fn first(&self) -> usize {
        self.room.start.checked_div(size_of::<T>()).unwrap_or(0)
    }

    /// A view of some elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceView<'_, T>, CudaError> {
        self.view().slice(range)
    }

    /// A mutable view of some elements. [`DeviceViewMut::split_at_mut`] gives several at once.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'_, T>, CudaError> {
        self.view_mut().slice(range)
    }

    /// Copies all elements from a slice of the same length, and waits for the copy.
    ///
    /// # Errors
    /// [`CudaError::Length`], [`CudaError::OtherDevice`], and those of the driver.
    pub fn upload(&mut self, stream: &Stream, from: &[T]) -> Result<(), CudaError> {
        self.view_mut().upload(stream, from)
    }

    /// Copies all elements to the host after the work that writes them.
    ///
    /// # Errors
    /// [`CudaError::Panic`] or [`CudaError::Poisoned`] if a kernel panicked that wrote them, or one that wrote its inputs;
    /// [`CudaError::Length`], [`CudaError::OtherDevice`], and those of the driver.
    pub fn download_into(&self, stream: &Stream, to: &mut [T]) -> Result<(), CudaError> {
        self.view().download_into(stream, to)
    }

    /// Copies all elements to a new vector after the work that writes them.
    ///
    /// # Errors
    /// As [`download_into`](Self::download_into).
    pub fn download(&self, stream: &Stream) -> Result<Vec<T>, CudaError> {
        self.view().download(stream)
    }

    /// Copies all elements to a new vector, and frees the buffer.
    ///
    /// # Errors
    /// As [`download_into`](Self::download_into).
    pub fn into_vec(self, stream: &Stream) -> Result<Vec<T>, CudaError> {
        self.download(stream)
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Waits until no work uses the buffer. Does not report panics.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait_unused(&self) -> Result<(), CudaError> {
        self.memory.usage.wait()
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

/// Grows a buffer's part of a memory to `bytes` bytes and keeps the first `kept`: see [`DeviceBuffer::grow`].
fn grow(
    memory: &mut Memory,
    room: &mut Range<usize>,
    stream: &Stream,
    kept: usize,
    bytes: usize,
) -> Result<(), CudaError> {
    let start = room.start;
    if bytes <= room.len() {
        // The rest belongs to this buffer, and there is no view of it.
        return Part { memory, bytes: start + kept..start + bytes }.zero(stream);
    }
    let longer = another(memory, stream, bytes)?;
    Part { memory: &longer, bytes: kept..bytes }.zero(stream)?;
    let from = Part { memory, bytes: start..start + kept };
    Part { memory: &longer, bytes: 0..kept }.copy_from_part(stream, &from, "copying on the device")?;
    (*room, *memory) = (0..longer.bytes(), longer);
    Ok(())
}

/// New memory of `bytes` bytes from the same source.
fn another(memory: &Memory, stream: &Stream, bytes: usize) -> Result<Memory, CudaError> {
    let lease = match memory.lease().home() {
        Some(pool) => {
            let block = pool.take(bytes, stream)?;
            Lease::of(&pool, block)
        }
        None => Lease::owned(DeviceBlock::allocate(memory.context(), bytes)?),
    };
    Ok(Memory::new(lease))
}

/// Size of `len` elements in bytes.
pub(crate) fn byte_len<T>(len: usize) -> Result<usize, CudaError> {
    let element_bytes = size_of::<T>();
    len.checked_mul(element_bytes)
        .filter(|bytes| isize::try_from(*bytes).is_ok())
        .ok_or(CudaError::TooLarge { elements: len, element_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_overflow_are_refused() {
        assert_eq!(byte_len::<u32>(3).unwrap(), 12);
        assert!(matches!(byte_len::<u64>(usize::MAX / 4), Err(CudaError::TooLarge { element_bytes: 8, .. })));
        assert!(byte_len::<u8>(usize::MAX).is_err());
    }
}
