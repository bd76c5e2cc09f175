//! Borrowed parts of a machine's buffers.

use crate::part::resolve;
use crate::view::castable;
use crate::{CudaError, DeviceView, DeviceViewMut, Stream};
use bytemuck::{cast_slice, cast_slice_mut};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::ops::RangeBounds;

/// A view of some elements of a [`Buffer`](super::Buffer), for a kernel's `&[T]`. See [`Buffer`](super::Buffer) for an
/// example.
pub struct BufferView<'a, T: DeviceLayout>(Shared<'a, T>);

enum Shared<'a, T: DeviceLayout> {
    Host(&'a [T]),
    Device(DeviceView<'a, T>, &'a Stream),
}

/// A mutable view of some elements of a [`Buffer`](super::Buffer). See [`Buffer`](super::Buffer) for an example.
pub struct BufferViewMut<'a, T: DeviceLayout>(Unique<'a, T>);

enum Unique<'a, T: DeviceLayout> {
    Host(&'a mut [T]),
    Device(DeviceViewMut<'a, T>, &'a Stream),
}

impl<T: DeviceLayout> Clone for BufferView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceLayout> Copy for BufferView<'_, T> {}

impl<T: DeviceLayout> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceLayout> Copy for Shared<'_, T> {}

impl<'a, T: DeviceLayout> BufferView<'a, T> {
    pub(super) fn host(elements: &'a [T]) -> Self {
        Self(Shared::Host(elements))
    }

    pub(super) fn device(view: DeviceView<'a, T>, stream: &'a Stream) -> Self {
        Self(Shared::Device(view, stream))
    }

    counted!(self => match &self.0 {
        Shared::Host(elements) => elements.len(),
        Shared::Device(view, _) => view.len(),
    });

    /// Some of these elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, CudaError> {
        Ok(match self.0 {
            Shared::Host(elements) => Self::host(&elements[resolve(range, elements.len())?]),
            Shared::Device(view, stream) => Self::device(view.slice(range)?, stream),
        })
    }

    /// The same bytes as elements of another type of the same size, whose alignment is not larger. (Other types do not compile.)
    ///
    /// See [`Buffer`](super::Buffer) for an example.
    #[must_use]
    pub fn cast<U: DeviceLayout>(self) -> BufferView<'a, U> {
        const { castable::<T, U>() };
        match self.0 {
            Shared::Host(elements) => BufferView::host(cast_slice(elements)),
            Shared::Device(view, stream) => BufferView::device(view.cast(), stream),
        }
    }

    /// As [`Buffer::download`](super::Buffer::download).
    ///
    /// # Errors
    /// The same.
    pub fn download(&self) -> Result<Vec<T>, CudaError> {
        match self.0 {
            Shared::Host(elements) => Ok(elements.to_vec()),
            Shared::Device(view, stream) => view.download(stream),
        }
    }

    /// Copies all elements to a slice of the same length after the launches that write them.
    ///
    /// # Errors
    /// [`CudaError::Length`], and those of [`download`](Self::download).
    pub fn download_into(&self, to: &mut [T]) -> Result<(), CudaError> {
        match self.0 {
            Shared::Host(from) if from.len() == to.len() => {
                to.copy_from_slice(from);
                Ok(())
            }
            Shared::Host(from) => {
                Err(CudaError::Length { operation: "copying from a buffer", from: from.len(), to: to.len() })
            }
            Shared::Device(view, stream) => view.download_into(stream, to),
        }
    }

    /// The elements, if they are in host memory.
    #[must_use]
    pub fn as_host(&self) -> Option<&'a [T]> {
        match self.0 {
            Shared::Host(elements) => Some(elements),
            Shared::Device(..) => None,
        }
    }

    /// The elements, if they are in a device's memory.
    #[must_use]
    pub fn as_device(&self) -> Option<DeviceView<'a, T>> {
        match self.0 {
            Shared::Host(_) => None,
            Shared::Device(view, _) => Some(view),
        }
    }
}

impl<'a, T: DeviceLayout> BufferViewMut<'a, T> {
    pub(super) fn host(elements: &'a mut [T]) -> Self {
        Self(Unique::Host(elements))
    }

    pub(super) fn device(view: DeviceViewMut<'a, T>, stream: &'a Stream) -> Self {
        Self(Unique::Device(view, stream))
    }

    counted!(self => match &self.0 {
        Unique::Host(elements) => elements.len(),
        Unique::Device(view, _) => view.len(),
    });

