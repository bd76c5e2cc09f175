//! Buffers of a machine of either kind.

use super::{BufferView, BufferViewMut, Choice, Machine};
use crate::buffer::byte_len;
use crate::{CudaError, DeviceBuffer, DeviceOffsets, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::Offsets;
use std::fmt;
use std::ops::RangeBounds;

/// Elements in a [`Machine`]'s memory: a [`DeviceBuffer`] with its stream, or a vector.
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu(); // a GPU works in the same way
/// let mut x = machine.buffer(&[1u32, 2, 3, 4])?;
/// let (mut low, high) = x.view_mut().split_at_mut(2)?;
/// low.upload(&[7, 8])?;
/// assert_eq!(high.as_view().download()?, [3, 4]);
/// assert_eq!((x.download()?, x.len()), (vec![7, 8, 3, 4], 4));
/// assert!(matches!(x.slice(3..9), Err(CudaError::OutOfBounds { .. })));
/// // The same bytes as other elements; a copy; zeros.
/// let mut y = machine.buffer(&[1.0f32; 4])?;
/// assert_eq!(y.view().cast::<u32>().download()?, [0x3f80_0000; 4]);
/// y.view_mut().cast::<u32>().copy_from(x.view())?;
/// y.slice_mut(..2)?.zero()?;
/// assert_eq!(y.view().cast::<u32>().download()?, [0, 0, 3, 4]);
/// # Ok::<(), CudaError>(())
/// ```
pub struct Buffer<T: DeviceLayout>(Memory<T>);

enum Memory<T: DeviceLayout> {
    Host(Vec<T>),
    Device(DeviceBuffer<T>, Stream),
}

impl<T: DeviceLayout> Buffer<T> {
    pub(super) fn from_slice(machine: &Machine, elements: &[T]) -> Result<Self, CudaError> {
        Ok(Self(match &machine.executor {
            Choice::Cpu(_) => Memory::Host(elements.to_vec()),
            Choice::Cuda(executor) => {
                let stream = executor.stream();
                Memory::Device(DeviceBuffer::from_slice(stream, elements)?, stream.clone())
            }
        }))
    }

    pub(super) fn zeroed(machine: &Machine, len: usize) -> Result<Self, CudaError> {
        Ok(Self(match &machine.executor {
            Choice::Cpu(_) => {
                byte_len::<T>(len)?;
                Memory::Host(vec![T::zeroed(); len])
            }
            Choice::Cuda(executor) => {
                let stream = executor.stream();
                Memory::Device(DeviceBuffer::zeroed(stream, len)?, stream.clone())
            }
        }))
    }

    counted!(self => match &self.0 {
        Memory::Host(elements) => elements.len(),
        Memory::Device(buffer, _) => buffer.len(),
    });

    /// A view of all elements, for a kernel's `&[T]`.
    #[must_use]
    pub fn view(&self) -> BufferView<'_, T> {
        match &self.0 {
            Memory::Host(elements) => BufferView::host(elements),
            Memory::Device(buffer, stream) => BufferView::device(buffer.view(), stream),
        }
    }

    /// A mutable view of all elements.
    #[must_use]
    pub fn view_mut(&mut self) -> BufferViewMut<'_, T> {
        match &mut self.0 {
            Memory::Host(elements) => BufferViewMut::host(elements),
            Memory::Device(buffer, stream) => BufferViewMut::device(buffer.view_mut(), stream),
        }
    }

    /// A view of some elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferView<'_, T>, CudaError> {
        self.view().slice(range)
    }

    /// A mutable view of some elements. [`BufferViewMut::split_at_mut`] gives several at once.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferViewMut<'_, T>, CudaError> {
        self.view_mut().slice(range)
    }

    /// Copies all elements from a slice of the same length, and waits for the copy.
    ///
    /// # Errors
    /// [`CudaError::Length`], and those of the driver.
    pub fn upload(&mut self, from: &[T]) -> Result<(), CudaError> {
        self.view_mut().upload(from)
    }

    /// Copies all elements to a new vector after the launches that write them.
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn download(&self) -> Result<Vec<T>, CudaError> {
        self.view().download()
    }

    /// All elements as a vector. Copies only if they are on a device.
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn into_vec(self) -> Result<Vec<T>, CudaError> {
        match self.0 {
            Memory::Host(elements) => Ok(elements),
            Memory::Device(buffer, stream) => buffer.into_vec(&stream),
        }
    }
}

impl<T: DeviceLayout> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Memory::Host(elements) => {
                f.debug_struct("Buffer").field("element", &T::DESCRIPTION).field("len", &elements.len()).finish()
            }
            Memory::Device(buffer, _) => buffer.fmt(f),
        }
    }
}

/// [`Offsets`] in a [`Machine`]'s memory.
///
/// ```
/// use cuda_host::{CudaError, Machine};
/// use cuda_std::launch::Offsets;
///
/// let offsets = Machine::cpu().offsets(&Offsets::new(vec![0, 3, 5]).unwrap())?;
/// assert_eq!((offsets.segments(), offsets.end()), (2, 5));
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Debug)]
pub struct BufferOffsets(Where);

#[derive(Debug)]
enum Where {
    Host(Offsets),
    Device(DeviceOffsets),
}

impl BufferOffsets {
    pub(super) fn new(machine: &Machine, offsets: &Offsets) -> Result<Self, CudaError> {
        Ok(Self(match &machine.executor {
            Choice::Cpu(_) => Where::Host(offsets.clone()),
            Choice::Cuda(executor) => Where::Device(DeviceOffsets::new(executor.stream(), offsets)?),
        }))
    }

    /// Number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        match &self.0 {
            Where::Host(offsets) => offsets.segments(),
            Where::Device(offsets) => offsets.segments(),
        }
    }

    /// Number of elements that a buffer must have: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> u32 {
        match &self.0 {
            Where::Host(offsets) => offsets.end(),
            Where::Device(offsets) => offsets.end(),
        }
    }

    pub(super) fn as_host(&self) -> Option<&Offsets> {
        match &self.0 {
            Where::Host(offsets) => Some(offsets),
            Where::Device(_) => None,
        }
    }

    pub(super) fn as_device(&self) -> Option<&DeviceOffsets> {
        match &self.0 {
            Where::Host(_) => None,
            Where::Device(offsets) => Some(offsets),
        }
    }
}
