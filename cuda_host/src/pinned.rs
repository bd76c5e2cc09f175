//! Page-locked memory of the host, for copies that run beside the program.

use crate::buffer::byte_len;
use crate::host_memory::HostMemory;
use crate::slot::{Watch, lock};
use crate::usage::{Access, Lane};
use crate::{Context, CudaError, DeviceView, DeviceViewMut, Event, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Mutex;

/// Elements in page-locked memory. Copies to and from it run while the program goes on.
///
/// The buffer itself knows of the copies under way: looking at its elements and dropping it wait for them.
pub struct PinnedBuffer<T: DeviceLayout> {
    memory: HostMemory,
    len: usize,
    copies: Mutex<Copies>,
    element: PhantomData<T>,
}

struct Copies {
    /// Recorded after the newest copy.
    done: Event,
    /// The newest copy's stream.
    last: Option<Stream>,
    /// The stream of the newest copy to here, from before it was queued: a panic since then spoils the elements.
    watch: Option<Watch>,
}

impl<T: DeviceLayout> PinnedBuffer<T> {
    /// `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::TooLarge`], and those of the driver.
    pub fn zeroed(context: &Context, len: usize) -> Result<Self, CudaError> {
        let memory = HostMemory::new(context, byte_len::<T>(len)?)?;
        let copies = Copies { done: Event::without_time(context)?, last: None, watch: None };
        Ok(Self { memory, len, copies: Mutex::new(copies), element: PhantomData })
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

    /// The elements, when no copy is under way.
    ///
    /// # Errors
    /// [`CudaError::Panic`] or [`CudaError::Poisoned`] when they were copied from what a panicked kernel wrote.
    pub fn as_slice(&self) -> Result<&[T], CudaError> {
        self.wait()?;
        // SAFETY: as many elements of plain data; no copy changes them, since that takes `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts(self.pointer(), self.len) })
    }

    /// The elements, to write, when no copy is under way. Forgets that they were copied from bad results.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], CudaError> {
        let copies = self.copies.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        copies.wait()?;
        copies.watch = None;
        // SAFETY: as many elements of plain data, borrowed by this call alone; no copy is under way.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer(), self.len) })
    }

    /// Copies the first elements to the device; does not wait.
    ///
    /// # Errors
    /// [`CudaError::Length`] when there are fewer than `to` has, [`CudaError::OtherDevice`], and the driver's.
    pub fn upload(&self, stream: &Stream, mut to: DeviceViewMut<'_, T>) -> Result<(), CudaError> {
        const OPERATION: &str = "copying from page-locked memory";
        if self.len < to.len() {
            return Err(CudaError::Length { operation: OPERATION, from: self.len, to: to.len() });
        }
        let mut copies = lock(&self.copies);
        copies.check(OPERATION)?;
        copies.follow(stream)?;
        // SAFETY: long enough; whoever wants to change or free the elements waits for the event of this copy.
        let copied = unsafe { to.copy_from(stream, self.pointer(), OPERATION) };
        copies.note(stream)?;
        copied
    }

    /// Copies from the device to the first elements; does not wait.
    ///
    /// # Errors
    /// [`CudaError::Length`] when `from` has more, [`CudaError::OtherDevice`], [`CudaError::Poisoned`], and the
    /// driver's.
    pub fn download(&mut self, stream: &Stream, from: DeviceView<'_, T>) -> Result<(), CudaError> {
        const OPERATION: &str = "copying to page-locked memory";
        if self.len < from.len() {
            return Err(CudaError::Length { operation: OPERATION, from: from.len(), to: self.len });
        }
        let mut copies = lock(&self.copies);
        copies.follow(stream)?;
        let watch = Watch::new(stream.slot());
        let begun = from.allocation().begin(stream, Access::Read, OPERATION)?;
        from.check_readable(OPERATION)?;
        // SAFETY: long enough; whoever looks at the elements or frees them waits for the event of this copy.
        let copied = unsafe { from.copy_to(stream, self.pointer()) };
        from.allocation().end(stream, Access::Read, begun);
        copies.note(stream)?;
        copies.watch = Some(watch);
        copied
    }

    /// Waits for copies under way, and looks for panics that spoil them.
    fn wait(&self) -> Result<(), CudaError> {
        let mut copies = lock(&self.copies);
        copies.wait()?;
        if copies.watch.is_some()
            && let Some(stream) = copies.last.take()
        {
            stream.report()?;
        }
        copies.check("reading page-locked memory")
    }

    fn pointer(&self) -> *mut T {
        self.memory.pointer().as_ptr().cast()
    }
}

impl Copies {
    /// Orders a copy on `stream` after the one before.
    fn follow(&mut self, stream: &Stream) -> Result<(), CudaError> {
        if self.last.is_some() { stream.wait(&self.done) } else { Ok(()) }
    }

    fn note(&mut self, stream: &Stream) -> Result<(), CudaError> {
        self.last = Some(stream.clone());
        // Without the event nobody could wait for the copy later.
        self.done.record(stream).or_else(|error| stream.wait_idle().and(Err(error)))
    }

    fn wait(&self) -> Result<(), CudaError> {
        self.done.synchronize()
    }

    fn check(&self, operation: &'static str) -> Result<(), CudaError> {
        match self.watch.as_ref().and_then(Watch::panic) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }
}

impl<T: DeviceLayout> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer").field("element", &T::DESCRIPTION).field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T: DeviceLayout> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        if let Err(error) = lock(&self.copies).wait() {
            tracing::warn!("freeing page-locked memory: {error}");
        }
    }
}