    /// The same elements, for a shorter time: a launch consumes its view.
    #[must_use]
    pub fn reborrow(&mut self) -> BufferViewMut<'_, T> {
        match &mut self.0 {
            Unique::Host(elements) => BufferViewMut::host(elements),
            Unique::Device(view, stream) => BufferViewMut::device(view.reborrow(), stream),
        }
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_view(&self) -> BufferView<'_, T> {
        match &self.0 {
            Unique::Host(elements) => BufferView::host(elements),
            Unique::Device(view, stream) => BufferView::device(view.as_view(), stream),
        }
    }

    /// Some of these elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self, CudaError> {
        Ok(match self.0 {
            Unique::Host(elements) => {
                let range = resolve(range, elements.len())?;
                Self::host(&mut elements[range])
            }
            Unique::Device(view, stream) => Self::device(view.slice(range)?, stream),
        })
    }

    /// The first `mid` elements and the others, both of which a launch may write.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn split_at_mut(self, mid: usize) -> Result<(Self, Self), CudaError> {
        Ok(match self.0 {
            Unique::Host(elements) => {
                resolve(mid.., elements.len())?;
                let (low, high) = elements.split_at_mut(mid);
                (Self::host(low), Self::host(high))
            }
            Unique::Device(view, stream) => {
                let (low, high) = view.split_at_mut(mid)?;
                (Self::device(low, stream), Self::device(high, stream))
            }
        })
    }

    /// The same bytes as elements of another type of the same size, whose alignment is not larger. (Other types do not compile.)
    ///
    /// See [`Buffer`](super::Buffer) for an example.
    #[must_use]
    pub fn cast<U: DeviceLayout>(self) -> BufferViewMut<'a, U> {
        const { castable::<T, U>() };
        match self.0 {
            Unique::Host(elements) => BufferViewMut::host(cast_slice_mut(elements)),
            Unique::Device(view, stream) => BufferViewMut::device(view.cast(), stream),
        }
    }

    /// Sets all bytes to zero after the launches that use the elements. On a GPU this does not wait.
    ///
    /// # Errors
    /// Those of [`DeviceViewMut::zero`].
    pub fn zero(&mut self) -> Result<(), CudaError> {
        match &mut self.0 {
            Unique::Host(elements) => {
                elements.fill(T::zeroed());
                Ok(())
            }
            Unique::Device(view, stream) => view.zero(stream),
        }
    }

    /// Copies other elements of the machine after the launches that write them. On a GPU this does not wait.
    ///
    /// # Errors
    /// [`CudaError::Length`], and those of the copy. If one is in host memory and the other one is not, those of
    /// [`upload`](Self::upload) or [`download`](BufferView::download).
    pub fn copy_from(&mut self, from: BufferView<'_, T>) -> Result<(), CudaError> {
        match (&mut self.0, from.0) {
            (Unique::Device(view, stream), Shared::Device(from, _)) => view.copy_from_device(stream, from),
            (_, Shared::Host(from)) => self.upload(from),
            (_, Shared::Device(..)) => self.upload(&from.download()?),
        }
    }

    /// As [`Buffer::upload`](super::Buffer::upload).
    ///
    /// # Errors
    /// The same.
    pub fn upload(&mut self, from: &[T]) -> Result<(), CudaError> {
        match &mut self.0 {
            Unique::Host(elements) if elements.len() == from.len() => {
                elements.copy_from_slice(from);
                Ok(())
            }
            Unique::Host(elements) => {
                Err(CudaError::Length { operation: "copying to a buffer", from: from.len(), to: elements.len() })
            }
            Unique::Device(view, stream) => view.upload(stream, from),
        }
    }

    /// The elements, if they are in host memory.
    #[must_use]
    pub fn into_host(self) -> Option<&'a mut [T]> {
        match self.0 {
            Unique::Host(elements) => Some(elements),
            Unique::Device(..) => None,
        }
    }

    /// The elements, if they are in a device's memory.
    #[must_use]
    pub fn into_device(self) -> Option<DeviceViewMut<'a, T>> {
        match self.0 {
            Unique::Host(_) => None,
            Unique::Device(view, _) => Some(view),
        }
    }
}

impl<'a, T: DeviceLayout> From<&'a [T]> for BufferView<'a, T> {
    fn from(elements: &'a [T]) -> Self {
        Self::host(elements)
    }
}

impl<'a, T: DeviceLayout> From<&'a mut [T]> for BufferViewMut<'a, T> {
    fn from(elements: &'a mut [T]) -> Self {
        Self::host(elements)
    }
}

impl<T: DeviceLayout> fmt::Debug for BufferView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.as_host().is_some() { "host" } else { "device" };
        f.debug_struct("BufferView").field("len", &self.len()).field("memory", &place).finish()
    }
}

impl<T: DeviceLayout> fmt::Debug for BufferViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferViewMut").field("view", &self.as_view()).finish()
    }
}
