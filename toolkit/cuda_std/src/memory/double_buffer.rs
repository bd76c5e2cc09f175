//! A shared array in two halves: one is written while the other may still be read.

mod copies;

use crate::block::Block;
use crate::block::thread::{PerThread, Thread};
use crate::bounds::check_length;
use crate::memory::shared::Shared;
use crate::memory::tile::Tile;
use crate::platform::{self, Poison, SharedPointer};
use crate::unrolled::unrolled;
use bytemuck::Pod;
use core::marker::PhantomData;

/// The two halves of a [`Shared`] array, written in turn. Each of a series of tiles then takes one barrier instead of two.
///
/// A phase writes the half that was not written last, without waiting before or after. The result is a [`PendingTile`] until the
/// block meets in [`Block::meet`], which may wait for tiles of several arrays at once:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn total(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32], tiles: &mut Shared<f32, 128>) {
///     let mut tiles = tiles.halves(block);
///     let mut sums = block.per_thread(|_| 0.0);
///     for first in (0..x.len() as u32).step_by(64) {
///         let tile = tiles.fill(block, 64, |i| x.at(first + i));
///         let tile = block.meet(tile);
///         block.each(&mut sums, |thread, sum| *sum += tile.get(63 - thread.index()));
///     }
///     out.write(block, 0, &sums, |_, sum| *sum);
/// }
/// # fn main() {
/// # let (x, mut out) = ([0.5; 192], [0.0; 64]);
/// # total::launch(&CpuExecutor::new(), 1, total::Args { out: &mut out, x: &x }).unwrap();
/// # assert_eq!(out, [1.5; 64]);
/// # }
/// ```
///
/// Why one barrier is enough: a tile borrows its halves, so it is gone before the other half is written. Every thread has therefore
/// read the tile before it reaches the barrier of the other half. A thread that writes the tile's half again has passed that barrier.
///
/// Enforced by the compiler: a pending tile cannot be read, and a tile is gone when the other half is written. Checked at run
/// time: lengths. If the block has not met since the last phase, the next phase waits.
pub struct DoubleBuffer<'a, T> {
    data: SharedPointer<T>,
    /// The number of elements of a half.
    len: u32,
    /// The start of the half that is written next.
    first: u32,
    /// Whether there has been no barrier since the last phase.
    unmet: bool,
    /// The result of the block's last meeting.
    poison: Poison,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod> DoubleBuffer<'_, T> {
    /// The number of elements of a half.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.len
    }

    /// The half that the next phase may write.
    #[inline(always)]
    #[track_caller]
    fn next(&mut self, block: &mut Block, n: u32) -> PendingTile<'_, T> {
        check_length(n, self.len);
        self.poison.leave();
        // Without a barrier since the last phase, a thread may still read the previous tile, which is in this half.
        block.open(self.unmet);
        self.unmet = true;
        let data = self.data.offset(self.first);
        self.first = self.len.wrapping_sub(self.first);
        PendingTile { data, len: n, unmet: &mut self.unmet, poison: &mut self.poison }
    }

    /// Writes `value(i)` to every element `i` below `n`.
    ///
    /// # Panics
    /// When `n` exceeds [`capacity`](Self::capacity).
    #[inline(always)]
    #[track_caller]
    pub fn fill(&mut self, block: &mut Block, n: u32, value: impl Fn(u32) -> T + Sync) -> PendingTile<'_, T> {
        let pending = self.next(block, n);
        let data = pending.data;
        platform::each_index(block.phase(), n, |i| {
            let item = value(i);
            // SAFETY: in bounds. Index i belongs to one thread, and the closure cannot hold these halves. Nobody reads this one:
            // see `DoubleBuffer`.
            unsafe { data.store(i, item) };
        });
        pending
    }

    /// For every thread `t` below `n`, thread `t` writes element `t` from its own state.
    ///
    /// # Panics
    /// When `n` exceeds [`capacity`](Self::capacity) or the number of threads.
    #[inline(always)]
    #[track_caller]
    pub fn write<S>(
        &mut self,
        block: &mut Block,
        n: u32,
        state: &PerThread<S>,
        value: impl Fn(Thread, &S) -> T + Sync,
    ) -> PendingTile<'_, T> {
        check_length(n, block.threads());
        let pending = self.next(block, n);
        let data = pending.data;
        state.each_ref(block.phase(), |thread, own| {
            if thread.index() < n {
                let item = value(thread, own);
                // SAFETY: as in `fill`: each index belongs to one thread.
                unsafe { data.store(thread.index(), item) };
            }
        });
        pending
    }

    /// Writes `ROWS` rows of `COLUMNS` elements, one row after another, from the threads' own state. Each thread writes `R`
    /// elements, one below the other.
    ///
    /// A column is divided into `ROWS / R` parts. Thread `t` owns part `t % (ROWS / R)` of column `t / (ROWS / R)`. Threads
    /// beyond the last column write nothing.
    ///
    /// # Panics
    /// When the elements exceed [`capacity`](Self::capacity), or the block has fewer threads than parts.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Each of four threads has two rows of the left or of the right column.
    /// #[kernel(threads = 32)]
    /// fn columns(block: &mut Block, out: &mut Chunk<u32, 8>, tiles: &mut Shared<u32, 16>) {
    ///     let mut tiles = tiles.halves(block);
    ///     let own = block.per_thread(|thread| 10 * thread.index());
    ///     let tile = tiles.write_columns::<4, 2, 2, _>(block, &own, |_, first| [*first, first + 1]);
    ///     let tile = block.meet(tile);
    ///     out.fill(block, 8, |i| tile.get(i));
    /// }
    /// # fn main() {
    /// let mut out = [0; 8];
    /// columns::launch(&CpuExecutor::new(), 1, columns::Args { out: &mut out }).unwrap();
    /// assert_eq!(out, [0, 20, 1, 21, 10, 30, 11, 31]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_columns<const ROWS: usize, const COLUMNS: usize, const R: usize, S>(
        &mut self,
        block: &mut Block,
        state: &PerThread<S>,
        value: impl Fn(Thread, &S) -> [T; R] + Sync,
    ) -> PendingTile<'_, T> {
        const {
            assert!(R > 0 && ROWS.is_multiple_of(R), "a column is cut into whole parts");
            assert!(ROWS * COLUMNS <= 1 << 30, "rows and columns have at most 2^30 elements");
        }
        let parts = (ROWS / R) as u32;
        check_length(parts.wrapping_mul(COLUMNS as u32), block.threads());
        let pending = self.next(block, (ROWS * COLUMNS) as u32);
        let data = pending.data;
        state.each_ref(block.phase(), |thread, own| {
            let (column, part) = (thread.index() / parts, thread.index() % parts);
            if column < COLUMNS as u32 {
                let first = part.wrapping_mul((R * COLUMNS) as u32).wrapping_add(column);
                let items = value(thread, own);
                let data = data.offset(first).settled();
                unrolled::<R>(|row| {
                    // SAFETY: as in `fill`: no two parts share an element.
                    unsafe { data.store(row.wrapping_mul(COLUMNS as u32), items[row as usize]) };
                });
            }
        });
        pending
    }
}

