//! A shared array in several stages, which are filled some turns before they are used.

use crate::bounds::{MAX_LENGTH, check_length};
use crate::platform::{self, Poison, SharedPointer};
use crate::unrolled::unrolled;
use crate::{Block, DynamicShared, Shared, Tile};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A shared array in `S` stages of the same size, for [`copy_ahead`](Self::copy_ahead): copies begin `S - 1` turns before the turn
/// that uses them. [`DoubleBuffer::copy_ahead`](crate::DoubleBuffer::copy_ahead) does the same with two halves.
///
/// One turn often ends before a copy from global memory does. With three or four stages two or three copies are under way at
/// a time.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Sums of columns of a table, 8 rows a turn, three turns ahead.
/// #[kernel(threads = 32, requires(x.len().is_multiple_of(256)))]
/// fn sums(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32], rows: &mut Shared<f32, 1024>) {
///     let mut sums = block.per_thread(|_| 0.0);
///     let turns = x.len() as u32 / 256;
///     rows.stages::<4>(block).copy_ahead(block, turns, 256, |turn, i| x.at_ref(256 * turn + i), |block, _, tile| {
///         block.each(&mut sums, |thread, sum| {
///             for row in 0..8 {
///                 *sum += tile.get(32 * row + thread.index());
///             }
///         });
///     });
///     out.write(block, 0, &sums, |_, sum| *sum);
/// }
/// # fn main() {
/// for turns in [0, 1, 2, 3, 4, 5, 9] {
///     let x: Vec<f32> = (0..256 * turns).map(|i| (i % 32) as f32).collect();
///     let mut out = [0.0; 32];
///     sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x }).unwrap();
///     assert_eq!(out[31], 31.0 * 8.0 * turns as f32);
/// }
/// # }
/// ```
pub struct Stages<'a, T, const S: usize> {
    data: SharedPointer<T>,
    /// Elements of a stage.
    len: u32,
    /// Whether threads may still read the last tile.
    used: bool,
    owner: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod, const S: usize> Stages<'a, T, S> {
    /// # Safety
    /// `data` points to the first of `S` times `len` elements that these stages alone use while they live, and no thread reads them
    /// any more. A stage has whole 16 bytes.
    #[inline(always)]
    unsafe fn new(data: SharedPointer<T>, len: u32) -> Self {
        const { assert!(S >= 2 && S <= 16, "there are 2 to 16 stages") };
        Self { data, len, used: false, owner: PhantomData }
    }

    /// Number of elements of a stage.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.len
    }

    /// Runs `body(block, turn, tile)` for every turn below `turns`, with a tile of the `n` elements that `source(turn, i)` points to. The
    /// copies of a turn begin `S - 1` turns before.
    ///
    /// All else is as in [`DoubleBuffer::copy_ahead`](crate::DoubleBuffer::copy_ahead): which elements are copied without waiting, one
    /// barrier a turn, and a tile that ends with its body.
    ///
    /// # Panics
    /// When `n` is beyond [`capacity`](Self::capacity), or `turns` above `u32::MAX - 1024`.
    ///
    /// A tile stays in its turn:
    ///
    /// ```compile_fail,E0521
    /// # use cuda_std::prelude::*;
    /// fn kept<'x>(block: &mut Block, rows: &mut Stages<'_, f32, 3>, x: &'x [f32]) {
    ///     let mut last = None;
    ///     rows.copy_ahead(block, 2, 4, |_, i| x.at_ref(i), |_, _, tile| last = Some(tile));
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn copy_ahead<'x>(
        &mut self,
        block: &mut Block,
        turns: u32,
        n: u32,
        source: impl Fn(u32, u32) -> &'x T + Sync,
        body: impl FnMut(&mut Block, u32, Tile<'_, T>),
    ) where
        T: 'x,
    {
        self.copy_parts_ahead(block, turns, n, |turn| turn, |turn, i| source(*turn, i), body);
    }

    /// As [`copy_ahead`](Self::copy_ahead), for sources of which each turn takes a part: `source(part(turn), i)` points to element `i`.
    /// What `part` checks is checked once a turn and thread, and not for each element: windows of a [`Table`](crate::Table), say.
    ///
    /// # Panics
    /// As [`copy_ahead`](Self::copy_ahead).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Sums of columns of a table, 8 rows a turn.
    /// #[kernel(threads = 32, requires(x.len().is_multiple_of(256)))]
    /// fn sums(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32], rows: &mut Shared<f32, 768>) {
    ///     let mut sums = block.per_thread(|_| 0.0);
    ///     let turns = x.len() as u32 / 256;
    ///     let table = Table::new(x, 8 * turns, 32);
    ///     let part = |turn: u32| table.window::<8, 32>(8 * turn, 0);
    ///     rows.stages::<3>(block).copy_parts_ahead(block, turns, 256, part, |part, i| part.at_ref(i / 32, i % 32), |block, _, tile| {
    ///         block.each(&mut sums, |thread, sum| *sum += tile.get(32 * 7 + thread.index()));
    ///     });
    ///     out.write(block, 0, &sums, |_, sum| *sum);
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..1280).map(|i| (i % 32) as f32).collect();
    /// let mut out = [0.0; 32];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out[31], 31.0 * 5.0);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn copy_parts_ahead<'x, P>(
        &mut self,
        block: &mut Block,
        turns: u32,
        n: u32,
        part: impl Fn(u32) -> P + Sync,
        source: impl Fn(&P, u32) -> &'x T + Sync,
        mut body: impl FnMut(&mut Block, u32, Tile<'_, T>),
    ) where
        T: 'x,
    {
        self.copy_spread_ahead::<1, _, _>(block, turns, n, part, source, |block, turn, tile, _| {
            body(block, turn, tile)
        });
    }

    /// As [`copy_parts_ahead`](Self::copy_parts_ahead), with the copies that a turn begins in `PIECES` pieces of the same size: the first
    /// one before `body(block, turn, tile, copies)`, then one with each [`copies.next(block)`](Copies::next), and those that are left
    /// behind the body. Between steps of a long body they do not stand in one queue with what the first step loads.
    ///
    /// # Panics
    /// As [`copy_ahead`](Self::copy_ahead).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Sums of columns of a table, 8 rows a turn.
    /// #[kernel(threads = 32, requires(x.len().is_multiple_of(256)))]
    /// fn sums(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32], rows: &mut Shared<f32, 768>) {
    ///     let mut sums = block.per_thread(|_| 0.0);
    ///     let turns = x.len() as u32 / 256;
    ///     let table = Table::new(x, 8 * turns, 32);
    ///     rows.stages::<3>(block).copy_spread_ahead::<4, _, _>(
    ///         block,
    ///         turns,
    ///         256,
    ///         |turn| table.window::<8, 32>(8 * turn, 0),
    ///         |part, i| part.at_ref(i / 32, i % 32),
    ///         |block, _, tile, copies| {
    ///             for row in 0..8 {
    ///                 block.each(&mut sums, |thread, sum| *sum += tile.get(32 * row + thread.index()));
    ///                 copies.next(block);
    ///             }
    ///         },
    ///     );
    ///     out.write(block, 0, &sums, |_, sum| *sum);
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..1280).map(|i| (i % 32) as f32).collect();
    /// let mut out = [0.0; 32];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out[31], 31.0 * 40.0);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn copy_spread_ahead<'x, const PIECES: usize, P, F>(
        &mut self,
        block: &mut Block,
        turns: u32,
        n: u32,
        part: impl Fn(u32) -> P + Sync,
        source: F,
        mut body: impl FnMut(&mut Block, u32, Tile<'_, T>, &mut Copies<'_, T, P, F>),
    ) where
        T: 'x,
        F: Fn(&P, u32) -> &'x T + Sync,
    {
        const { assert!(PIECES > 0 && PIECES <= 64, "there are 1 to 64 pieces") };
        check_length(n, self.len);
        check_length(turns, MAX_LENGTH);
        let stage = |number: u32| self.data.offset(number.wrapping_mul(self.len));
        let piece = n.div_ceil(const { PIECES as u32 });
        let begin = |turn: u32, number: u32| {
            let part = if turn < turns { Some(part(turn)) } else { None };
            Copies { data: stage(number), part, source: &source, piece, begun: 0, n }
        };
        let ahead = const { S as u32 - 1 };
        block.open(core::mem::replace(&mut self.used, true));
        for turn in 0..ahead {
            let mut copies = begin(turn, turn);
            unrolled::<PIECES>(|_| copies.next(block));
            // A turn without copies counts, too, so that the newest turns are always as many.
            platform::end_turn_of_copies();
        }
        let (mut now, mut next) = (0, ahead);
        for turn in 0..turns {
            // Those of this turn have ended; the `S - 2` turns behind it may be under way.
            platform::finish_older_copies::<S>();
            block.open(true);
            let found = Poison::now();
            let mut copies = begin(turn.wrapping_add(ahead), next);
            copies.next(block);
            // Copies have begun meanwhile. They write where only they do.
            found.leave();
            // SAFETY: all of it was copied, and waited for; the stages stay borrowed, and no phase writes this one in this turn.
            body(block, turn, unsafe { Tile::new(stage(now), n) }, &mut copies);
            unrolled::<PIECES>(|_| copies.next(block));
            platform::end_turn_of_copies();
            let following = |number: u32| if number == ahead { 0 } else { number.wrapping_add(1) };
            (now, next) = (following(now), following(next));
        }
    }
}

