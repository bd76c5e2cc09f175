//! The methods that all memories of a block share: phases that write them, and reads in between.

mod by_team;
mod by_warp;
mod double_buffer;
mod outputs;
mod scans;
pub(crate) mod shared;
mod stages;
pub(crate) mod tile;
mod warp_part;

pub use by_warp::SharedByWarp;
pub(crate) use by_warp::sealed;
pub use double_buffer::{DoubleBuffer, PendingTile, PendingTiles};
pub use outputs::Outputs;
pub use scans::Scans;
pub use shared::{DynamicShared, Shared};
pub use stages::Stages;
pub use tile::{Tile, TilePart};
pub use warp_part::WarpPart;

use crate::access::Readable;
use crate::block::Block;
use crate::block::team::Team;
use crate::block::thread::{PerThread, Thread};
use crate::bounds::{MAX_LENGTH, check_index, check_length};
use crate::buffers::atomic::{AtomicItem, Cells};
use crate::buffers::elements::Elements;
use crate::platform;
use crate::seal::INSIDE;
use crate::warp::{PerLane, Warp};
use bytemuck::Pod;

/// Memory that all threads of a block share: a [`Tile`] of shared memory, or a block's
/// [`Segment`](crate::Segment) of a global buffer.
///
/// A phase that writes it gives each element to one thread. It begins with a barrier if a thread may still read or write
/// the old elements, and ends with one if the memory can be read: see [`Block`]. Phases that do not write it, and code
/// between phases, can read it.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn steps(block: &mut Block, out: &mut Chunk<u32, 5>) {
///     let n = out.len();
///     out.fill(block, n, |i| 10 * i); // 0, 10, 20, 30, 40
///     out.update(block, 3, |i, item| *item += i); // 0, 11, 22, 30, 40
///     let last = out.get(n - 1);
///     out.set(block, 0, last);
///     let squares = block.per_thread(|thread| thread.index() * thread.index());
///     out.write(block, 3, &squares, |_, square| *square); // thread 0 writes element 3, thread 1 element 4
/// }
/// # fn main() {
/// let mut out = [0; 5];
/// steps::launch(&CpuExecutor::new(), 1, steps::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [40, 11, 22, 0, 1]);
/// # }
/// ```
pub trait BlockMemory: Elements {
    /// The number of elements.
    #[inline(always)]
    fn len(&self) -> u32 {
        self.count()
    }

    /// Whether there are no elements.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn get(&self, i: u32) -> Self::Item
    where
        Self: Readable,
    {
        check_index(i, self.count());
        // SAFETY: in bounds; a phase that writes holds this memory by `&mut`, so none runs.
        unsafe { self.load(i) }
    }

