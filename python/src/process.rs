//! Processes that were forked from one that has used prism. They have none of its threads, so a call that waited for these would wait
//! for ever.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that has started threads; 0 until there is one.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Whether this process has threads, or may still start them.
pub fn has_threads() -> bool {
    let own = std::process::id();
    OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|owner| owner == own, |_| true)
}

/// Refuses to work without threads.
pub fn check() -> PyResult<()> {
    if has_threads() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "this process was forked from one that had used prism, whose threads it does not have; start processes by \"spawn\" \
         (multiprocessing.get_context(\"spawn\")), or use prism in them alone",
    ))
}