/// The copies that a turn begins, in [`Stages::copy_spread_ahead`], which has an example.
///
/// They stay in their turn:
///
/// ```compile_fail,E0521
/// # use cuda_std::prelude::*;
/// fn kept<'x>(block: &mut Block, rows: &mut Stages<'_, f32, 3>, x: &'x [f32]) {
///     let mut last = None;
///     rows.copy_spread_ahead::<2, _, _>(block, 2, 4, |_| (), |_, i| x.at_ref(i), |_, _, _, copies| last = Some(copies));
/// }
/// ```
///
/// and are begun by the block, and by no thread alone:
///
/// ```compile_fail,E0596
/// # use cuda_std::prelude::*;
/// fn by_threads<'x>(block: &mut Block, other: &mut Block, rows: &mut Stages<'_, f32, 3>, x: &'x [f32]) {
///     let mut own = block.per_thread(|_| ());
///     rows.copy_spread_ahead::<2, _, _>(block, 2, 4, |_| (), |_, i| x.at_ref(i), |block, _, _, copies| {
///         block.each(&mut own, |_, _| copies.next(other));
///     });
/// }
/// ```
pub struct Copies<'a, T, P, F> {
    /// The stage they fill.
    data: SharedPointer<T>,
    /// None where there is no such turn.
    part: Option<P>,
    source: &'a F,
    /// Elements of a piece.
    piece: u32,
    /// Elements whose copies have begun.
    begun: u32,
    n: u32,
}

