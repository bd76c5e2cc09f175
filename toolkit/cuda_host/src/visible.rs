//! Memory that host and device access without copies.

use crate::allocation::{DeviceBlock, Memory};
use crate::buffer::byte_len;
use crate::device::has_concurrent_managed_access;
use crate::pool::Lease;
use crate::{Context, CudaError, DeviceBuffer, DeviceView, DeviceViewMut};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::sync::atomic::{Ordering, fence};

/// Elements that kernels and the host access in place: in host memory that is [`mapped`](Self::mapped) for the device, or
/// in [`unified`](Self::unified) memory that moves to the side that accesses it.
///
/// Kernels take it by views, like any buffer. Access by the host waits for the work that uses it, so host and device
/// alternate; results of a kernel that panicked are refused. A graph may be launched at any time, so memory of a graph
/// cannot be accessed.
///
/// ```
/// use cuda_host::{Context, VisibleBuffer};
///
/// # if cuda_host::Device::count().is_err() { return Ok(()); }
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let mut input = VisibleBuffer::<f32>::mapped(&context, 1000)?;
/// let mut copy = VisibleBuffer::<f32>::mapped(&context, 1000)?;
/// input.as_mut_slice()?.fill(1.5);
/// copy.view_mut().copy_from_device(&stream, input.view())?;
/// assert_eq!(copy.as_slice()?, [1.5; 1000]);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
pub struct VisibleBuffer<T: DeviceLayout> {
    buffer: DeviceBuffer<T>,
    pointer: *mut T,
}

// SAFETY: the pointer is to memory that the buffer owns; sharing the pointer is sharing the memory.
unsafe impl<T: DeviceLayout> Send for VisibleBuffer<T> {}
// SAFETY: as above; the elements are only written through `&mut self`.
unsafe impl<T: DeviceLayout> Sync for VisibleBuffer<T> {}

impl<T: DeviceLayout> VisibleBuffer<T> {
    /// `len` elements whose bytes are zero, in page-locked host memory. A kernel accesses them over the bus each time: for
    /// elements that are accessed once.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn mapped(context: &Context, len: usize) -> Result<Self, CudaError> {
        DeviceBlock::allocate_mapped(context, byte_len::<T>(len)?).map(|parts| Self::new(parts, len))
    }

    /// `len` elements whose bytes are zero, in memory whose pages move to the side that accesses them: for elements that
    /// one side accesses often before the other does.
    ///
    /// # Errors
    /// [`CudaError::NoUnifiedMemory`] if the host must not access such memory while any kernel runs;
    /// [`CudaError::OutOfMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn unified(context: &Context, len: usize) -> Result<Self, CudaError> {
        if !has_concurrent_managed_access(context.ordinal())? {
            return Err(CudaError::NoUnifiedMemory { ordinal: context.ordinal() });
        }
        DeviceBlock::allocate_unified(context, byte_len::<T>(len)?).map(|parts| Self::new(parts, len))
    }

    fn new((block, pointer): (DeviceBlock, *mut u8), len: usize) -> Self {
        Self { buffer: DeviceBuffer::in_lease(Lease::owned(block), len), pointer: pointer.cast() }
    }

    counted!(self => self.buffer.len());

    /// The context that it was made with.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer.context()
    }

    /// A view for the device.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.buffer.view()
    }

    /// A mutable view for the device.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.buffer.view_mut()
    }

    /// The elements, after the work that uses them.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`] if a kernel that wrote them panicked, [`CudaError::InGraph`], and those of the driver.
    pub fn as_slice(&self) -> Result<&[T], CudaError> {
        const OPERATION: &str = "reading memory that the device accesses, too";
        self.memory(OPERATION)?.check_written(&self.view().bytes(), OPERATION)?;
        // SAFETY: there are as many elements of plain data. No work writes them: earlier work has ended, new work takes
        // `&mut self`, and no graph uses them.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer, self.len()) })
    }

    /// The elements for writing, after the work that uses them. Clears the mark of invalid results.
    ///
    /// # Errors
    /// [`CudaError::InGraph`], and those of the driver.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], CudaError> {
        let memory = self.memory("writing memory that the device accesses, too")?;
        memory.written.by_host(&self.view().bytes());
        // SAFETY: there are as many elements of plain data, borrowed only by this call; no work uses them, as above.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len()) })
    }

    /// The memory, after the work that uses it.
    fn memory(&self, operation: &'static str) -> Result<&Memory, CudaError> {
        let memory = self.buffer.memory();
        // Checked first: a dropped graph has recorded its launches.
        if memory.is_shared() {
            return Err(CudaError::InGraph { operation });
        }
        // Makes the records of the dropped graph visible.
        fence(Ordering::Acquire);
        memory.usage.wait()?;
        Ok(memory)
    }
}

impl<T: DeviceLayout> fmt::Debug for VisibleBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (element, len) = (T::DESCRIPTION, self.len());
        f.debug_struct("VisibleBuffer").field("element", &element).field("len", &len).finish_non_exhaustive()
    }
}