/// The tile that a phase has written to a [`DoubleBuffer`]. It can be read after [`Block::meet`] has waited for all threads.
///
/// See [`DoubleBuffer`] for examples.
#[must_use = "it can be read after `Block::meet`"]
pub struct PendingTile<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    unmet: &'a mut bool,
    poison: &'a mut Poison,
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::PendingTile<'_, T> {}
    impl<A: Sealed, B: Sealed> Sealed for (A, B) {}
    impl<A: Sealed, B: Sealed, C: Sealed> Sealed for (A, B, C) {}
}

impl<T: Pod, const N: usize> Shared<T, N> {
    /// The array as two halves, so that one can be written while the other may still be read.
    ///
    /// The build stops if `N` is odd or a half is not a multiple of 16 bytes. [`DoubleBuffer`] has an example.
    #[inline(always)]
    pub fn halves(&mut self, block: &mut Block) -> DoubleBuffer<'_, T> {
        const { assert!(N.is_multiple_of(2) && (N / 2 * size_of::<T>()).is_multiple_of(16), "halves of whole 16 bytes") };
        block.open(self.claim());
        let (data, len) = (self.pointer(), N as u32 / 2);
        DoubleBuffer { data, len, first: 0, unmet: false, poison: Poison::NONE, owner: PhantomData }
    }
}

