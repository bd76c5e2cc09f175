//! Atomic operations.

use crate::Thread;
use crate::bounds::check_index;
use crate::buffers::elements::Elements;
use crate::platform::{AtomicNumber, Location};
use crate::scope::{self, AllBlocks, Scope};
use crate::seal::{INSIDE, Inside};
use bytemuck::{Pod, cast};
use core::marker::PhantomData;

/// How an operation combines the old value and its operand.
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

/// A type that can be updated atomically: a number of four or eight bytes, or a structure of that size, as a whole.
///
/// A structure names its word, and has that word's size and alignment. The compiler checks them:
///
/// ```
/// # use cuda_std::prelude::*;
/// use cuda_layout::DeviceLayout;
/// use cuda_std::AtomicItem;
///
/// #[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
/// #[repr(C, align(8))]
/// struct Best {
///     score: f32,
///     index: u32,
/// }
///
/// impl AtomicItem for Best {
///     type Word = u64;
/// }
///
/// /// Finds the largest element and its index: the first one of several.
/// #[kernel(threads = 64)]
/// fn find(block: &mut Block, best: &Atomics<Best>, x: &[f32]) {
///     block.for_each(x.len() as u32, |thread, index| {
///         let score = x.at(index);
///         best.update(thread, 0, |best| {
///             let is_better = score > best.score || (score == best.score && index < best.index);
///             if is_better { Best { score, index } } else { best }
///         });
///     });
/// }
/// # fn main() {
/// let mut best = [Best { score: f32::NEG_INFINITY, index: 0 }];
/// find::launch(&CpuExecutor::new(), 1, find::Args { best: &mut best, x: &[3.0, 8.0, -1.0, 8.0] }).unwrap();
/// assert_eq!(best, [Best { score: 8.0, index: 1 }]);
/// # }
/// ```
///
/// Another size or alignment does not compile:
///
/// ```compile_fail
/// # use cuda_std::prelude::*;
/// # use cuda_layout::DeviceLayout;
/// #[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
/// #[repr(C)] // aligned to 4 bytes
/// struct Pair(u32, u32);
/// impl cuda_std::AtomicItem for Pair {
///     type Word = u64;
/// }
/// #[kernel(threads = 32)]
/// fn set(block: &mut Block, x: &Atomics<Pair>) {
///     block.for_each(1, |thread, _| x.store(thread, 0, Pair(1, 2)));
/// }
/// # fn main() {
/// set::launch(&CpuExecutor::new(), 1, set::Args { x: &mut [Pair(0, 0)] }).unwrap();
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not updated atomically",
    note = "numbers of 32 and 64 bits are, and structures of that size with `impl AtomicItem for .. {{ type Word = u64; }}`"
)]
pub trait AtomicItem: Pod {
    /// The integer of the same size and alignment: `u32` or `u64`.
    type Word: AtomicBits;
}

/// A number that is updated atomically: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`.
///
/// It bounds the arithmetic of [`AtomicMemory`], which has examples. No other crate can implement it.
pub trait Atomic: AtomicNumber + AtomicItem {}

/// A number with atomic operations on its bits: `u32`, `i32`, `u64` or `i64`.
///
/// It bounds [`AtomicMemory::and`], [`or`](AtomicMemory::or) and [`xor`](AtomicMemory::xor).
pub trait AtomicBits: Atomic + Eq {}

macro_rules! numbers {
    ($($ty:ident as $word:ident,)*) => { $(
        impl Atomic for $ty {}
        impl AtomicItem for $ty {
            type Word = $word;
        }
    )* };
}

numbers!(u32 as u32, i32 as u32, u64 as u64, i64 as u64, f32 as u32, f64 as u64,);
impl AtomicBits for u32 {}
impl AtomicBits for i32 {}
impl AtomicBits for u64 {}
impl AtomicBits for i64 {}

type Word<T> = <T as AtomicItem>::Word;

/// The address of an item's word.
#[inline(always)]
fn word<T: AtomicItem>(location: Location<T>) -> Location<Word<T>> {
    const {
        assert!(
            size_of::<T>() == size_of::<Word<T>>() && align_of::<T>() >= align_of::<Word<T>>(),
            "what is updated atomically has the size and the alignment of its word: #[repr(C, align(8))] for u64"
        );
    }
    location.cast()
}

