//! A stream's records while a graph is recorded on it.

use crate::error::CudaError;
use crate::slot::{Watch, lock};
use crate::usage::{Access, Begun};
use std::ops::Range;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, RwLockReadGuard};

/// The records of a stream that records a graph. `S` is the type of streams.
pub(crate) struct Recording<S> {
    /// Whether the recording continues. Locked to queue work or to end it.
    open: Mutex<bool>,
    uses: Mutex<Vec<Use<S>>>,
    launched: Mutex<Vec<Kernels<S>>>,
}

/// Held while a use of memory is recorded and queued.
pub(crate) enum Turn<'r> {
    /// On a stream whose work runs.
    Running { _no_graph: RwLockReadGuard<'r, ()> },
    /// On a stream that records.
    Recorded { _open: MutexGuard<'r, bool> },
}

/// Memory that a graph keeps alive, as far as launches of the graph use it.
pub(crate) trait Recorded<S>: Send + Sync {
    /// Before the launch is queued on a stream.
    fn begin(&self, stream: &S, access: Access, operation: &'static str) -> Result<Begun, CudaError>;
    /// An error if it is known that a launch that wrote some of `bytes` has panicked.
    fn check_readable(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError>;
    /// After the launch was queued.
    fn end(&self, stream: &S, access: Access, begun: Begun);
    /// Notes that the launch writes `bytes`; `watches` are from before it.
    fn written(&self, bytes: Range<usize>, watches: [Watch; 2]);
}

/// A graph's use of some memory.
pub(crate) struct Use<S> {
    pub(crate) memory: Arc<dyn Recorded<S>>,
    /// Bytes that it reads and has not written before.
    pub(crate) reads: Vec<Range<usize>>,
    /// Bytes that it writes, as separate ranges.
    pub(crate) writes: Vec<Range<usize>>,
}

/// A module with kernels that a graph launches. `S` is the type of streams.
pub(crate) trait Launched<S>: Send + Sync {
    /// Before the launch of some of its kernels is queued on a stream.
    fn before_launch(&self, kernels: &[&'static str], stream: &S) -> Result<(), CudaError>;
}

/// The kernels of a module that a graph launches.
pub(crate) struct Kernels<S> {
    pub(crate) module: Arc<dyn Launched<S>>,
    pub(crate) names: Vec<&'static str>,
}

/// What a graph keeps: memory that it uses, and modules of its kernels.
pub(crate) type Kept<S> = (Vec<Use<S>>, Vec<Kernels<S>>);

impl<S> Recording<S> {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::new(true), uses: Mutex::default(), launched: Mutex::default() }
    }

    /// Called before work is queued.
    pub(crate) fn enter(&self, operation: &'static str) -> Result<Turn<'_>, CudaError> {
        let open = lock(&self.open);
        if *open { Ok(Turn::Recorded { _open: open }) } else { Err(CudaError::Recorded { operation }) }
    }

    /// Records work on `bytes` of some memory. Launching the graph orders it.
    pub(crate) fn note(&self, memory: Arc<dyn Recorded<S>>, access: Access, bytes: Range<usize>) -> Begun {
        let mut uses = lock(&self.uses);
        let is_same = |known: &Use<S>| ptr::addr_eq(Arc::as_ptr(&known.memory), Arc::as_ptr(&memory));
        let at = uses.iter().position(is_same).unwrap_or_else(|| {
            uses.push(Use { memory, reads: Vec::new(), writes: Vec::new() });
            uses.len() - 1
        });
        let Use { reads, writes, .. } = &mut uses[at];
        match access {
            Access::Read => {
                if !writes.iter().any(|written| written.start <= bytes.start && bytes.end <= written.end) {
                    reads.push(bytes);
                }
            }
            Access::Write => add(writes, bytes),
        }
        Begun::NOTHING
    }

    /// Notes a launch. Its module is kept for as long as the graph: it may belong to another executor.
    pub(crate) fn note_launch(&self, module: Arc<dyn Launched<S>>, kernel: &'static str) {
        let mut launched = lock(&self.launched);
        let is_same = |known: &Kernels<S>| ptr::addr_eq(Arc::as_ptr(&known.module), Arc::as_ptr(&module));
        match launched.iter_mut().find(|known| is_same(known)) {
            Some(known) => known.names.push(kernel),
            None => launched.push(Kernels { module, names: vec![kernel] }),
        }
    }

    /// Ends the recording: nothing can be queued on its stream any more. Returns what the graph keeps.
    pub(crate) fn close(&self) -> Kept<S> {
        *lock(&self.open) = false;
        (std::mem::take(&mut *lock(&self.uses)), std::mem::take(&mut *lock(&self.launched)))
    }
}

impl<S> Use<S> {
    pub(crate) fn access(&self) -> Access {
        if self.writes.is_empty() { Access::Read } else { Access::Write }
    }
}

/// Adds a range, merging it with adjacent ones.
fn add(ranges: &mut Vec<Range<usize>>, mut new: Range<usize>) {
    ranges.retain(|old| {
        let apart = old.end < new.start || new.end < old.start;
        if !apart {
            new = old.start.min(new.start)..old.end.max(new.end);
        }
        apart
    });
    ranges.push(new);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let mut ranges = Vec::new();
        for range in [0..4, 8..12, 20..24, 4..8, 22..30] {
            add(&mut ranges, range);
        }
        ranges.sort_by_key(|range| range.start);
        assert_eq!(ranges, [0..12, 20..30]);
        add(&mut ranges, 2..25);
        assert_eq!(ranges, [Range { start: 0, end: 30 }]);
    }

    #[test]
    fn nothing_is_queued_on_a_recording_that_has_ended() {
        let recording = Recording::<()>::new();
        assert!(recording.enter("x").is_ok());
        recording.close();
        assert_eq!(recording.enter("launching").err(), Some(CudaError::Recorded { operation: "launching" }));
    }
}
