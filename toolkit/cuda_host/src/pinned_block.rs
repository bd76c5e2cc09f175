//! Page-locked bytes with the copies to and from them.

use crate::host_memory::HostMemory;
use crate::pool::PoolBlock;
use crate::slot::{Watch, lock};
use crate::usage::Queue;
use crate::{Context, CudaError, Event, Stream};
use std::fmt;
use std::sync::{Mutex, MutexGuard};

/// Page-locked memory of the host that a [`MemorySource`](crate::MemorySource) gives to a pool. It records the copies that use
/// it, and is freed after those.
pub struct PinnedBlock {
    memory: HostMemory,
    bytes: usize,
    copies: Mutex<Copies>,
}

/// The copies that use some memory, one after the other.
pub(crate) struct Copies {
    /// Recorded after the newest copy, on its device.
    done: Event,
    /// The newest copy's stream.
    last: Option<Stream>,
    /// Watches the stream of the newest copy to here, from before it was queued: a panic since then spoils the elements.
    watch: Option<Watch>,
    /// The newest copy's stream, if the event could not be recorded after the copy, and the stream could not be waited for.
    unmarked: Option<Stream>,
}

impl PinnedBlock {
    pub(crate) fn allocate(context: &Context, bytes: usize) -> Result<Self, CudaError> {
        let memory = HostMemory::new(context, bytes)?;
        let copies = Copies { done: Event::without_time(context)?, last: None, watch: None, unmarked: None };
        Ok(Self { memory, bytes, copies: Mutex::new(copies) })
    }

    /// The number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where they begin: aligned to a page.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.memory.pointer().as_ptr().cast()
    }

    pub(crate) fn context(&self) -> &Context {
        self.memory.context()
    }

    pub(crate) fn copies(&self) -> MutexGuard<'_, Copies> {
        lock(&self.copies)
    }
}

impl Copies {
    /// Orders a copy on `stream` after the one before.
    pub(crate) fn follow(&mut self, stream: &Stream) -> Result<(), CudaError> {
        self.wait_for_unmarked()?;
        match (&self.last, &self.watch) {
            // The contents come from a device: panics there concern their readers.
            (Some(_), Some(_)) => stream.wait(&self.done),
            (Some(_), None) => stream.come_after(&self.done),
            (None, _) => Ok(()),
        }
    }

    /// Notes a copy that was queued on `stream`; if it was one to here, with the stream's watch from before.
    pub(crate) fn note(&mut self, stream: &Stream, to_here: Option<Watch>) -> Result<(), CudaError> {
        self.last = Some(stream.clone());
        if to_here.is_some() {
            self.watch = to_here;
        }
        self.mark(stream).or_else(|error| {
            // Without the event, later work could not wait for the copy.
            let waited = stream.wait_idle();
            self.unmarked = waited.is_err().then(|| stream.clone());
            waited.and(Err(error))
        })
    }

    fn mark(&mut self, stream: &Stream) -> Result<(), CudaError> {
        if !self.done.context().is(stream.context()) {
            // The copy follows those of the other device.
            self.done = Event::without_time(stream.context())?;
        }
        self.done.record(stream)
    }

    fn wait_for_unmarked(&mut self) -> Result<(), CudaError> {
        if let Some(stream) = &self.unmarked {
            stream.wait_idle()?;
            self.unmarked = None;
        }
        Ok(())
    }

    /// Whether the newest copy is done.
    pub(crate) fn is_idle(&self) -> Result<bool, CudaError> {
        Ok(self.unmarked.is_none() && self.done.is_done()?)
    }

    /// Waits for the newest copy.
    pub(crate) fn wait(&mut self) -> Result<(), CudaError> {
        self.wait_for_unmarked()?;
        self.done.synchronize()
    }

    /// Waits for the newest copy, and checks for panics that make the contents invalid.
    pub(crate) fn wait_to_read(&mut self) -> Result<(), CudaError> {
        self.wait()?;
        if self.watch.is_some()
            && let Some(stream) = self.last.take()
        {
            stream.report()?;
        }
        self.check("reading page-locked memory")
    }

    /// Waits for the newest copy, and discards the contents.
    pub(crate) fn wait_to_write(&mut self) -> Result<(), CudaError> {
        self.wait()?;
        self.watch = None;
        Ok(())
    }

    /// An error if the contents are known to come from a launch that panicked.
    pub(crate) fn check(&self, operation: &'static str) -> Result<(), CudaError> {
        match self.watch.as_ref().and_then(Watch::panic) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }
}

impl PoolBlock for PinnedBlock {
    type User = ();

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn is_quiet(&self, (): &()) -> bool {
        self.copies().is_idle().unwrap_or(false)
    }

    /// The event was recorded with the copy.
    fn retire(&mut self) -> Result<(), CudaError> {
        Ok(())
    }

    fn renew(&mut self) {
        self.copies().watch = None;
    }
}

impl fmt::Debug for PinnedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBlock").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        let waited = self.copies().wait();
        if let Err(error) = waited {
            // A copy may still use it.
            self.memory.leave();
            tracing::warn!("page-locked memory is not used again: {error}");
        }
    }
}
