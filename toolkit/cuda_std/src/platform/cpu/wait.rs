//! Waits for other blocks, and what blocks of a launch know of each other.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Looks before a thread lets others run between its looks.
const QUICK: u32 = 64;
/// All blocks that run have to wait for so long. What one of them waits for may just have been announced, by a block that has ended; then
/// it sees that at its next look, unless its thread does not run.
const ALL_WAIT: Duration = Duration::from_secs(5);

/// The blocks of a launch that run at this time.
pub(crate) struct RunningBlocks {
    running: AtomicU32,
    waiting: AtomicU32,
    /// Whether one of them has failed.
    failed: AtomicBool,
    /// Whether one of them has waited beyond the limit.
    is_late: AtomicBool,
    /// When the launch began, and how long it may take.
    limit: Option<(Instant, Duration)>,
}

thread_local! {
    /// Those of the launch whose block this thread runs.
    static BLOCKS: Cell<Option<NonNull<RunningBlocks>>> = const { Cell::new(None) };
}

/// Whether this thread runs a block. A thread that waits for another launch must not run further blocks in the meantime: they may wait for
/// the block that waits below them.
pub(crate) fn is_in_a_block() -> bool {
    BLOCKS.try_with(Cell::get).is_ok_and(|blocks| blocks.is_some())
}

impl RunningBlocks {
    pub(crate) fn new(limit: Option<(Instant, Duration)>) -> Self {
        let (running, waiting) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { running, waiting, failed: AtomicBool::new(false), is_late: AtomicBool::new(false), limit }
    }

    /// Whether no further block should begin, because of the limit.
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Relaxed) || self.limit.is_some_and(|(start, limit)| start.elapsed() >= limit)
    }

    /// Runs one of the blocks. `run` does not unwind, and says whether it has failed.
    pub(crate) fn run<E>(&self, run: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        self.running.fetch_add(1, Relaxed);
        let outer = BLOCKS.try_with(|blocks| blocks.replace(Some(NonNull::from(self)))).ok().flatten();
        let result = run();
        // At the end of a thread there may be none.
        let _ = BLOCKS.try_with(|blocks| blocks.set(outer));
        if result.is_err() {
            self.failed.store(true, Relaxed);
        }
        self.running.fetch_sub(1, Relaxed);
        result
    }

    /// Whether one of the blocks has ended because what it waited for had not come within the limit.
    pub(crate) fn has_waited_beyond_the_limit(&self) -> bool {
        self.is_late.load(Relaxed)
    }
}

/// A wait of the block that this thread runs.
#[derive(Debug, Default)]
pub(crate) struct Wait {
    looks: u32,
    /// Since when all blocks have waited.
    all_wait: Option<Instant>,
    is_counted: bool,
}

/// What a thread's launch knows. Kernels whose blocks meet, and tests of parts of a kernel, have no blocks that wait.
fn of_launch<R>(ask: impl FnOnce(&RunningBlocks) -> R) -> Option<R> {
    // SAFETY: a launch's state lives until all of its blocks have ended, and a thread forgets it at the end of its block.
    BLOCKS.try_with(Cell::get).ok().flatten().map(|blocks| ask(unsafe { blocks.as_ref() }))
}

impl Wait {
    #[inline(never)]
    pub(crate) fn is_endless(&mut self) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks < QUICK {
            std::hint::spin_loop();
            return false;
        }
        std::thread::yield_now();
        of_launch(|launch| {
            if !std::mem::replace(&mut self.is_counted, true) {
                launch.waiting.fetch_add(1, Relaxed);
            }
            if launch.limit.is_some_and(|(start, limit)| start.elapsed() >= limit) {
                launch.is_late.store(true, Relaxed);
                return true;
            }
            if launch.waiting.load(Relaxed) < launch.running.load(Relaxed) {
                self.all_wait = None;
                return launch.failed.load(Relaxed);
            }
            let since = *self.all_wait.get_or_insert_with(Instant::now);
            launch.failed.load(Relaxed) || since.elapsed() >= ALL_WAIT
        })
        .unwrap_or(false)
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.is_counted {
            of_launch(|launch| launch.waiting.fetch_sub(1, Relaxed));
        }
    }
}
