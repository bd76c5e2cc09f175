//! Ending a run before its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a run is to end early. Clones are one and the same; any thread may cancel.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the run that was given this: no further file is read and no further batch is begun or consumed. What is
    /// being computed is waited for.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A flag that something else sets, a signal's handler say.
impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
