//! Releasing Python's lock while memory of a device is dropped, because that waits for the device.

use crate::ending::Asking;
use pyo3::ffi;
use std::ops::Deref;
use std::sync::OnceLock;

/// A value that is dropped without Python's lock. A reader of a tensor may drop it on any thread, with the lock or without it.
/// The value's `drop` must not use Python.
pub struct Unlocked<T>(Option<T>);

impl<T> Unlocked<T> {
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T> Deref for Unlocked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("the value is there until this is dropped")
    }
}

impl<T> Drop for Unlocked<T> {
    fn drop(&mut self) {
        let _given_back = is_held().then(Released::new);
        drop(self.0.take());
    }
}

/// Python's lock, which this thread has released and takes again when this is dropped.
struct Released(*mut ffi::PyThreadState);

impl Released {
    fn new() -> Self {
        // SAFETY: this thread holds the lock.
        Self(unsafe { ffi::PyEval_SaveThread() })
    }
}

impl Drop for Released {
    fn drop(&mut self) {
        let _asking = Asking::or_rest();
        // SAFETY: this thread's own state, from `PyEval_SaveThread`.
        unsafe { ffi::PyEval_RestoreThread(self.0) };
    }
}

/// Whether this thread holds the lock. `false` if that cannot be found out.
fn is_held() -> bool {
    let Some(current) = current_state() else { return false };
    // SAFETY: both may be called by every thread of a process that has an interpreter.
    let (current, own) = unsafe { (current(), ffi::PyGILState_GetThisThreadState()) };
    // Before Python 3.12 `current` is the state of whichever thread holds the lock.
    !current.is_null() && current == own
}

type CurrentState = unsafe extern "C" fn() -> *mut ffi::PyThreadState;

/// Python's function that returns the current state, or null. All versions export it, but it is not in the stable interface, so it is
/// looked up.
fn current_state() -> Option<CurrentState> {
    static FOUND: OnceLock<Option<CurrentState>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        #[cfg(unix)]
        {
            let process = libloading::os::unix::Library::this();
            let names: [&[u8]; 2] = [b"PyThreadState_GetUnchecked\0", b"_PyThreadState_UncheckedGet\0"];
            // SAFETY: Python's functions of both names have this type.
            names.into_iter().find_map(|name| unsafe { process.get::<CurrentState>(name) }.ok()).map(|found| *found)
        }
        #[cfg(not(unix))]
        None
    })
}
