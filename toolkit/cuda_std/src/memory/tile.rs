//! The filled part of a shared array.

use crate::access::Readable;
use crate::block::Block;
use crate::block::thread::{PerThread, Thread};
use crate::bounds::{check_index, check_length, countable};
use crate::buffers::Slots;
use crate::buffers::elements::Elements;
use crate::platform::{Location, SharedPointer};
use crate::seal::{INSIDE, Inside};
use bytemuck::Pod;
use core::marker::PhantomData;

/// The filled elements of a [`Shared`](crate::Shared) or [`DynamicShared`](crate::DynamicShared) array.
///
/// Enforced by the compiler: all elements were written, and waited for, before the tile exists, because only phases make tiles. A
/// phase that writes gives each element to one thread, and holds the tile by `&mut`, so that nobody reads it at the same time.
/// Checked at run time: indices.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn tiles(block: &mut Block, out: &mut Chunk<u32, 4>, a: &mut Shared<u32, 32>, b: &mut Shared<u32, 32>) {
///     let own = block.per_thread(|thread| thread.index() + 1);
///     let a = a.write(block, 8, &own, |_, value| *value); // 1 to 8, of the first eight threads
///     let sums = b.fill_by_team(block, 2, |team: &mut Team<4>, i| {
///         let half = a.part(4 * i, 4);
///         team.reduce(half.len(), 0, |sum, k| sum + half.get(k), |a, b| a + b)
///     });
///     let (low, high) = (sums.get(0), sums.get(1));
///     // The same eight as two arrays of four.
///     let fours = a.arrays::<4>();
///     out.fill(block, 4, |i| [fours.len(), fours.get(1)[0], low, high][i as usize]);
/// }
/// # fn main() {
/// let mut out = [0; 4];
/// tiles::launch(&CpuExecutor::new(), 1, tiles::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [2, 5, 10, 26]);
/// # }
/// ```
pub struct Tile<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    /// Whether other threads may still be reading or writing it.
    used: bool,
    owner: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod> Tile<'a, T> {
    /// `used` says whether other threads may still be reading or writing the elements.
    ///
    /// # Safety
    /// `data` points to the first of `len` elements, which belong only to this tile while it lives. They are written before a
    /// kernel gets the tile.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, len: u32, used: bool) -> Self {
        Self { data, len, used, owner: PhantomData }
    }

    /// Its address and its number of elements.
    #[inline(always)]
    pub(crate) fn raw(&self) -> (SharedPointer<T>, u32) {
        (self.data, self.len)
    }

    /// The same memory as arrays of `M` elements. An array of 8 or 16 bytes is read by one instruction. The remainder at the end
    /// is left out.
    #[inline(always)]
    #[must_use]
    pub fn arrays<const M: usize>(self) -> Tile<'a, [T; M]>
    where
        [T; M]: Pod,
    {
        countable::<M>();
        Tile { data: self.data.arrays(), len: self.len / M as u32, used: self.used, owner: PhantomData }
    }

    /// Runs `f(thread, state, slots)` in every thread, which writes elements at indices that it computes. No element is written
    /// twice; those that nobody writes keep their values. [`Shared::scatter`](crate::Shared::scatter) makes a new tile instead, of
    /// which every element is written.
    ///
    /// A step that needs other elements of the same tile reads them into a [`PerThread`] before this phase.
    ///
    /// Not enforced on a device: that no element is written twice. One of the values remains, or a mixture of words from several.
    ///
    /// # Panics
    /// When an index is not below the tile's length. On CPU cores, when an element is written twice.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Binomial coefficients: each row needs the one above it. The threads of row `r` write its inner elements.
    /// #[kernel(threads = 32)]
    /// fn pascal(block: &mut Block, out: &mut Chunk<u32, 25>, table: &mut Shared<u32, 25>) {
    ///     let mut table = table.fill(block, 25, |i| u32::from(i % 5 == 0));
    ///     for row in 1..5 {
    ///         let is_inner = |i: u32| i >= 1 && i <= row;
    ///         let sums = block.per_thread(|thread| {
    ///             let i = thread.index();
    ///             if is_inner(i) { table.get(5 * (row - 1) + i - 1) + table.get(5 * (row - 1) + i) } else { 0 }
    ///         });
    ///         table.scatter(block, &sums, |thread, sum, slots| {
    ///             if is_inner(thread.index()) {
    ///                 slots.put(thread, 5 * row + thread.index(), *sum);
    ///             }
    ///         });
    ///     }
    ///     out.fill(block, 25, |i| table.get(i));
    /// }
    /// # fn main() {
    /// let mut out = [9; 25];
    /// pascal::launch(&CpuExecutor::new(), 1, pascal::Args { out: &mut out }).unwrap();
    /// assert_eq!(out[20..], [1, 4, 6, 4, 1]);
    /// # }
    /// ```
    ///
    /// Threads that read the tile while others write it do not compile:
    ///
    /// ```compile_fail,E0502
    /// # use cuda_std::prelude::*;
    /// fn reads(block: &mut Block, array: &mut Shared<u32, 64>) {
    ///     let own = block.per_thread(|thread| thread.index());
    ///     let mut tile = array.fill(block, 64, |i| i);
    ///     tile.scatter(block, &own, |thread, own, slots| slots.put(thread, *own, tile.get(63 - *own)));
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn scatter<S>(
        &mut self,
        block: &mut Block,
        state: &PerThread<S>,
        f: impl Fn(Thread, &S, &Slots<'_, T>) + Sync,
    ) {
        block.open(self.claim(INSIDE));
        // SAFETY: the tile's elements, which nothing reads before the phase has ended.
        let slots = unsafe { Slots::new(self.data, self.len) };
        state.each_ref(block.phase(), |thread, own| f(thread, own, &slots));
        block.close(true);
    }

    /// The `n` elements from `first` on, for reading.
    ///
    /// # Panics
    /// When some of them do not exist.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn part(&self, first: u32, n: u32) -> TilePart<'_, T> {
        check_length(first, self.len);
        check_length(n, self.len.wrapping_sub(first));
        TilePart { data: self.data.offset(first), len: n, owner: PhantomData }
    }
}