/// Memory whose elements several threads update at the same time: [`Atomics`], which all blocks share, or the
/// [`Cells`] of a block's own memory.
///
/// Every operation takes the [`Thread`] that performs it, which only phases have, because the returned value differs from
/// thread to thread. Operations are relaxed: they order nothing else. Later phases of the block see everything that a phase
/// has done.
///
/// Additions to an integer give the same sum in any order, and so do minima, maxima and bitwise operations of one kind.
/// Returned values depend on the order, and so do the bits of float sums: results then differ from run to run and from
/// backend to backend. `CpuExecutor::shuffled` shows this in a test.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn histogram(block: &mut Block, bins: &Atomics<u32>, x: &[u32], counts: &mut Shared<u32, 4>) {
///     // Each block counts in its own shared memory, then adds to the global counts.
///     let mut counts = counts.fill(block, 4, |_| 0);
///     counts.update_atomic(block, x.len() as u32, |thread, cells, i| {
///         cells.add(thread, x.at(i) % cells.len(), 1);
///     });
///     block.for_each(4, |thread, bin| {
///         bins.add(thread, bin, counts.get(bin));
///     });
/// }
/// # fn main() {
/// let mut bins = [100, 0, 0, 0];
/// histogram::launch(&CpuExecutor::new(), 1, histogram::Args { bins: &mut bins, x: &[0, 1, 1, 7, 4] }).unwrap();
/// assert_eq!(bins, [102, 2, 0, 1]);
/// # }
/// ```
///
/// The effect of each operation, and the value that it returns:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn operations(block: &mut Block, x: &Atomics<u32>, was: &Atomics<u32, scope::System>) {
///     block.for_each(1, |thread, _| {
///         was.store(thread, 0, x.min(thread, 0, 3));
///         was.store(thread, 1, x.max(thread, 1, 9));
///         was.store(thread, 2, x.compare_exchange(thread, 2, 7, 1)); // not 7: stays
///         x.and(thread, 3, 0b0110);
///         x.or(thread, 3, 0b1000);
///         x.xor(thread, 3, 0b0001);
///         was.store(thread, 3, x.exchange(thread, 3, 0));
///     });
/// }
/// # fn main() {
/// let (mut x, mut was) = ([5, 5, 5, 0b0101], [0; 4]);
/// operations::launch(&CpuExecutor::new(), 1, operations::Args { x: &mut x, was: &mut was }).unwrap();
/// assert_eq!(x, [3, 9, 5, 0]);
/// assert_eq!(was, [5, 5, 5, 0b1101]);
/// # }
/// ```
pub trait AtomicMemory: sealed::Sealed {
    /// The type of its elements.
    type Item: AtomicItem;
    /// The threads for which an operation is atomic.
    type Scope: Scope;

    /// The number of elements.
    fn len(&self) -> u32;

    #[doc(hidden)]
    fn location(&self, i: u32, _: Inside) -> Location<Self::Item>;

    /// Whether there are no elements.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    fn apply(&self, operation: Operation, i: u32, value: Self::Item, _: Inside) -> Self::Item
    where
        Self::Item: Atomic,
    {
        check_index(i, self.len());
        // SAFETY: in bounds; while this is borrowed, the memory is accessed only by atomic operations.
        unsafe { Self::Item::apply(operation, self.location(i, INSIDE), value) }
    }

    /// Adds to element `i` and returns the old value. Integers wrap. A sum of floats depends on the order of additions, and
    /// subnormal numbers may count as 0.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn add(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: Atomic,
    {
        self.apply(Operation::Add, i, value, INSIDE)
    }

    /// Lowers element `i` to `value` if `value` is smaller, and returns the old value. For floats, -0 is below 0, and a NaN
    /// in `value` changes nothing; the element itself must not be NaN.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn min(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: Atomic,
    {
        self.apply(Operation::Min, i, value, INSIDE)
    }

    /// Raises element `i` to `value` if `value` is larger, and returns the old value. Floats compare as in
    /// [`min`](Self::min).
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn max(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: Atomic,
    {
        self.apply(Operation::Max, i, value, INSIDE)
    }

    /// Writes element `i` and returns the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn exchange(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `apply`; the item has its word's size and alignment.
        cast(unsafe { Word::<Self::Item>::apply(Operation::Exchange, word(self.location(i, INSIDE)), cast(value)) })
    }

