//! The memory in which a batch is computed: the host's, or a device's ([`super::DeviceMemory`]).

use cuda_layout::DeviceLayout;
use cuda_std::launch::{Host, Offsets, Segments, Space};

/// Creates, fills and reads buffers. A buffer is kept from batch to batch and is as long as the largest one needed.
///
/// ```
/// use prism_engine::{HostMemory, Memory};
///
/// fn there_and_back<M: Memory>(memory: &M, numbers: &[f32]) -> Result<Vec<f32>, M::Error> {
///     let mut buffer = memory.empty()?;
///     memory.copy_to(&mut buffer, numbers)?;
///     let mut found = vec![0.0; numbers.len()];
///     memory.copy_from(&buffer, &mut found)?;
///     Ok(found)
/// }
/// assert_eq!(there_and_back(&HostMemory, &[1.5, -2.5])?, [1.5, -2.5]);
///
/// // A buffer never shrinks; a kernel gets the part that the current batch needs.
/// let mut buffer = HostMemory.empty::<u32>()?;
/// HostMemory.reserve(&mut buffer, 100)?;
/// HostMemory.copy_to(&mut buffer, &[7, 8])?;
/// assert_eq!((buffer.len(), HostMemory::view(&buffer, 2)), (100, &[7, 8][..]));
/// # Ok::<(), prism_engine::OutOfHostMemory>(())
/// ```
pub trait Memory {
    /// The space of kernels' arguments.
    type Space: Space;
    /// The error.
    type Error;
    /// Elements of one type.
    type Buffer<T: DeviceLayout>;
    /// Offsets of the segments of buffers.
    type Offsets;

    /// A buffer of no elements.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn empty<T: DeviceLayout>(&self) -> Result<Self::Buffer<T>, Self::Error>;

    /// Reserves memory for `len` elements. The old contents are lost, and the new ones are unspecified.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn reserve<T: DeviceLayout>(&self, buffer: &mut Self::Buffer<T>, len: usize) -> Result<(), Self::Error>;

    /// Copies elements to the front of a buffer, which grows if necessary.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn copy_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut Self::Buffer<T>,
        elements: &[T],
    ) -> Result<(), Self::Error>;

    /// As [`copy_to`](Self::copy_to), of elements that lie in several parts, in their order.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn gather_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut Self::Buffer<T>,
        parts: &[&[T]],
    ) -> Result<(), Self::Error> {
        match parts {
            [all] => self.copy_to(buffer, all),
            _ => self.copy_to(buffer, &parts.concat()),
        }
    }

    /// Copies the first elements of a buffer to the host, as many as fit in `to`.
    ///
    /// # Errors
    /// If the computation of the elements failed, or a device's buffer is shorter.
    ///
    /// # Panics
    /// If a buffer of the host is shorter.
    fn copy_from<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &Self::Buffer<T>,
        to: &mut [T],
    ) -> Result<(), Self::Error>;

    /// Offsets without segments.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn no_offsets(&self) -> Result<Self::Offsets, Self::Error>;

    /// Replaces offsets.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn set(&self, offsets: &mut Self::Offsets, to: &Offsets) -> Result<(), Self::Error>;

    /// The first `len` elements of a buffer, for a kernel to read. The buffer has at least that many.
    ///
    /// # Panics
    /// If the buffer is shorter.
    fn view<T: DeviceLayout>(buffer: &Self::Buffer<T>, len: usize) -> <Self::Space as Space>::Ref<'_, T>;

    /// All of a buffer, for a kernel to write.
    fn view_mut<T: DeviceLayout>(buffer: &mut Self::Buffer<T>) -> <Self::Space as Space>::Mut<'_, T>;

    /// Offsets, for a kernel's arguments.
    fn offsets(offsets: &Self::Offsets) -> <Self::Space as Space>::Offsets<'_>;

    /// The segments of a buffer, for a kernel to write.
    fn segments<'b, T: DeviceLayout>(
        buffer: &'b mut Self::Buffer<T>,
        offsets: &'b Self::Offsets,
    ) -> Segments<'b, Self::Space, T> {
        Segments { data: Self::view_mut(buffer), offsets: Self::offsets(offsets) }
    }
}

/// The host's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostMemory;

/// The system has no memory for a buffer.
///
/// ```
/// use prism_engine::{HostMemory, Memory, OutOfHostMemory};
///
/// let mut buffer = HostMemory.empty::<u32>()?;
/// let error = HostMemory.reserve(&mut buffer, usize::MAX / 4).unwrap_err();
/// assert_eq!(error, OutOfHostMemory { bytes: usize::MAX / 4 * 4 });
/// # Ok::<(), OutOfHostMemory>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system has no {bytes} bytes of memory")]
pub struct OutOfHostMemory {
    /// The requested length.
    pub bytes: usize,
}

impl Memory for HostMemory {
    type Space = Host;
    type Error = OutOfHostMemory;
    type Buffer<T: DeviceLayout> = Vec<T>;
    type Offsets = Offsets;

    fn empty<T: DeviceLayout>(&self) -> Result<Vec<T>, OutOfHostMemory> {
        Ok(Vec::new())
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut Vec<T>, len: usize) -> Result<(), OutOfHostMemory> {
        if buffer.len() < len {
            // The old contents need no copy, and an element may be too large for a thread's stack.
            *buffer = Vec::new();
            let bytes = len.saturating_mul(size_of::<T>());
            let zeroed = bytemuck::allocation::try_zeroed_slice_box(len);
            *buffer = zeroed.map_err(|()| OutOfHostMemory { bytes })?.into_vec();
        }
        Ok(())
    }

    fn copy_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut Vec<T>,
        elements: &[T],
    ) -> Result<(), OutOfHostMemory> {
        self.reserve(buffer, elements.len())?;
        buffer[..elements.len()].copy_from_slice(elements);
        Ok(())
    }

    fn copy_from<T: DeviceLayout + Send + Sync>(&self, buffer: &Vec<T>, to: &mut [T]) -> Result<(), OutOfHostMemory> {
        to.copy_from_slice(&buffer[..to.len()]);
        Ok(())
    }

    fn no_offsets(&self) -> Result<Offsets, OutOfHostMemory> {
        Ok(none())
    }

    fn set(&self, offsets: &mut Offsets, to: &Offsets) -> Result<(), OutOfHostMemory> {
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

/// Offsets without segments.
pub(super) fn none() -> Offsets {
    Offsets::new(vec![0]).expect("one offset never falls")
}
