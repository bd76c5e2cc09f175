//! The locks of a pool, which a test replaces with loom's.

#[cfg(all(loom, test))]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(not(all(loom, test)))]
pub(crate) use std::sync::{Mutex, MutexGuard};

use std::cell::RefCell;
use std::sync::PoisonError;

#[cfg(all(loom, test))]
use loom::thread_local;

/// A lock that stays usable after another thread's panic: its data are valid after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The addresses of the locks that this thread holds as [`Held`].
    static HELD: RefCell<Vec<usize>> = RefCell::default();
}

/// A lock that its thread may ask for again.
pub(crate) struct Held<'a> {
    address: usize,
    _lock: MutexGuard<'a, ()>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        HELD.with(|held| held.borrow_mut().retain(|address| *address != self.address));
    }
}

/// Takes the lock, or returns `None` if this thread holds it already: waiting for it would never end.
pub(crate) fn hold(mutex: &Mutex<()>) -> Option<Held<'_>> {
    let address = std::ptr::from_ref(mutex).addr();
    if HELD.with(|held| held.borrow().contains(&address)) {
        return None;
    }
    let lock = lock(mutex);
    HELD.with(|held| held.borrow_mut().push(address));
    Some(Held { address, _lock: lock })
}
