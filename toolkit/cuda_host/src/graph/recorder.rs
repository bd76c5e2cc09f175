//! The recorder of a graph.

use crate::slot::{Watch, lock};
use crate::usage::Access;
use crate::{CudaError, CudaExecutor, DeviceView, DeviceViewMut, PinnedBuffer, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Records the work of a graph: launches with [`executor`](Self::executor), copies and zeroing on the device with
/// [`stream`](Self::stream), copies between host and device with [`upload`](Self::upload) and [`download`](Self::download).
///
/// Host memory of a graph belongs to the graph, because the host must not read it while a launch writes it: see
/// [`own`](Self::own). Operations that would wait, and copies of slices, are refused with [`CudaError::Recorded`], and so
/// is every use of its stream after the recording.
///
/// A closure only borrows it: otherwise it could exchange it for that of another graph.
#[derive(Debug)]
pub struct Recorder {
    id: u64,
    executor: CudaExecutor,
    staging: Mutex<Vec<Staging>>,
}

/// Page-locked elements that a graph owns. [`Graph::pinned`](crate::Graph::pinned) and
/// [`Graph::pinned_mut`](crate::Graph::pinned_mut) take it.
pub struct Staged<T> {
    graph: u64,
    index: usize,
    len: usize,
    element: PhantomData<fn() -> T>,
}

/// Page-locked memory of a graph.
#[derive(Debug)]
pub(super) struct Staging {
    pub(super) buffer: PinnedBuffer<u8>,
    /// Whether a launch reads its previous contents.
    read: bool,
    /// Whether a launch writes it.
    written: bool,
}

impl Recorder {
    pub(super) fn new(executor: CudaExecutor) -> Self {
        static GRAPHS: AtomicU64 = AtomicU64::new(0);
        Self { id: GRAPHS.fetch_add(1, Ordering::Relaxed), executor, staging: Mutex::default() }
    }

    pub(super) fn into_parts(self) -> (u64, CudaExecutor, Vec<Staging>) {
        (self.id, self.executor, self.staging.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Launches kernels into the graph.
    #[must_use]
    pub fn executor(&self) -> &CudaExecutor {
        &self.executor
    }

    /// The stream whose work the graph records.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.executor.stream()
    }

    /// Gives page-locked memory to the graph. The result represents it from now on.
    pub fn own<T: DeviceLayout>(&self, buffer: PinnedBuffer<T>) -> Staged<T> {
        let mut staging = lock(&self.staging);
        let (index, len) = (staging.len(), buffer.len());
        staging.push(Staging { buffer: buffer.into_bytes(), read: false, written: false });
        Staged { graph: self.id, index, len, element: PhantomData }
    }

    /// Copies the first elements to the device at each launch.
    ///
    /// # Errors
    /// [`CudaError::Length`] if there are fewer than in `to`, [`CudaError::OtherGraph`], [`CudaError::OtherDevice`], and
    /// those of the driver.
    pub fn upload<T: DeviceLayout>(&self, from: &Staged<T>, mut to: DeviceViewMut<'_, T>) -> Result<(), CudaError> {
        const OPERATION: &str = "recording a copy from page-locked memory";
        let mut owned = lock(&self.staging);
        let staging = from.of_mut(self.id, &mut owned, OPERATION)?;
        if from.len < to.len() {
            return Err(CudaError::Length { operation: OPERATION, from: from.len, to: to.len() });
        }
        staging.read |= !staging.written;
        let pointer = staging.buffer.block().pointer();
        // SAFETY: long enough, and owned by the graph: changing or freeing it waits for the event of each launch.
        unsafe { to.copy_from(self.executor.stream(), pointer.cast(), OPERATION) }
    }

    /// Copies from the device to the first elements at each launch.
    ///
    /// # Errors
    /// [`CudaError::Length`] if `from` has more, [`CudaError::OtherGraph`], [`CudaError::OtherDevice`], and those of the
    /// driver.
    pub fn download<T: DeviceLayout>(&self, from: DeviceView<'_, T>, to: &Staged<T>) -> Result<(), CudaError> {
        const OPERATION: &str = "recording a copy to page-locked memory";
        let mut owned = lock(&self.staging);
        let staging = to.of_mut(self.id, &mut owned, OPERATION)?;
        if to.len < from.len() {
            return Err(CudaError::Length { operation: OPERATION, from: from.len(), to: to.len });
        }
        staging.written = true;
        let (stream, pointer) = (self.executor.stream(), staging.buffer.block().pointer());
        let _turn = stream.enter(OPERATION)?;
        let begun = from.memory().begin(stream, Access::Read, from.bytes(), OPERATION)?;
        // SAFETY: as above; reading it waits, too.
        let copied = unsafe { from.copy_to(stream, pointer.cast()) };
        from.memory().end(stream, Access::Read, begun);
        copied
    }
}

impl Staging {
    /// Orders a launch after the copies that use the memory.
    pub(super) fn before_launch(&self, stream: &Stream, operation: &'static str) -> Result<(), CudaError> {
        let mut copies = self.buffer.block().copies();
        if self.read {
            copies.check(operation)?;
        }
        copies.follow(stream)
    }

    /// Records a launch. `watch` is the stream's, from before the launch.
    pub(super) fn after_launch(&self, stream: &Stream, watch: &Watch) -> Result<(), CudaError> {
        self.buffer.block().copies().note(stream, self.written.then(|| watch.clone()))
    }
}

impl<T> Staged<T> {
    counted!(self => self.len);

    pub(super) fn of<'g>(
        &self,
        graph: u64,
        staging: &'g [Staging],
        operation: &'static str,
    ) -> Result<&'g Staging, CudaError> {
        staging.get(self.index).filter(|_| self.graph == graph).ok_or(CudaError::OtherGraph { operation })
    }

    pub(super) fn of_mut<'g>(
        &self,
        graph: u64,
        staging: &'g mut [Staging],
        operation: &'static str,
    ) -> Result<&'g mut Staging, CudaError> {
        staging.get_mut(self.index).filter(|_| self.graph == graph).ok_or(CudaError::OtherGraph { operation })
    }
}

impl<T> Clone for Staged<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Staged<T> {}

impl<T> fmt::Debug for Staged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staged").field("index", &self.index).field("len", &self.len).finish_non_exhaustive()
    }
}
