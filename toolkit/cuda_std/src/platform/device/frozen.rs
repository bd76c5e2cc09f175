//! What closures of phases may hold.

use core::cell::UnsafeCell;

/// See the host's version for the documentation; the compiler implements this one.
///
/// # Safety
/// Nothing that is reached through a shared reference to it changes.
pub unsafe auto trait Frozen {}

impl<T: ?Sized> !Frozen for UnsafeCell<T> {}

/// Whether a type is [`Frozen`], asked when it is known: generic code need not say so.
trait Ask {
    const IS_FROZEN: bool;
}

impl<F: ?Sized> Ask for F {
    default const IS_FROZEN: bool = false;
}

// An auto trait that is missing for one type alone, whatever its lifetimes, may be asked for.
impl<F: ?Sized + Frozen> Ask for F {
    const IS_FROZEN: bool = true;
}

/// Stops the build where a phase's closure holds what another thread of the block could change meanwhile: by it a thread's
/// index would get out of the phase, and the barriers behind it would no longer be reached by all threads.
#[inline(always)]
pub(crate) fn frozen<F: ?Sized>(_: &F) {
    const {
        assert!(
            F::IS_FROZEN,
            "a phase's closure holds an atomic, a cell, or a trait object that may have one: threads share memory through \
             phases and `Atomics`; a trait whose objects are held has `cuda_std::Frozen` as a supertrait"
        );
    }
}
