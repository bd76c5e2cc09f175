//! All elements of an input for each thread.

use super::{PerThread, Thread};
use crate::Block;
use crate::buffers::View;
use crate::memory::{BlockMemory as _, Shared};
use bytemuck::Pod;

impl Block {
    /// Runs `f(thread, state, item)` in every thread for each of `items`, in their order. The block copies them to `tiles` a half at a time,
    /// and reads one half while it writes the other. So each item is loaded once for the block, where threads otherwise would load it each:
    /// for sums over all pairs, if a thread has one item of each pair. This takes one barrier for each tile.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// How many numbers are smaller than each.
    /// #[kernel(threads = 64, requires(x.len() == out.len()))]
    /// fn rank(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>, x: &[f32], tiles: &mut Shared<f32, 128>) {
    ///     let (n, first, x) = (out.len(), out.start(), View::of(x));
    ///     let mut own = block.striped::<_, 1>(n, ([0.0], 0), |i| ([x.get(first + i)], 0));
    ///     block.each_of_all(&mut own, x, tiles, |_, own, other| own[0].1 += u32::from(other < own[0].0[0]));
    ///     out.write(block, 0, &own, |_, own| own[0].1);
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..150).map(|i| (i * 7 % 150) as f32).collect();
    /// let mut out = [0; 150];
    /// rank::launch(&CpuExecutor::new(), 3, rank::Args { out: &mut out, x: &x }).unwrap();
    /// assert!(x.iter().zip(out).all(|(x, rank)| *x == rank as f32));
    /// # }
    /// ```
    #[inline(always)]
    pub fn each_of_all<S, T: Pod, const N: usize>(
        &mut self,
        state: &mut PerThread<S>,
        items: View<T>,
        tiles: &mut Shared<T, N>,
        f: impl Fn(Thread, &mut S, T) + Sync,
    ) {
        let mut tiles = tiles.halves(self);
        let all = items.len();
        for first in (0..all).step_by(N / 2) {
            let n = all.wrapping_sub(first).min(N as u32 / 2);
            let tile = tiles.fill(self, n, |i| items.get(first.wrapping_add(i)));
            let tile = self.meet(tile);
            self.each(state, |thread, own| {
                // Four at a time, then what is left over.
                for k in 0..n / 4 {
                    let four = tile.part(4 * k, 4);
                    f(thread, own, four.get(0));
                    f(thread, own, four.get(1));
                    f(thread, own, four.get(2));
                    f(thread, own, four.get(3));
                }
                for i in n / 4 * 4..n {
                    f(thread, own, tile.get(i));
                }
            });
        }
    }
}