    /// Writes `new` to element `i` if its bits equal those of `expected`, and returns the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn compare_exchange(&self, _thread: Thread, i: u32, expected: Self::Item, new: Self::Item) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `exchange`.
        cast(unsafe { Word::<Self::Item>::compare_exchange(word(self.location(i, INSIDE)), cast(expected), cast(new)) })
    }

    /// Replaces element `i` by `change(element)` as one operation, and returns the old value. `change` runs again whenever
    /// another thread was faster. The order of changes is unspecified.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    ///
    /// See [`AtomicItem`] for an example.
    #[inline(always)]
    #[track_caller]
    fn update(&self, _thread: Thread, i: u32, change: impl Fn(Self::Item) -> Self::Item) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `exchange`.
        let mut old = unsafe { Word::<Self::Item>::load(word(self.location(i, INSIDE))) };
        loop {
            let new: Word<Self::Item> = cast(change(cast(old)));
            if new == old {
                return cast(old);
            }
            // SAFETY: as in `exchange`.
            let found = unsafe { Word::<Self::Item>::compare_exchange(word(self.location(i, INSIDE)), old, new) };
            if found == old {
                return cast(old);
            }
            old = found;
        }
    }

    /// Reads element `i` as it is at some moment.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn load(&self, _thread: Thread, i: u32) -> Self::Item {
        check_index(i, self.len());
        // SAFETY: as in `exchange`.
        cast(unsafe { Word::<Self::Item>::load(word(self.location(i, INSIDE))) })
    }

    /// Writes element `i`. This is cheaper than [`exchange`](Self::exchange), because it does not wait for the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn store(&self, _thread: Thread, i: u32, value: Self::Item) {
        check_index(i, self.len());
        // SAFETY: as in `exchange`.
        unsafe { Word::<Self::Item>::store(word(self.location(i, INSIDE)), cast(value)) }
    }

    /// Clears the bits of element `i` that are not set in `value`, and returns the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn and(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::And, i, value, INSIDE)
    }

    /// Sets the bits of element `i` that are set in `value`, and returns the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn or(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::Or, i, value, INSIDE)
    }

    /// Flips the bits of element `i` that are set in `value`, and returns the old value.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn xor(&self, _thread: Thread, i: u32, value: Self::Item) -> Self::Item
    where
        Self::Item: AtomicBits,
    {
        self.apply(Operation::Xor, i, value, INSIDE)
    }
}

mod sealed {
    /// Implementations guarantee that the length is right.
    pub trait Sealed {}
    impl<T, S> Sealed for super::Atomics<'_, T, S> {}
    impl<M> Sealed for super::Cells<'_, M> {}
}

/// A global buffer that all blocks update by atomic operations only: a parameter of the kernel, `&Atomics<u32>` or
/// `&Atomics<u32, scope::System>`. Its initial values are those of the buffer before the launch.
///
/// Enforced by the compiler: while the kernel runs, only atomic operations touch the buffer, in a scope that contains all
/// blocks, and only phases perform them. Checked at run time: indices. Not enforced: that results do not depend on the
/// order of operations; see [`AtomicMemory`].
///
/// See [`AtomicMemory`] for its methods and examples.
pub struct Atomics<'a, T, S = scope::Device> {
    data: *mut T,
    len: u32,
    owner: PhantomData<(&'a mut [T], S)>,
}

impl<T: AtomicItem, S: AllBlocks> Atomics<'_, T, S> {
    /// # Safety
    /// `data` has `len` elements that other threads access only by atomic operations while this lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, len: u32) -> Self {
        Self { data, len, owner: PhantomData }
    }
}

impl<T: AtomicItem, S: AllBlocks> AtomicMemory for Atomics<'_, T, S> {
    type Item = T;
    type Scope = S;

    #[inline(always)]
    fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    fn location(&self, i: u32, _: Inside) -> Location<T> {
        Location::global(self.data.wrapping_add(i as usize), S::LEVEL)
    }
}

// SAFETY: shared memory is accessed only by atomic operations.
unsafe impl<T: AtomicItem, S> Sync for Atomics<'_, T, S> {}
// SAFETY: as above.
unsafe impl<T: AtomicItem, S> Send for Atomics<'_, T, S> {}

/// The elements of a block's own memory, while a phase updates them by atomic operations:
/// [`BlockMemory::update_atomic`](crate::BlockMemory::update_atomic).
///
/// The rules of [`Atomics`] hold, with the block as scope. The phase holds the memory by `&mut`, so that nothing else
/// touches it (enforced by the compiler).
///
/// See [`AtomicMemory`] for its methods and examples.
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

impl<T: AtomicItem, M: Elements<Item = T>> AtomicMemory for Cells<'_, M> {
    type Item = T;
    type Scope = scope::Block;

    #[inline(always)]
    fn len(&self) -> u32 {
        self.memory.count()
    }

    #[inline(always)]
    fn location(&self, i: u32, inside: Inside) -> Location<T> {
        self.memory.location(i, inside)
    }
}
