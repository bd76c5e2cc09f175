//! Processes that were forked from one that has used prism. They have none of its threads, so work that waited for these would wait
//! for ever: there, new work gets threads of its own, and what the parent began is refused.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pyo3::create_exception!(
    prism_features._prism,
    RunError,
    PyRuntimeError,
    "A run failed. What a caller's own iterator raises is raised as it is."
);

/// The process that has rayon's common threads; 0 until there is one.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// The threads of a forked process, with its number.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
/// So that one of them may wait for work of another.
const LEAST_THREADS: usize = 2;

/// Whether this process was forked from one that had used prism.
fn is_forked() -> bool {
    let own = std::process::id();
    OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed).is_err_and(|owner| owner != own)
}

/// A pool of threads.
pub fn pool_of(threads: usize) -> Result<Arc<ThreadPool>, String> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("prism {index}")).build();
    pool.map(Arc::new).map_err(|error| format!("no threads could be started: {error}"))
}

/// The threads of a forked process. `None` in another one, which has rayon's common threads.
pub fn pool() -> Result<Option<Arc<ThreadPool>>, String> {
    if !is_forked() {
        return Ok(None);
    }
    let own = std::process::id();
    let mut known = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = known.as_ref().filter(|(process, _)| *process == own) {
        return Ok(Some(Arc::clone(pool)));
    }
    let cores = std::thread::available_parallelism().map_or(LEAST_THREADS, usize::from);
    let pool = pool_of(cores.max(LEAST_THREADS))?;
    // A parent's pool has no threads here that its end could wait for.
    std::mem::forget(known.replace((own, Arc::clone(&pool))));
    Ok(Some(pool))
}

/// Works on threads that this process has.
pub fn within<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    Ok(match pool()? {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// Refuses to use in this process what another one has made.
pub fn check(made_by: u32) -> PyResult<()> {
    if made_by == std::process::id() {
        return Ok(());
    }
    Err(RunError::new_err(
        "this process was forked from one that had made this, and does not have its threads; make an engine in each process, or start \
         processes by \"spawn\" (multiprocessing.get_context(\"spawn\"))",
    ))
}