/// A barrier that all threads of the block have passed.
#[derive(Clone, Copy)]
pub struct Barrier(Poison);

/// The tiles for which a block can meet: one [`PendingTile`], or two or three of them.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Two tiles with one barrier.
/// #[kernel(threads = 32)]
/// fn add(block: &mut Block, out: &mut Chunk<u32, 4>, a: &mut Shared<u32, 8>, b: &mut Shared<u32, 8>) {
///     let (mut a, mut b) = (a.halves(block), b.halves(block));
///     assert!(a.capacity() == 4);
///     let own = block.per_thread(|thread| thread.index());
///     let pending = (a.write(block, 4, &own, |_, i| *i), b.fill(block, 4, |i| 10 * i));
///     let (a, b) = block.meet(pending);
///     out.fill(block, 4, |i| a.get(3 - i) + b.get(i));
/// }
/// # fn main() {
/// let mut out = [0; 4];
/// add::launch(&CpuExecutor::new(), 1, add::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [3, 12, 21, 30]);
/// # }
/// ```
pub trait PendingTiles: sealed::Sealed {
    /// The tiles.
    type Tiles;
    /// # Safety
    /// There has been a barrier since.
    #[doc(hidden)]
    unsafe fn after(self, barrier: Barrier) -> Self::Tiles;
}

impl<'a, T: Pod> PendingTiles for PendingTile<'a, T> {
    type Tiles = Tile<'a, T>;

    #[inline(always)]
    unsafe fn after(self, barrier: Barrier) -> Tile<'a, T> {
        (*self.unmet, *self.poison) = (false, barrier.0);
        // SAFETY: all of it was written and waited for; the halves stay borrowed.
        unsafe { Tile::new(self.data, self.len, true) }
    }
}

impl<A: PendingTiles, B: PendingTiles> PendingTiles for (A, B) {
    type Tiles = (A::Tiles, B::Tiles);

    #[inline(always)]
    unsafe fn after(self, barrier: Barrier) -> Self::Tiles {
        // SAFETY: ensured by the caller.
        unsafe { (self.0.after(barrier), self.1.after(barrier)) }
    }
}

impl<A: PendingTiles, B: PendingTiles, C: PendingTiles> PendingTiles for (A, B, C) {
    type Tiles = (A::Tiles, B::Tiles, C::Tiles);

    #[inline(always)]
    unsafe fn after(self, barrier: Barrier) -> Self::Tiles {
        // SAFETY: ensured by the caller.
        unsafe { (self.0.after(barrier), self.1.after(barrier), self.2.after(barrier)) }
    }
}

impl Block {
    /// Waits for all threads, so that they see what phases have written to [`DoubleBuffer`]s. One barrier serves all given tiles.
    ///
    /// If a thread of the block has panicked, the others end when they begin to write the next tile: ending here would make
    /// them wait for the answer. Until then, the value of an element that the thread has not written is unspecified.
    ///
    /// See [`DoubleBuffer`] and [`PendingTiles`] for examples.
    #[inline(always)]
    pub fn meet<P: PendingTiles>(&mut self, pending: P) -> P::Tiles {
        self.open(true);
        // SAFETY: all threads have passed a barrier.
        unsafe { pending.after(Barrier(Poison::now())) }
    }
}
