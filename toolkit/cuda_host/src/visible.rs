//! Memory that host and device both reach without copies.

use crate::allocation::{DeviceBlock, Memory};
use crate::buffer::byte_len;
use crate::device::has_concurrent_managed_access;
use crate::pool::Lease;
use crate::{Context, CudaError, DeviceBuffer, DeviceView, DeviceViewMut};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::sync::atomic::{Ordering, fence};

/// Elements that kernels and the host use where they are: in memory of the host that is [`mapped`](Self::mapped) for the
/// device, or [`unified`](Self::unified) memory that moves to whoever touches it.
///
/// Kernels take it by views, as any buffer. Looking at it waits for the work that uses it, so that host and device take
/// turns; and what a kernel wrote that panicked is not to be seen. A graph may be launched at any time: memory that one
/// uses cannot be looked at.
///
/// ```
/// use cuda_host::{Context, VisibleBuffer};
///
/// # fn main() -> Result<(), cuda_host::CudaError> {
/// # if cuda_host::Device::count().is_err() {
/// #     return Ok(());
/// # }
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let mut input = VisibleBuffer::<f32>::mapped(&context, 1000)?;
/// let mut copy = VisibleBuffer::<f32>::mapped(&context, 1000)?;
/// input.as_mut_slice()?.fill(1.5);
/// copy.view_mut().copy_from_device(&stream, input.view())?;
/// assert_eq!(copy.as_slice()?, [1.5; 1000]);
/// # Ok(())
/// # }
/// ```
pub struct VisibleBuffer<T: DeviceLayout> {
    buffer: DeviceBuffer<T>,
    pointer: *mut T,
}

// SAFETY: the pointer is to memory that the buffer owns; sharing the one is sharing the other.
unsafe impl<T: DeviceLayout> Send for VisibleBuffer<T> {}
// SAFETY: as above; the elements are written through `&mut self` alone.
unsafe impl<T: DeviceLayout> Sync for VisibleBuffer<T> {}

impl<T: DeviceLayout> VisibleBuffer<T> {
    /// `len` elements whose bytes are zero, in page-locked memory of the host. A kernel reads and writes them over the bus,
    /// each time that it does: for what is touched once.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn mapped(context: &Context, len: usize) -> Result<Self, CudaError> {
        DeviceBlock::allocate_mapped(context, byte_len::<T>(len)?).map(|parts| Self::new(parts, len))
    }

    /// `len` elements whose bytes are zero, in memory whose pages move to the host or the device when it touches them: for
    /// what is touched often by one of them before the other does.
    ///
    /// # Errors
    /// [`CudaError::NoUnifiedMemory`] where the host must not touch such memory while any kernel runs;
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

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The context that it was made with.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer.context()
    }

    /// Everything, for the device to read.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.buffer.view()
    }

    /// Everything, for the device to write.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.buffer.view_mut()
    }

    /// The elements, when no work uses them.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`] when a kernel has panicked that wrote them, [`CudaError::InGraph`], and those of the driver.
    pub fn as_slice(&self) -> Result<&[T], CudaError> {
        const OPERATION: &str = "looking at memory that the device sees, too";
        self.memory(OPERATION)?.check_written(&self.view().bytes(), OPERATION)?;
        // SAFETY: as many elements of plain data. No work writes them: what did has ended, new work takes `&mut self`, and
        // no graph has them.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer, self.len()) })
    }

    /// The elements, to write, when no work uses them. Forgets that a kernel wrote them that has panicked.
    ///
    /// # Errors
    /// [`CudaError::InGraph`], and those of the driver.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], CudaError> {
        let memory = self.memory("writing memory that the device sees, too")?;
        memory.written.by_host(&self.view().bytes());
        // SAFETY: as many elements of plain data, borrowed by this call alone; no work uses them, as above.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len()) })
    }

    /// The memory, when nothing uses it.
    fn memory(&self, operation: &'static str) -> Result<&Memory, CudaError> {
        let memory = self.buffer.memory();
        // Asked first: a graph that is dropped has noted its launches.
        if memory.is_shared() {
            return Err(CudaError::InGraph { operation });
        }
        // What whoever dropped the graph has noted is seen.
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
