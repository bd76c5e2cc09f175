//! Atomic operations.

use crate::Thread;
use crate::bounds::check_index;
use crate::memory::Elements;
use crate::platform::{AtomicNumber, Place};
use crate::scope::{self, AllBlocks, Scope};
use core::marker::PhantomData;

/// What an operation makes of the old value and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Operation {
    Add,
    Min,
    Max,
    Exchange,
    And,
    Or,
    Xor,
}

/// A number that is updated atomically: `u32`, `i32`, `u64` or `f32`.
pub trait Atomic: AtomicNumber {}

/// A number with atomic operations on its bits: `u32`, `i32` or `u64`.
pub trait AtomicBits: Atomic {}

impl Atomic for u32 {}
impl Atomic for i32 {}
impl Atomic for u64 {}
impl Atomic for f32 {}
impl AtomicBits for u32 {}
impl AtomicBits for i32 {}
impl AtomicBits for u64 {}

/// Memory whose elements several threads update at the same time: [`Atomics`], which all blocks share, or the
/// [`Cells`] of a block's own memory.
///
/// Every operation asks for the [`Thread`] that does it, which only phases have: what comes back differs from thread to
/// thread. Operations are relaxed: they order nothing else. What a phase has done, the block's later phases see.
///
/// Integers end up the same in any order of operations, and what an operation returns depends on the order. Sums of
/// floats depend on the order too, and so do their bits: such a kernel's results differ from run to run and from backend
/// to backend. `CpuExecutor::shuffled` shows it in a test.
pub trait AtomicMemory {
    /// What it holds.
    type Item: Atomic;
    /// Who else sees an operation as one.
    type Scope: Scope;

    /// Number of elements.
    fn len(&self) -> u32;

    #[doc(hidden)]
    fn place(&self, i: u32) -> Place<Self::Item>;

    /// Whether there is no element.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    fn apply(&self, operation: Operation, i: u32, value: Self::Item) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: in bounds; while this is borrowed, the memory is touched by atomic operations alone.
        unsafe { Self::Item::apply(operation, self.place(i), value) }
    }

    /// Adds to element `i` and returns what it was. Integers wrap. Floats: the sum depends on the order of additions, and
    /// subnormal numbers may count as 0.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len); so do all the others.
    #[inline(always)]
    #[track_caller]
    fn add(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item {
        self.apply(Operation::Add, i, value)
    }

    /// Lowers element `i` to `value` if that is smaller, and returns what it was. Floats: -0 is below 0, and a NaN for
    /// `value` changes nothing; the element itself must not be NaN.
    #[inline(always)]
    #[track_caller]
    fn min(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item {
        self.apply(Operation::Min, i, value)
    }

    /// Raises element `i` to `value` if that is larger, and returns what it was; floats as in [`min`](Self::min).
    #[inline(always)]
    #[track_caller]
    fn max(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item {
        self.apply(Operation::Max, i, value)
    }

    /// Writes element `i` and returns what it was.
    #[inline(always)]
    #[track_caller]
    fn exchange(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item {
        self.apply(Operation::Exchange, i, value)
    }

    /// Writes `new` to element `i` if its bits are those of `expected`, and returns what it was.
    #[inline(always)]
    #[track_caller]
    fn compare_exchange(&self, _thread: Thread, i: u32, expected: Self::Item, new: Self::Item) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `apply`.
        unsafe { Self::Item::compare_exchange(self.place(i), expected, new) }
    }

    /// Element `i` as it is at some moment.
    #[inline(always)]
    #[track_caller]
    fn load(&self, _thread: Thread, i: u32) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `apply`.
        unsafe { Self::Item::load(self.place(i)) }
    }

    /// Clears the bits of element `i` that `value` has not, and returns what it was.
    #[inline(always)]
    #[track_caller]
    fn and(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::And, i, value)
    }

    /// Sets the bits of element `i` that `value` has, and returns what it was.
    #[inline(always)]
    #[track_caller]
    fn or(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::Or, i, value)
    }

    /// Flips the bits of element `i` that `value` has, and returns what it was.
    #[inline(always)]
    #[track_caller]
    fn xor(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::Xor, i, value)
    }
}

/// A global buffer that all blocks update by atomic operations, and by nothing else: a parameter of the kernel,
/// `&Atomics<u32>` or `&Atomics<u32, scope::System>`. What was in the buffer before the launch is its first value.
///
/// What is enforced: while the kernel runs, nothing but atomic operations touches the buffer, in a scope that holds all
/// blocks, and from phases alone (the compiler). Indices are checked at run time. Not enforced: that results do not
/// depend on the order of operations, see [`AtomicMemory`].
pub struct Atomics<'a, T, S = scope::Device> {
    data: *mut T,
    len: u32,
    owner: PhantomData<(&'a mut [T], S)>,
}

impl<T: Atomic, S: AllBlocks> Atomics<'_, T, S> {
    /// # Safety
    /// `data` has `len` elements that others touch by atomic operations alone while this lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, len: u32) -> Self {
        Self { data, len, owner: PhantomData }
    }
}

impl<T: Atomic, S: AllBlocks> AtomicMemory for Atomics<'_, T, S> {
    type Item = T;
    type Scope = S;

    #[inline(always)]
    fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    fn place(&self, i: u32) -> Place<T> {
        Place::global(self.data.wrapping_add(i as usize), S::LEVEL)
    }
}

// SAFETY: what is shared is touched by atomic operations alone.
unsafe impl<T: Atomic, S> Sync for Atomics<'_, T, S> {}
// SAFETY: as above.
unsafe impl<T: Atomic, S> Send for Atomics<'_, T, S> {}

/// The elements of a block's own memory, while a phase updates them by atomic operations:
/// [`BlockMemory::update_atomic`](crate::BlockMemory::update_atomic).
///
/// What is enforced is what is of [`Atomics`], with the block for a scope; the phase holds the memory by `&mut`, so
/// that nothing else touches it (the compiler).
pub struct Cells<'p, M> {
    memory: M,
    phase: PhantomData<&'p ()>,
}

impl<M> Cells<'_, M> {
    #[inline(always)]
    pub(crate) fn new(memory: M) -> Self {
        Self { memory, phase: PhantomData }
    }
}

impl<T: Atomic, M: Elements<Item = T>> AtomicMemory for Cells<'_, M> {
    type Item = T;
    type Scope = scope::Block;

    #[inline(always)]
    fn len(&self) -> u32 {
        self.memory.count()
    }

    #[inline(always)]
    fn place(&self, i: u32) -> Place<T> {
        self.memory.place(i)
    }
}
