//! A thread inside a phase, and the values that it keeps.

mod each_of_all;
mod striped;

use crate::platform::{self, Crew};

/// A thread inside a phase. Closures of phases get it, and atomic operations require it. See [`Block`](crate::Block) for an example.
#[derive(Clone, Copy)]
pub struct Thread {
    index: u32,
}

impl Thread {
    #[inline(always)]
    pub(crate) fn new(index: u32) -> Self {
        Self { index }
    }

    /// The thread that has index `i` of a phase over indices.
    #[inline(always)]
    pub(crate) fn of_index(crew: Crew, i: u32) -> Self {
        Self { index: platform::thread_of(crew, i) }
    }

    /// Index of this thread in its block, below [`Block::threads`](crate::Block::threads).
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }
}

/// One value for every thread of a block: registers on the device, an array on a CPU.
///
/// Only phases can read it, because code outside of phases must not depend on values that differ between threads.
///
/// Enforced by the compiler: a thread always has a value, and sees only its own, in phases. Not enforced: that the value stays
/// in registers. A budget of the kernel's resources can check that.
///
/// [`Block`](crate::Block) has an example.
pub struct PerThread<T>(pub(crate) platform::PerThreadStorage<T>);

impl<T> PerThread<T> {
    #[inline(always)]
    pub(crate) fn each_ref(&self, crew: Crew, f: impl Fn(Thread, &T)) {
        self.0.each_ref(crew, |index, value| f(Thread::new(index), value));
    }
}