/// Some elements of a [`Tile`], for reading. The tile stays borrowed, so no phase writes it. Reading an element checks its index.
///
/// If the compiler knows `first`, it becomes part of the instruction that reads. Several parts of a tile with the same index then
/// need one address computation.
///
/// [`Tile`] has an example.
#[derive(Clone, Copy)]
pub struct TilePart<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<T: Pod> TilePart<'_, T> {
    crate::bounds::counted!("elements");

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds; the tile is borrowed, so no phase writes it.
        unsafe { self.data.load(i) }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod> Sync for TilePart<'_, T> {}

impl<T: Pod> Readable for Tile<'_, T> {}

impl<'a, T: Pod> Elements for Tile<'a, T> {
    type Item = T;
    type Resolved = Tile<'a, T>;

    #[inline(always)]
    fn resolved(&self, _: Inside) -> Tile<'a, T> {
        Self { data: self.data, len: self.len, used: self.used, owner: PhantomData }
    }

    const READABLE: bool = true;

    #[inline(always)]
    fn claim(&mut self, _: Inside) -> bool {
        core::mem::replace(&mut self.used, true)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    unsafe fn load(&self, i: u32) -> T {
        // SAFETY: ensured by the caller.
        unsafe { self.data.load(i) }
    }

    #[inline(always)]
    unsafe fn store(&self, i: u32, value: T) {
        // SAFETY: ensured by the caller.
        unsafe { self.data.store(i, value) }
    }

    #[inline(always)]
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut T)) {
        // SAFETY: ensured by the caller. Shared memory has no Rust address on the device, so the element is copied.
        unsafe {
            let mut item = self.data.load(i);
            change(&mut item);
            self.data.store(i, item);
        }
    }

    #[inline(always)]
    fn location(&self, i: u32, _: Inside) -> Location<T> {
        Location::shared(self.data, i)
    }
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod> Sync for Tile<'_, T> {}
