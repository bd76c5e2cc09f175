//! Cancels a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a run should end early. Clones share one state; any thread may cancel.
///
/// ```
/// use prism_io::pipeline::{Batch, Cancel, Stopped, run};
/// use prism_engine::{Backend, Engine};
/// use std::convert::Infallible;
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let (cancel, mut consumed) = (Cancel::default(), 0);
/// let without_end = std::iter::repeat_with(Batch::default);
/// let stopped = run(&engine, without_end, &cancel.clone(), |_| {
///     consumed += 1;
///     cancel.cancel();
///     Ok::<(), Infallible>(())
/// });
/// assert!(matches!(stopped, Err(Stopped::Cancelled)) && cancel.is_cancelled());
/// assert_eq!(consumed, 1);
/// # Ok::<(), prism_engine::EngineError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the run that was given this. No further file is read, and no further batch is started or consumed. Batches that
    /// are being computed are completed.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the run was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// From a flag that something else sets, such as a signal handler.
impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
