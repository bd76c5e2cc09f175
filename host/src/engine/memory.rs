//! Memory that a batch can be computed in: the host's or a device's.

use cuda_host::{CudaError, Device, DeviceBuffer, DeviceOffsets, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{Host, Offsets, Space};
use std::convert::Infallible;

/// Makes, fills and reads buffers. A buffer is kept from batch to batch, and as long as the longest one needed.
pub trait Memory {
    /// What kernels know it as.
    type Space: Space;
    /// What can go wrong.
    type Error;
    /// Elements of one type.
    type Buffer<T: DeviceLayout>;
    /// Where the segments of buffers are.
    type Offsets;

    /// A buffer of no elements.
    ///
    /// # Errors
    /// Where there is no memory.
    fn empty<T: DeviceLayout>(&self) -> Result<Self::Buffer<T>, Self::Error>;

    /// Makes room for `len` elements; what was there is lost, and what is there is anything.
    ///
    /// # Errors
    /// Where there is no memory.
    fn reserve<T: DeviceLayout>(&self, buffer: &mut Self::Buffer<T>, len: usize) -> Result<(), Self::Error>;

    /// Copies elements to the front of a buffer, which grows where it must.
    ///
    /// # Errors
    /// Where there is no memory.
    fn copy_to<T: DeviceLayout>(&self, buffer: &mut Self::Buffer<T>, elements: &[T]) -> Result<(), Self::Error>;

    /// Copies the first `len` elements of a buffer to the host.
    ///
    /// # Errors
    /// Where what was computed failed.
    fn copy_from<T: DeviceLayout>(&self, buffer: &Self::Buffer<T>, len: usize) -> Result<Vec<T>, Self::Error>;

    /// Offsets of no segment.
    ///
    /// # Errors
    /// Where there is no memory.
    fn no_offsets(&self) -> Result<Self::Offsets, Self::Error>;

    /// Replaces offsets.
    ///
    /// # Errors
    /// Where there is no memory.
    fn set(&self, offsets: &mut Self::Offsets, to: &Offsets) -> Result<(), Self::Error>;

    /// The first `len` elements of a buffer that has so many, for a kernel to read.
    ///
    /// # Panics
    /// Where the buffer is shorter.
    fn view<T: DeviceLayout>(buffer: &Self::Buffer<T>, len: usize) -> <Self::Space as Space>::Ref<'_, T>;

    /// All of a buffer, for a kernel to write.
    fn view_mut<T: DeviceLayout>(buffer: &mut Self::Buffer<T>) -> <Self::Space as Space>::Mut<'_, T>;

    /// Offsets, for a kernel's arguments.
    fn offsets(offsets: &Self::Offsets) -> <Self::Space as Space>::Offsets<'_>;
}

/// The host's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostMemory;

impl Memory for HostMemory {
    type Space = Host;
    type Error = Infallible;
    type Buffer<T: DeviceLayout> = Vec<T>;
    type Offsets = Offsets;

    fn empty<T: DeviceLayout>(&self) -> Result<Vec<T>, Infallible> {
        Ok(Vec::new())
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut Vec<T>, len: usize) -> Result<(), Infallible> {
        if buffer.len() < len {
            buffer.resize(len, T::zeroed());
        }
        Ok(())
    }

    fn copy_to<T: DeviceLayout>(&self, buffer: &mut Vec<T>, elements: &[T]) -> Result<(), Infallible> {
        self.reserve(buffer, elements.len())?;
        buffer[..elements.len()].copy_from_slice(elements);
        Ok(())
    }

    fn copy_from<T: DeviceLayout>(&self, buffer: &Vec<T>, len: usize) -> Result<Vec<T>, Infallible> {
        Ok(buffer[..len].to_vec())
    }

    fn no_offsets(&self) -> Result<Offsets, Infallible> {
        Ok(none())
    }

    fn set(&self, offsets: &mut Offsets, to: &Offsets) -> Result<(), Infallible> {
        *offsets = to.clone();
        Ok(())
    }

    fn view<T: DeviceLayout>(buffer: &Vec<T>, len: usize) -> &[T] {
        &buffer[..len]
    }

    fn view_mut<T: DeviceLayout>(buffer: &mut Vec<T>) -> &mut [T] {
        buffer
    }

    fn offsets(offsets: &Offsets) -> &Offsets {
        offsets
    }
}

/// A device's memory; all that happens to it happens on this stream.
impl Memory for Stream {
    type Space = Device;
    type Error = CudaError;
    type Buffer<T: DeviceLayout> = DeviceBuffer<T>;
    type Offsets = DeviceOffsets;

    fn empty<T: DeviceLayout>(&self) -> Result<DeviceBuffer<T>, CudaError> {
        DeviceBuffer::zeroed(self, 0)
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut DeviceBuffer<T>, len: usize) -> Result<(), CudaError> {
        if buffer.len() < len {
            // The old memory is given back first. The quarter more keeps batches that grow a little from doing this
            // again.
            *buffer = self.empty()?;
            *buffer = DeviceBuffer::zeroed(self, len + len / 4)?;
        }
        Ok(())
    }

    fn copy_to<T: DeviceLayout>(&self, buffer: &mut DeviceBuffer<T>, elements: &[T]) -> Result<(), CudaError> {
        self.reserve(buffer, elements.len())?;
        buffer.slice_mut(..elements.len())?.upload(self, elements)
    }

    fn copy_from<T: DeviceLayout>(&self, buffer: &DeviceBuffer<T>, len: usize) -> Result<Vec<T>, CudaError> {
        let mut elements = vec![T::zeroed(); len];
        buffer.slice(..len)?.download_into(self, &mut elements)?;
        Ok(elements)
    }

    fn no_offsets(&self) -> Result<DeviceOffsets, CudaError> {
        DeviceOffsets::new(self, &none())
    }

    fn set(&self, offsets: &mut DeviceOffsets, to: &Offsets) -> Result<(), CudaError> {
        offsets.set(self, to)
    }

    fn view<T: DeviceLayout>(buffer: &DeviceBuffer<T>, len: usize) -> cuda_host::DeviceView<'_, T> {
        buffer.slice(..len).expect("the buffer was reserved for so many")
    }

    fn view_mut<T: DeviceLayout>(buffer: &mut DeviceBuffer<T>) -> cuda_host::DeviceViewMut<'_, T> {
        buffer.view_mut()
    }

    fn offsets(offsets: &DeviceOffsets) -> &DeviceOffsets {
        offsets
    }
}

fn none() -> Offsets {
    Offsets::new(vec![0]).expect("one offset never falls")
}