    /// Writes `value(i)` to every element `i` below `n`.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill(&mut self, block: &mut Block, n: u32, value: impl Fn(u32) -> Self::Item + Sync) {
        let memory = self.resolved(INSIDE);
        check_length(n, memory.count());
        block.open(self.claim(INSIDE));
        platform::each_index(block.phase(), n, |i| {
            let item = value(i);
            // SAFETY: in bounds; index i belongs to one thread, and the closure cannot hold this memory.
            unsafe { memory.store(i, item) };
        });
        block.close(Self::READABLE);
    }

    /// Writes `item` to every element `i` below `n` and reduces `value`, for `(item, value) = both(i)`. The reduction is
    /// that of [`Block::reduce`], whose barrier also ends this phase.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn shares(block: &mut Block, out: &mut Chunk<f32, 4>, x: &[f32]) {
    ///     let sum = out.fill_reduce(block, 3, 0.0, |i| (x.at(i), x.at(i)), |a, b| a + b);
    ///     // Scales in place, and finds the largest.
    ///     let most = out.update_reduce(block, 3, 0.0, |_, x| { *x /= sum; *x }, math::larger);
    ///     out.set(block, 3, most);
    /// }
    /// # fn main() {
    /// let mut out = [0.0; 4];
    /// shares::launch(&CpuExecutor::new(), 1, shares::Args { out: &mut out, x: &[1.0, 2.0, 5.0] }).unwrap();
    /// assert_eq!(out, [0.125, 0.25, 0.625, 0.625]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_reduce<V: Pod>(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: V,
        both: impl Fn(u32) -> (Self::Item, V) + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V {
        let memory = self.resolved(INSIDE);
        check_length(n, memory.count());
        let write = |i| {
            let (item, value) = both(i);
            // SAFETY: as in `fill`: the reduction asks for each index once, and then has a barrier.
            unsafe { memory.store(i, item) };
            value
        };
        block.open(self.claim(INSIDE));
        block.reduced(n, identity, write, combine)
    }

    /// Lets `change` update every element `i` below `n` in place and reduces its results, like
    /// [`fill_reduce`](Self::fill_reduce).
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update_reduce<V: Pod>(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: V,
        change: impl Fn(u32, &mut Self::Item) -> V + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V
    where
        Self: Readable,
    {
        let memory = self.resolved(INSIDE);
        check_length(n, memory.count());
        let write = |i| {
            let mut value = identity;
            // SAFETY: as in `fill_reduce`.
            unsafe { memory.change(i, |item| value = change(i, item)) };
            value
        };
        block.open(self.claim(INSIDE));
        block.reduced(n, identity, write, combine)
    }

    /// Writes one element, with a value that is the same in all threads.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn set(&mut self, block: &mut Block, i: u32, value: Self::Item) {
        let memory = self.resolved(INSIDE);
        check_index(i, memory.count());
        block.open(self.claim(INSIDE));
        platform::each_index(block.phase(), 1, |_| {
            // SAFETY: in bounds; one thread writes.
            unsafe { memory.store(i, value) };
        });
        block.close(Self::READABLE);
    }

    /// Lets `change` update every element `i` below `n` in place.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update(&mut self, block: &mut Block, n: u32, change: impl Fn(u32, &mut Self::Item) + Sync)
    where
        Self: Readable,
    {
        let memory = self.resolved(INSIDE);
        check_length(n, memory.count());
        block.open(self.claim(INSIDE));
        platform::each_index(block.phase(), n, |i| {
            // SAFETY: as in `fill`.
            unsafe { memory.change(i, |item| change(i, item)) };
        });
        block.close(Self::READABLE);
    }

    /// Each thread `t` writes element `first + t` from its own state, if `first + t` is below [`len`](Self::len). Other
    /// elements keep their values.
    #[inline(always)]
    fn write<S>(
        &mut self,
        block: &mut Block,
        first: u32,
        state: &PerThread<S>,
        value: impl Fn(Thread, &S) -> Self::Item + Sync,
    ) {
        let memory = self.resolved(INSIDE);
        let rest = memory.count().saturating_sub(first);
        block.open(self.claim(INSIDE));
        state.each_ref(block.phase(), |thread, own| {
            if thread.index() < rest {
                let item = value(thread, own);
                // SAFETY: in bounds; each index belongs to one thread.
                unsafe { memory.store(first + thread.index(), item) };
            }
        });
        block.close(Self::READABLE);
    }

    /// Each warp `w` writes element `w`, if `w` is below [`len`](Self::len).
    ///
    /// See [`fill_by_warp`](Self::fill_by_warp) for an example.
    #[inline(always)]
    fn write_by_warp(&mut self, block: &mut Block, value: impl Fn(&mut Warp) -> Self::Item + Sync) {
        by_warp::write(self, block, value);
    }

    /// Writes every element `i` below `n`. A warp computes each.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The sum of each row of 32 numbers; then each warp counts the rows that it finds above 100.
    /// #[kernel(threads = 64)]
    /// fn rows(block: &mut Block, sums: &mut Chunk<u32, 3>, above: &mut Chunk<u32, 2>, x: &[u32]) {
    ///     sums.fill_by_warp(block, 3, |warp, row| {
    ///         let lanes = warp.per_lane(|lane| x.at(32 * row + lane.index()));
    ///         warp.reduce(&lanes, |a, b| a + b)
    ///     });
    ///     sums.update_by_warp(block, 3, |_, row, sum| sum + row);
    ///     let sums = sums.view(3);
    ///     above.write_by_warp(block, |warp| {
    ///         let lanes = warp.per_lane(|lane| lane.index() % 2 == 0 && lane.index() < 6);
    ///         let found = warp.count(&lanes, |lane, asked| *asked && sums.get(lane.index() / 2) > 100);
    ///         found + warp.index()
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<u32> = (0..96).map(|i| i / 32 * 3).collect();
    /// let (mut sums, mut above) = ([0; 3], [0; 2]);
    /// rows::launch(&CpuExecutor::new(), 1, rows::Args { sums: &mut sums, above: &mut above, x: &x }).unwrap();
    /// assert_eq!((sums, above), ([0, 97, 194], [1, 2]));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_by_warp(&mut self, block: &mut Block, n: u32, value: impl Fn(&mut Warp, u32) -> Self::Item + Sync) {
        by_warp::fill(self, block, n, value);
    }

    /// Writes consecutive rows of `columns` elements, each row by one warp. `about(warp, row)` computes what the elements
    /// of a row share, and `value(about, row, column)` an element.
    ///
    /// # Panics
    /// When `rows * columns` exceeds [`len`](Self::len), or `rows` or `columns` is above `u32::MAX - 1024`.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Each element's share of its row.
    /// #[kernel(threads = 64)]
    /// fn shares(block: &mut Block, out: &mut Chunk<f32, 100>, x: &[f32], columns: u32) {
    ///     let rows = out.len() / columns;
    ///     let sum = |warp: &mut Warp, row| {
    ///         let lanes = warp.per_lane(|lane| {
    ///             (lane.index()..columns).step_by(32).fold(0.0, |sum, c| sum + x.at(row * columns + c))
    ///         });
    ///         warp.reduce(&lanes, |a, b| a + b)
    ///     };
    ///     out.fill_rows_by_warp(block, rows, columns, sum, |sum, row, c| x.at(row * columns + c) / sum);
    /// }
    /// # fn main() {
    /// let (x, mut out) = ([1.0, 1.0, 2.0, 3.0, 3.0, 6.0], [0.0; 6]);
    /// shares::launch(&CpuExecutor::new(), 1, shares::Args { out: &mut out, x: &x, columns: 3 }).unwrap();
    /// assert_eq!(out, [0.25, 0.25, 0.5, 0.25, 0.25, 0.5]);
    /// # }
    /// ```
    ///
    /// The lanes share a row's data. It cannot be a cell, because one lane would see what another did:
    ///
    /// ```compile_fail,E0277
    /// # use cuda_std::prelude::*;
    /// use std::cell::Cell;
    ///
    /// fn counted(block: &mut Block, out: &mut Chunk<u32, 64>) {
    ///     out.fill_rows_by_warp(block, 2, 32, |_, _| Cell::new(0), |count, _, _| count.replace(1));
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_rows_by_warp<S: Sync>(
        &mut self,
        block: &mut Block,
        rows: u32,
        columns: u32,
        about: impl Fn(&mut Warp, u32) -> S + Sync,
        value: impl Fn(&S, u32, u32) -> Self::Item + Sync,
    ) {
        by_warp::fill_rows(self, block, rows, columns, about, value);
    }

    /// Updates every element `i` below `n`. A warp computes each from its old value.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// See [`fill_by_warp`](Self::fill_by_warp) for an example.
    #[inline(always)]
    #[track_caller]
    fn update_by_warp(
        &mut self,
        block: &mut Block,
        n: u32,
        change: impl Fn(&mut Warp, u32, Self::Item) -> Self::Item + Sync,
    ) where
        Self: Readable,
    {
        by_warp::update(self, block, n, change);
    }

    /// Like [`fill_by_warp`](Self::fill_by_warp), with lists for each warp, empty at first, in equal parts of some shared
    /// arrays. See [`WarpList`](crate::lists::WarpList) for an example.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_by_warp_with<S: SharedByWarp>(
        &mut self,
        block: &mut Block,
        n: u32,
        arrays: S,
        value: impl Fn(&mut Warp, &mut S::Lists<'_>, u32) -> Self::Item + Sync,
    ) {
        by_warp::fill_with(self, block, n, arrays, value);
    }

    /// Lets warps write the parts into which `starts` divides the elements; the next free warp takes the next part. Part
    /// `g` goes from `starts[g]` to before `starts[g + 1]`. Elements that a warp does not write keep their values. Lists are
    /// as in [`fill_by_warp_with`](Self::fill_by_warp_with), and empty at the start of each part.
    ///
    /// # Panics
    /// When `starts` decreases, or exceeds [`len`](Self::len).
    ///
    /// See [`WarpPart`] for an example.
    #[inline(always)]
    #[track_caller]
    fn write_parts_by_warp_with<S: SharedByWarp>(
        &mut self,
        block: &mut Block,
        starts: &Tile<u32>,
        arrays: S,
        write: impl Fn(&mut Warp, &mut S::Lists<'_>, &mut WarpPart<'_, Self>) + Sync,
    ) {
        by_warp::write_parts_with(self, block, starts, arrays, write);
    }

    /// Writes the elements below `n` in groups of 32, each group by one warp. `values(warp, first)` returns one value for
    /// each lane; values at `n` and beyond are not written.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The element before each in its group of 32; the first one of a group itself.
    /// #[kernel(threads = 64)]
    /// fn shifted(block: &mut Block, out: &mut Chunk<u32, 40>, x: &[u32]) {
    ///     out.fill_by_lanes(block, 40, |warp, first| {
    ///         // Lanes beyond the end have a value too, which is not written.
    ///         let lanes = warp.per_lane(|lane| x.at((first + lane.index()).min(39)));
    ///         warp.shuffle_up(&lanes, 1)
    ///     });
    /// }
    /// # fn main() {
    /// # let (x, mut out) = ((0..40).collect::<Vec<u32>>(), [0; 40]);
    /// # shifted::launch(&CpuExecutor::new(), 1, shifted::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out[..3], [0, 0, 1]);
    /// assert_eq!(out[31..35], [30, 32, 32, 33]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_by_lanes(
        &mut self,
        block: &mut Block,
        n: u32,
        values: impl Fn(&mut Warp, u32) -> PerLane<Self::Item> + Sync,
    ) {
        by_warp::fill_by_lanes(self, block, n, values);
    }

    /// Like [`fill_by_lanes`](Self::fill_by_lanes), with lists as in [`fill_by_warp_with`](Self::fill_by_warp_with). They are
    /// empty at the start of each group of 32 elements.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// For each number, the number of even ones in its group of 32.
    /// #[kernel(threads = 64)]
    /// fn evens(block: &mut Block, out: &mut Chunk<u32, 40>, x: &[u32], list: &mut Shared<u32, 64>) {
    ///     out.fill_by_lanes_with(block, 40, (list,), |warp, (even,), first| {
    ///         let own = warp.per_lane(|lane| if first + lane.index() < 40 { x.at(first + lane.index()) } else { 1 });
    ///         even.push_where(warp, &own, &own, |_, x| x % 2 == 0);
    ///         let n = even.items(warp).len();
    ///         warp.per_lane(|_| n)
    ///     });
    /// }
    /// # fn main() {
    /// # let (x, mut out) = ((0..40).collect::<Vec<u32>>(), [0; 40]);
    /// # evens::launch(&CpuExecutor::new(), 1, evens::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!([out[0], out[31], out[32], out[39]], [16, 16, 4, 4]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_by_lanes_with<S: SharedByWarp>(
        &mut self,
        block: &mut Block,
        n: u32,
        arrays: S,
        values: impl Fn(&mut Warp, &mut S::Lists<'_>, u32) -> PerLane<Self::Item> + Sync,
    ) {
        by_warp::fill_by_lanes_with(self, block, n, arrays, values);
    }

    /// Runs `f(thread, cells, i)` for every `i` below `n`. Each call may update any of the elements by the atomic
    /// operations of `cells`, whose scope is the block; see [`AtomicMemory`](crate::AtomicMemory) for an example.
    ///
    /// # Panics
    /// When `n` is above `u32::MAX - 1024`.
    #[inline(always)]
    #[track_caller]
    fn update_atomic(&mut self, block: &mut Block, n: u32, f: impl Fn(Thread, &Cells<'_, Self::Resolved>, u32) + Sync)
    where
        Self: Readable,
        Self::Item: AtomicItem,
    {
        check_length(n, MAX_LENGTH);
        let cells = Cells::new(self.resolved(INSIDE));
        block.open(self.claim(INSIDE));
        let crew = block.phase();
        platform::each_index(crew, n, |i| f(Thread::of_index(crew, i), &cells, i));
        block.close(Self::READABLE);
    }

    /// Runs `f(warp, state, cells)` once in every warp, on the values of its 32 threads. Its phases may update any of the elements by
    /// the atomic operations of `cells`, as in [`update_atomic`](Self::update_atomic). Lanes of a warp that use an element one after
    /// the other [meet](Warp::meet) in between.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The number of equal elements before each in its row of 32.
    /// #[kernel(threads = 64, requires(out.len() == x.len()))]
    /// fn ranks(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], counts: &mut Shared<u32, 8>) {
    ///     let mut own = block.per_thread(|thread| (x.at(thread.index()) % 4, 0));
    ///     let mut counts = counts.fill(block, 8, |_| 0);
    ///     counts.update_atomic_by_warp(block, &mut own, |warp, own, cells| {
    ///         let at = 4 * warp.index();
    ///         for turn in 0..32 {
    ///             warp.each(own, |lane, (x, rank)| {
    ///                 if lane.index() == turn {
    ///                     *rank = cells.add(lane.thread(), at + *x, 1);
    ///                 }
    ///             });
    ///             warp.meet();
    ///         }
    ///     });
    ///     out.write(block, 0, &own, |_, (_, rank)| *rank);
    /// }
    /// # fn main() {
    /// # let mut out = [0; 64];
    /// let x: Vec<u32> = (0..64).map(|i| i / 2).collect();
    /// ranks::launch(&CpuExecutor::new(), 1, ranks::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out[..12], [0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3]);
    /// # }
    /// ```
    ///
    /// The phase holds the memory, so nothing reads it in another way:
    ///
    /// ```compile_fail,E0502
    /// # use cuda_std::prelude::*;
    /// fn reads(block: &mut Block, counts: &mut Tile<u32>) {
    ///     let mut own = block.per_thread(|_| 0u32);
    ///     counts.update_atomic_by_warp(block, &mut own, |warp, own, _| warp.each(own, |_, own| *own = counts.get(0)));
    /// }
    /// ```
    #[inline(always)]
    fn update_atomic_by_warp<S>(
        &mut self,
        block: &mut Block,
        state: &mut PerThread<S>,
        f: impl Fn(&mut Warp, &mut PerLane<S>, &Cells<'_, Self::Resolved>) + Sync,
    ) where
        Self: Readable,
        Self::Item: AtomicItem,
    {
        let cells = Cells::new(self.resolved(INSIDE));
        block.open(self.claim(INSIDE));
        let crew = block.phase();
        state.0.each_warp(crew, |index, own| f(&mut Warp::new(index, crew), PerLane::of(own), &cells));
        block.close(Self::READABLE);
    }

    /// Writes every element `i` below `n`. A team of `L` threads computes each.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Row sums of a matrix of 3 rows, by four threads for each row; then each row's share of the total.
    /// #[kernel(threads = 32)]
    /// fn shares(block: &mut Block, out: &mut Chunk<f32, 3>, x: &[f32], columns: u32) {
    ///     let sum = |team: &mut Team<4>, row| {
    ///         team.reduce(columns, 0.0, |sum, k| sum + x.at(row * columns + k), |a, b| a + b)
    ///     };
    ///     out.fill_by_team(block, 3, sum);
    ///     let all = x.len() as u32;
    ///     out.update_by_team(
    ///         block,
    ///         3,
    ///         |team: &mut Team<4>, _| team.reduce(all, 0.0, |sum, k| sum + x.at(k), |a, b| a + b),
    ///         |total, row| *row /= total,
    ///     );
    /// }
    /// # fn main() {
    /// let mut out = [0.0; 3];
    /// let x = [1.0, 1.0, 2.0, 2.0, 4.0, 6.0];
    /// shares::launch(&CpuExecutor::new(), 1, shares::Args { out: &mut out, x: &x, columns: 2 }).unwrap();
    /// assert_eq!(out, [0.125, 0.25, 0.625]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    fn fill_by_team<const L: u32>(
        &mut self,
        block: &mut Block,
        n: u32,
        value: impl Fn(&mut Team<L>, u32) -> Self::Item + Sync,
    ) {
        by_team::fill(self, block, n, value);
    }

    /// A team of `L` threads updates every element `i` below `n`: `compute` runs in all of the team's threads, `change` in
    /// one.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// See [`fill_by_team`](Self::fill_by_team) for an example.
    #[inline(always)]
    #[track_caller]
    fn update_by_team<const L: u32, V>(
        &mut self,
        block: &mut Block,
        n: u32,
        compute: impl Fn(&mut Team<L>, u32) -> V + Sync,
        change: impl Fn(V, &mut Self::Item) + Sync,
    ) where
        Self: Readable,
    {
        by_team::update(self, block, n, compute, change);
    }
}

impl<M: Elements> BlockMemory for M {}
