//! The types that closures of phases may hold.

use core::cell::UnsafeCell;

/// See the host's version for the documentation. The compiler implements this one.
///
/// # Safety
/// Nothing changes through a shared reference to it.
pub unsafe auto trait Frozen {}

impl<T: ?Sized> !Frozen for UnsafeCell<T> {}

/// Whether a type is [`Frozen`]. The compiler tests this when it knows the type, so generic code needs no bound.
trait Ask {
    const IS_FROZEN: bool;
}

impl<F: ?Sized> Ask for F {
    default const IS_FROZEN: bool = false;
}

// Rust allows specialisation on an auto trait that only one type lacks, independent of lifetimes.
impl<F: ?Sized + Frozen> Ask for F {
    const IS_FROZEN: bool = true;
}

/// Stops the build if a phase's closure holds something that another thread of the block could change meanwhile. Otherwise
/// a thread's index could leave the phase, and some threads would miss the barriers after it.
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