impl<'x, T: Pod + 'x, P, F: Fn(&P, u32) -> &'x T + Sync> Copies<'_, T, P, F> {
    /// Begins the next piece, if one is left. No thread waits.
    #[inline(always)]
    pub fn next(&mut self, block: &mut Block) {
        let first = self.begun;
        let n = self.piece.min(self.n.wrapping_sub(first));
        self.begun = first.wrapping_add(n);
        if let Some(part) = &self.part {
            let (data, source) = (self.data.offset(first), self.source);
            platform::each_unrolled(block.phase(), n, |i| {
                // SAFETY: in bounds; index i is one thread's alone, and of no other piece. Nobody reads this stage: before the first
                // turn since the block has met, and later since all threads have ended the body that had it, before the barrier that
                // the turn began with. What is copied stays borrowed until the copies have ended.
                unsafe { data.copy(i, source(part, first.wrapping_add(i))) };
            });
        }
    }
}

/// Elements of the largest stage that has whole 16 bytes, where all stages have `len` elements.
#[inline(always)]
const fn stage_of<T>(len: u32, stages: u32) -> u32 {
    let bytes = if size_of::<T>() == 0 { 1 } else { size_of::<T>() as u32 };
    // So many elements have whole 16 bytes.
    let step = 16 >> if bytes.trailing_zeros() > 4 { 4 } else { bytes.trailing_zeros() };
    len / stages / step * step
}

impl<T: Pod, const N: usize> Shared<T, N> {
    /// The array in `S` stages, to be filled by [`Stages::copy_ahead`]. The build stops unless `S` stages of whole 16 bytes make it up.
    #[inline(always)]
    pub fn stages<const S: usize>(&mut self, block: &mut Block) -> Stages<'_, T, S> {
        let len = const {
            let len = stage_of::<T>(N as u32, S as u32);
            assert!(len as usize * S == N, "stages of whole 16 bytes make up the array");
            len
        };
        block.open(self.claim());
        // SAFETY: the array stays borrowed, and who read it has been waited for.
        unsafe { Stages::new(self.place(), len) }
    }
}

impl<T: Pod> DynamicShared<T> {
    /// The array in `S` stages of whole 16 bytes, to be filled by [`Stages::copy_ahead`]. What is left over at the end is not used.
    #[inline(always)]
    pub fn stages<const S: usize>(&mut self, block: &mut Block) -> Stages<'_, T, S> {
        let len = stage_of::<T>(self.capacity(), S as u32);
        block.open(self.claim());
        // SAFETY: the array stays borrowed, and who read it has been waited for.
        unsafe { Stages::new(self.place(), len) }
    }
}
