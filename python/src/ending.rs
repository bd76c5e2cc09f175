//! The end of the program. Before Python 3.14, the interpreter ends a thread that asks for its lock once the end has begun, by unwinding
//! the stack. That must not reach a frame of Rust, or the program crashes. So from then on no thread asks for the lock.

use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The thread that ends the interpreter. It may always take the lock.
static ENDING: OnceLock<ThreadId> = OnceLock::new();
/// The number of threads that wait for the lock.
static ASKING: AtomicUsize = AtomicUsize::new(0);
/// The longest time for which the end waits for them, in milliseconds.
const PATIENCE: usize = 1000;

/// A thread that asks for Python's lock. Dropped once it has it.
pub struct Asking(());

impl Asking {
    /// `None` if the program is ending.
    pub fn new() -> Option<Self> {
        // Before `ENDING` is read, so that either this thread sees the end or the end waits for this thread.
        ASKING.fetch_add(1, Ordering::SeqCst);
        let asking = Self(());
        (!ENDING.get().is_some_and(|ending| *ending != thread::current().id())).then_some(asking)
    }

    /// Does not return if the program is ending.
    pub fn or_rest() -> Self {
        Self::new().unwrap_or_else(|| {
            loop {
                thread::park();
            }
        })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        ASKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Works without Python's lock.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    let (done, _asking) = py.detach(|| {
        let done = work();
        (done, Asking::or_rest())
    });
    done
}

/// The end begins: Python calls this before it ends the interpreter.
#[pyfunction]
pub fn end(py: Python<'_>) {
    let _ = ENDING.set(thread::current().id());
    let mut waited = 0;
    while ASKING.load(Ordering::SeqCst) > 0 && waited < PATIENCE {
        py.detach(|| thread::sleep(Duration::from_millis(1)));
        waited += 1;
    }
}
