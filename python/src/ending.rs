//! The end of the program. Before Python 3.14, a thread that asks for Python's lock while the interpreter ends is ended then and there, by
//! an unwinding that no frame of Rust may see: the program would crash. So no thread asks for it any more once the end has begun.

use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The thread that ends the interpreter. It has the lock as often as it likes.
static ENDING: OnceLock<ThreadId> = OnceLock::new();
/// Threads that ask for the lock, and do not have it yet.
static ASKING: AtomicUsize = AtomicUsize::new(0);
/// How long the end waits for them, at most: in steps of a millisecond.
const PATIENCE: usize = 1000;

/// A thread that asks for Python's lock. Dropped once it has it.
pub struct Asking(());

impl Asking {
    /// Nothing where the program ends.
    pub fn new() -> Option<Self> {
        // Before the look at the end, so that the end either is seen here or waits for this thread.
        ASKING.fetch_add(1, Ordering::SeqCst);
        let asking = Self(());
        (!ENDING.get().is_some_and(|ending| *ending != thread::current().id())).then_some(asking)
    }

    /// Where the program ends, this does not return.
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
