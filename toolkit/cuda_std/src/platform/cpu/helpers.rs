//! Threads that help with the phases of a whole grid.
//!
//! One thread runs the code between phases: the leader. It cuts a long phase into parts. Helpers, which are jobs on rayon's pool,
//! take parts as the leader does. They stay from phase to phase, because waking a thread takes longer than a phase. Those that find
//! no work for a while leave, and the leader invites others for the next long phase.

use crate::panic::KernelPanic;
use crate::panic::cpu::{catch, continue_panic};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::yield_now;
use std::time::{Duration, Instant};

/// The bits of the number of parts in [`Helpers::state`].
const PARTS: u32 = 16;
/// The most parts of a phase.
pub(super) const MOST_PARTS: u32 = (1 << PARTS) - 1;
/// How long a helper waits for work.
const PATIENCE: Duration = Duration::from_micros(300);
/// Turns of waiting before a thread lets others run on its core.
const SPINS: u32 = 200;

/// The work of a phase, part by part.
pub(super) trait Parts: Sync {
    /// Runs one part.
    fn run(&self, part: u32);
}

/// A phase's work without its type.
#[derive(Clone, Copy)]
struct Job {
    work: *const (),
    run: unsafe fn(*const (), u32),
}

/// What the leader shares with its helpers.
pub(crate) struct Helpers {
    kernel: &'static str,
    most: u32,
    /// The number of the phase, and in the lower bits the parts that nobody has taken.
    state: AtomicU64,
    /// The work of this phase.
    job: AtomicPtr<Job>,
    /// Finished parts of this phase.
    done: AtomicU32,
    /// Helpers that were invited and have not left.
    present: AtomicU32,
    over: AtomicBool,
    /// The first part that panicked.
    panic: Mutex<Option<(u32, KernelPanic)>>,
    panicked: AtomicBool,
}

/// The leader's access to its helpers.
pub(crate) struct Leader<'l> {
    helpers: &'l Helpers,
    /// Makes another thread call [`Helpers::help`].
    invite: &'l dyn Fn(),
}

impl Helpers {
    /// At most `most` helpers for a launch of `kernel`.
    pub(crate) fn new(kernel: &'static str, most: usize) -> Self {
        Self {
            kernel,
            most: most.min(MOST_PARTS as usize) as u32,
            state: AtomicU64::new(0),
            job: AtomicPtr::default(),
            done: AtomicU32::new(0),
            present: AtomicU32::new(0),
            over: AtomicBool::new(false),
            panic: Mutex::default(),
            panicked: AtomicBool::new(false),
        }
    }

    /// Runs `lead`. Afterwards helpers leave, even if it unwinds.
    pub(crate) fn led_by<R>(&self, invite: &dyn Fn(), lead: impl FnOnce(&Leader<'_>) -> R) -> R {
        struct Over<'h>(&'h AtomicBool);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _over = Over(&self.over);
        lead(&Leader { helpers: self, invite })
    }

    /// Takes parts of phases until there are no more.
    pub(crate) fn help(&self) {
        let mut waited = Waiting::default();
        while !self.over.load(Ordering::Relaxed) {
            if self.run_a_part() {
                waited = Waiting::default();
            } else if waited.turn() > PATIENCE {
                break;
            }
        }
        self.present.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes a part of the current phase and runs it. Returns whether there was one.
    fn run_a_part(&self) -> bool {
        let mut state = self.state.load(Ordering::Acquire);
        let (job, part) = loop {
            let left = state as u32 & MOST_PARTS;
            if left == 0 {
                return false;
            }
            let job = self.job.load(Ordering::Relaxed);
            match self.state.compare_exchange_weak(state, state - 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break (job, left - 1),
                Err(now) => state = now,
            }
        };
        // SAFETY: the exchange succeeded, so a part of that phase was left from before the job was loaded until then. Its job was
        // stored before its state, and the leader stores another one only after all parts have finished. For the same reason
        // the job and its work live until this part has finished. Nobody else has this part.
        let run = || unsafe {
            let Job { work, run } = *job;
            run(work, part);
        };
        if let Err(panic) = catch(self.kernel, [0; 3], &mut { run }) {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(before, _)| part < *before) {
                *first = Some((part, panic));
            }
            self.panicked.store(true, Ordering::Relaxed);
        }
        self.done.fetch_add(1, Ordering::Release);
        true
    }
}

impl Leader<'_> {
    /// The number of threads, if all helpers come.
    pub(super) fn threads(&self) -> u32 {
        self.helpers.most + 1
    }

    /// Runs each part of a phase once, by `run`, and waits for all.
    ///
    /// # Safety
    /// `run` may be called with the address of `work`, on any thread.
    pub(super) unsafe fn run<W: Parts>(&self, parts: u32, work: &W, run: unsafe fn(*const (), u32)) {
        let Self { helpers, invite } = self;
        assert!(parts <= MOST_PARTS, "a phase has at most {MOST_PARTS} parts");
        let wanted = helpers.most.min(parts.saturating_sub(1));
        while helpers.present.load(Ordering::Relaxed) < wanted {
            helpers.present.fetch_add(1, Ordering::Relaxed);
            invite();
        }
        let mut job = Job { work: std::ptr::from_ref(work).cast(), run };
        helpers.done.store(0, Ordering::Relaxed);
        helpers.job.store(&raw mut job, Ordering::Relaxed);
        let phase = (helpers.state.load(Ordering::Relaxed) >> PARTS) + 1;
        helpers.state.store((phase << PARTS) | u64::from(parts), Ordering::Release);
        // Nothing here unwinds before the last part has finished.
        while helpers.run_a_part() {}
        let mut waited = Waiting::default();
        while helpers.done.load(Ordering::Acquire) != parts {
            waited.turn();
        }
        if helpers.panicked.load(Ordering::Relaxed) {
            let found = helpers.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((_, panic)) = found {
                continue_panic(panic);
            }
        }
    }
}

/// Waiting for another thread.
#[derive(Default)]
struct Waiting {
    turns: u32,
    since: Option<Instant>,
}

impl Waiting {
    /// Waits a moment. Returns for how long it has waited, which is 0 at first.
    fn turn(&mut self) -> Duration {
        if self.turns < SPINS {
            self.turns += 1;
            spin_loop();
            return Duration::ZERO;
        }
        yield_now();
        self.since.get_or_insert_with(Instant::now).elapsed()
    }
}
