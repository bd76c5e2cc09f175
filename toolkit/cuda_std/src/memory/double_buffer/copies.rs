//! Tiles that are copied while the previous ones are used.

use super::DoubleBuffer;
use crate::bounds::check_length;
use crate::platform;
use crate::{Block, Tile};
use bytemuck::Pod;

impl<T: Pod> DoubleBuffer<'_, T> {
    /// Runs `body(block, turn, tile)` for every turn below `turns`, with a tile of the `n` elements that `source(turn, i)`
    /// points to. While a body runs, the next turn's tile is copied to the other half.
    ///
    /// `body` is code of the block, like the code around the call; `source` runs in the thread that copies. On GPUs from
    /// 8.0 on, elements of 4, 8 or 16 bytes that are aligned to their size (such as [`f16x8`](crate::f16x8)) are copied
    /// from inputs without passing through registers, and no thread waits for them before the turn that uses them
    /// (`cp.async`). All others, and those in kernels built for older GPUs, are loaded and stored.
    ///
    /// Each turn has one barrier. It waits for the copies of all threads, and for their reads of the half that is written
    /// next.
    ///
    /// Enforced by the compiler: the tile ends with its body, and nobody writes the source of the copies, which stays
    /// borrowed.
    ///
    /// # Panics
    /// When `n` exceeds [`capacity`](Self::capacity).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Sums of the columns of a table, 8 rows per turn.
    /// #[kernel(threads = 32, requires(x.len().is_multiple_of(256)))]
    /// fn sums(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32], rows: &mut Shared<f32, 512>) {
    ///     let mut sums = block.per_thread(|_| 0.0);
    ///     let turns = x.len() as u32 / 256;
    ///     rows.halves(block).copy_ahead(block, turns, 256, |turn, i| x.at_ref(256 * turn + i), |block, _, tile| {
    ///         block.each(&mut sums, |thread, sum| {
    ///             for row in 0..8 {
    ///                 *sum += tile.get(32 * row + thread.index());
    ///             }
    ///         });
    ///     });
    ///     out.write(block, 0, &sums, |_, sum| *sum);
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..768).map(|i| (i % 32) as f32).collect();
    /// let mut out = [0.0; 32];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!([out[0], out[31]], [0.0, 24.0 * 31.0]);
    /// # }
    /// ```
    ///
    /// A tile cannot leave its turn:
    ///
    /// ```compile_fail,E0521
    /// # use cuda_std::prelude::*;
    /// fn kept<'x>(block: &mut Block, rows: &mut DoubleBuffer<'_, f32>, x: &'x [f32]) {
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
        mut body: impl FnMut(&mut Block, u32, Tile<'_, T>),
    ) where
        T: 'x,
    {
        check_length(n, self.len);
        if turns == 0 {
            return;
        }
        let copy = |block: &mut Block, turn, first| {
            let data = self.data.offset(first);
            platform::each_unrolled(block.phase(), n, |i| {
                // SAFETY: in bounds; index i belongs to one thread. Nobody reads this half: before the first turn as in
                // `next`, and later because all threads left the body that used it before they reached the last barrier.
                // The source stays borrowed until the copies have ended.
                unsafe { data.copy(i, source(turn, i)) };
            });
        };
        let (mut first, mut other) = (self.first, self.len.wrapping_sub(self.first));
        block.open(self.unmet);
        copy(block, 0, first);
        for turn in 0..turns {
            platform::finish_copies();
            block.close(true);
            if turn.wrapping_add(1) < turns {
                copy(block, turn.wrapping_add(1), other);
            }
            // SAFETY: all elements were copied and waited for; the halves stay borrowed, and no phase writes this one in
            // this turn.
            body(block, turn, unsafe { Tile::new(self.data.offset(first), n, true) });
            (first, other) = (other, first);
        }
        // The last tile may still be read. All threads have left the half before it, and no copies are in flight.
        (self.first, self.unmet) = (first, false);
    }
}
