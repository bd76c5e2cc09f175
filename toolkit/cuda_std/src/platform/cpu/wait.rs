//! Waits for other blocks, and what blocks of a launch know of each other.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Looks before a thread lets others run between its looks.
const QUICK: u32 = 64;
/// All blocks that run have to wait for so long. What one of them waits for may just have been announced, by a block that has ended; then
/// it sees that at its next look, unless its thread does not run.
const ALL_WAIT: Duration = Duration::from_secs(5);

/// What a thread does for a launch, if not nothing (0).
const COMPUTES: u8 = 1;
const WAITS: u8 = 2;

/// In a line of the cache of its own: each thread writes it with each block.
#[derive(Default)]
#[repr(align(64))]
struct Does(AtomicU8);

/// The blocks of a launch that run at this time.
pub(crate) struct RunningBlocks {
    /// What each thread does.
    threads: Box<[Does]>,
    /// Whether a block has failed.
    has_failed: AtomicBool,
    /// Whether a block has waited beyond the limit.
    has_waited_too_long: AtomicBool,
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
    /// Of a launch by so many threads: those of rayon's pool, or the one that launches.
    pub(crate) fn new(threads: usize, limit: Option<(Instant, Duration)>) -> Self {
        let threads = (0..threads.max(1)).map(|_| Does::default()).collect();
        Self { threads, has_failed: AtomicBool::new(false), has_waited_too_long: AtomicBool::new(false), limit }
    }

    /// What this thread does.
    fn own(&self) -> &AtomicU8 {
        &self.threads[rayon::current_thread_index().unwrap_or(0) % self.threads.len()].0
    }

    /// Whether the launch has taken longer than it may.
    pub(crate) fn is_late(&self) -> bool {
        self.limit.is_some_and(|(start, limit)| start.elapsed() >= limit)
    }

    /// Runs one of the blocks. `run` does not unwind, and says whether it has failed.
    pub(crate) fn run<E>(&self, run: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let before = self.own().swap(COMPUTES, Relaxed);
        let outer = BLOCKS.try_with(|blocks| blocks.replace(Some(NonNull::from(self)))).ok().flatten();
        let result = run();
        // At the end of a thread there may be none.
        let _ = BLOCKS.try_with(|blocks| blocks.set(outer));
        if result.is_err() {
            self.has_failed.store(true, Relaxed);
        }
        self.own().store(before, Relaxed);
        result
    }

    /// Whether one of the blocks has ended because what it waited for had not come within the limit.
    pub(crate) fn has_waited_too_long(&self) -> bool {
        self.has_waited_too_long.load(Relaxed)
    }
}

/// A wait of the block that this thread runs.
#[derive(Debug, Default)]
pub(crate) struct Wait {
    looks: u32,
    /// Since when all blocks have waited.
    all_wait: Option<Instant>,
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
        let is_endless = of_launch(|launch| {
            launch.own().store(WAITS, Relaxed);
            if launch.has_failed.load(Relaxed) {
                return true;
            }
            if launch.is_late() {
                launch.has_waited_too_long.store(true, Relaxed);
                return true;
            }
            if launch.threads.iter().any(|one| one.0.load(Relaxed) == COMPUTES) {
                self.all_wait = None;
                return false;
            }
            self.all_wait.get_or_insert_with(Instant::now).elapsed() >= ALL_WAIT
        });
        is_endless.unwrap_or(false)
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        of_launch(|launch| launch.own().store(COMPUTES, Relaxed));
    }
}
