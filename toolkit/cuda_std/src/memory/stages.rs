//! A shared array in several stages. Each is filled some turns before it is used.

use crate::bounds::{MAX_LENGTH, check_length};
use crate::platform::{self, Poison, SharedPointer};
use crate::{Block, DynamicShared, Shared, Tile};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A shared array in `S` stages of the same size, for [`copy_ahead`](Self::copy_ahead). The copies for a turn begin `S - 1` turns
/// earlier. [`DoubleBuffer::copy_ahead`](crate::DoubleBuffer::copy_ahead) does the same with two halves.
///
/// A copy from global memory often takes longer than one turn. With three or four stages, two or three copies are in flight at a
/// time.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Sums of the columns of a table. A turn uses 8 rows, which are copied three turns ahead.
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
    /// The number of elements of a stage.
    len: u32,
    /// Whether threads may still be reading the last tile.
    used: bool,
    owner: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod, const S: usize> Stages<'a, T, S> {
    /// # Safety
    /// `data` points to the first of `S` times `len` elements. Only these stages use them while they live, and no thread reads
    /// them any more. The size of a stage is a multiple of 16 bytes.
    #[inline(always)]
    unsafe fn new(data: SharedPointer<T>, len: u32) -> Self {
        const { assert!(S >= 2 && S <= 16, "there are 2 to 16 stages") };
        Self { data, len, used: false, owner: PhantomData }
    }

    /// The number of elements of a stage.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.len
    }

    /// Runs `body(block, turn, tile)` for every turn below `turns`. The tile has the `n` elements that `source(turn, i)` points
    /// to. The copies for a turn begin `S - 1` turns earlier.
    ///
    /// Everything else is as in [`DoubleBuffer::copy_ahead`](crate::DoubleBuffer::copy_ahead): which elements are copied
    /// asynchronously, the one barrier per turn, and the tile's end with its body.
    ///
    /// # Panics
    /// When `n` exceeds [`capacity`](Self::capacity), or `turns` exceeds `u32::MAX - 1024`.
    ///
    /// A tile cannot leave its turn:
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

    /// As [`copy_ahead`](Self::copy_ahead), for turns that each use one part of a source: `source(part(turn), i)` points to
    /// element `i`. The checks in `part` run once per turn and thread, not once per element. A part can be a window of a
    /// [`Table`](crate::Table), for example.
    ///
    /// # Panics
    /// As [`copy_ahead`](Self::copy_ahead).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Sums of the columns of a table, 8 rows per turn.
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
        check_length(n, self.len);
        let copy = |block: &mut Block, turn: u32, data: SharedPointer<T>| {
            let part = part(turn);
            platform::each_unrolled(block.phase(), n, |i| {
                // SAFETY: in bounds; index i belongs to one thread. Nobody reads this stage: see `turns_ahead`. The source stays
                // borrowed until the copies have ended.
                unsafe { data.copy(i, source(&part, i)) };
            });
        };
        self.turns_ahead(block, turns, copy, |block, turn, data| {
            // SAFETY: all of it was copied and waited for. The stages stay borrowed, and no phase writes this one in this turn.
            body(block, turn, unsafe { Tile::new(data, n, true) });
        });
    }

    /// Runs `body(block, turn, stage)` for every turn below `turns`. `copy(block, turn, stage)` begins the copies for a turn, `S - 1`
    /// turns earlier, when nobody reads the stage: before the first turn the block has met, and later all threads have finished the
    /// body that used the stage before the barrier at the start of this turn.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn turns_ahead(
        &mut self,
        block: &mut Block,
        turns: u32,
        copy: impl Fn(&mut Block, u32, SharedPointer<T>),
        mut body: impl FnMut(&mut Block, u32, SharedPointer<T>),
    ) {
        check_length(turns, MAX_LENGTH);
        let stage = |number: u32| self.data.offset(number.wrapping_mul(self.len));
        let copy = |block: &mut Block, turn: u32, number: u32| {
            if turn < turns {
                copy(block, turn, stage(number));
            }
            // A turn without copies counts too, so that the number of newer turns is always the same.
            platform::end_turn_of_copies();
        };
        let ahead = const { S as u32 - 1 };
        block.open(core::mem::replace(&mut self.used, true));
        for turn in 0..ahead {
            copy(block, turn, turn);
        }
        let (mut now, mut next) = (0, ahead);
        for turn in 0..turns {
            // The copies for this turn have ended; those for the next `S - 2` turns may be in flight.
            platform::finish_older_copies::<S, 0>();
            block.open(true);
            let found = Poison::now();
            copy(block, turn.wrapping_add(ahead), next);
            // Newer copies have begun meanwhile. Nothing else uses their stages.
            found.leave();
            body(block, turn, stage(now));
            (now, next) = (Self::following(now), Self::following(next));
        }
    }

    /// The stage after another one.
    #[inline(always)]
    pub(crate) fn following(number: u32) -> u32 {
        if number == const { S as u32 - 1 } { 0 } else { number.wrapping_add(1) }
    }

    /// Whether all stages begin at multiples of so many bytes.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    #[inline(always)]
    pub(crate) fn are_aligned_to(&self, bytes: u32) -> bool {
        (self.data.address(0) | self.len.wrapping_mul(size_of::<T>() as u32)).is_multiple_of(bytes)
    }

    /// The first stage and the number of elements per stage, after a barrier if threads may still use the stages.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    #[inline(always)]
    pub(crate) fn open(&mut self, block: &mut Block) -> (SharedPointer<T>, u32) {
        block.open(core::mem::replace(&mut self.used, true));
        (self.data, self.len)
    }
}

/// The number of elements of the largest stage whose size is a multiple of 16 bytes, when all stages together have `len`
/// elements.
#[inline(always)]
const fn stage_of<T>(len: u32, stages: u32) -> u32 {
    let bytes = if size_of::<T>() == 0 { 1 } else { size_of::<T>() as u32 };
    // This many elements make a multiple of 16 bytes.
    let step = 16 >> if bytes.trailing_zeros() > 4 { 4 } else { bytes.trailing_zeros() };
    len / stages / step * step
}

impl<T: Pod, const N: usize> Shared<T, N> {
    /// The array in `S` stages, to be filled by [`Stages::copy_ahead`]. The build stops unless the array divides into `S` stages
    /// whose sizes are multiples of 16 bytes.
    #[inline(always)]
    pub fn stages<const S: usize>(&mut self, block: &mut Block) -> Stages<'_, T, S> {
        let len = const {
            let len = stage_of::<T>(N as u32, S as u32);
            assert!(len as usize * S == N, "stages of whole 16 bytes make up the array");
            len
        };
        block.open(self.claim());
        // SAFETY: the array stays borrowed, and its readers have been waited for.
        unsafe { Stages::new(self.pointer(), len) }
    }
}

impl<T: Pod> DynamicShared<T> {
    /// The array in `S` stages whose sizes are multiples of 16 bytes, to be filled by [`Stages::copy_ahead`]. The remainder at
    /// the end is not used.
    #[inline(always)]
    pub fn stages<const S: usize>(&mut self, block: &mut Block) -> Stages<'_, T, S> {
        let len = stage_of::<T>(self.capacity(), S as u32);
        block.open(self.claim());
        // SAFETY: the array stays borrowed, and its readers have been waited for.
        unsafe { Stages::new(self.pointer(), len) }
    }
}
