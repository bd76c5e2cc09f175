//! A grid whose blocks meet. One core runs them one after another, phase by phase.

use super::{Crew, GroupsHalf, Order, block_reduce, thread_of};
use crate::grid::{Grid, part_of_block};
use crate::panic::cpu::{BlockGuard, ThreadGuard};
use bytemuck::Pod;

/// All threads of a grid.
pub(crate) struct GridCrew {
    threads: u32,
    grid: Grid,
    order: Order,
}

impl GridCrew {
    #[inline(always)]
    pub(crate) fn new(threads: u32, grid: Grid, order: Order) -> Self {
        Self { threads, grid, order }
    }

    #[inline(always)]
    pub(crate) fn blocks(&self) -> u32 {
        self.grid.x
    }

    #[inline(always)]
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// Runs `f(block, crew)` for every block.
    #[inline(always)]
    fn each_block(&mut self, mut f: impl FnMut(u32, Crew)) {
        let order = self.order;
        self.order = order.next();
        let numbers = order.numbers(self.blocks());
        let mut guard = BlockGuard::default();
        for k in 0..self.blocks() {
            let block = numbers.at(k);
            guard.block = block;
            f(block, Crew::new(self.threads, self.grid, order.of(block)));
        }
    }

    /// Runs `f(thread, i)` for every index below `n`.
    #[inline(always)]
    pub(crate) fn each_index(&mut self, n: u32, f: impl Fn(u32, u32)) {
        let (threads, all) = (self.threads, u64::from(self.threads) * u64::from(self.blocks()));
        self.each_block(|block, crew| {
            let mut guard = ThreadGuard::default();
            let mut first = u64::from(block) * u64::from(threads);
            while first < u64::from(n) {
                let count = (u64::from(n) - first).min(u64::from(threads)) as u32;
                crew.visit(count, |thread| {
                    guard.thread = thread;
                    f(thread, first as u32 + thread);
                });
                first += all;
            }
        });
    }

    /// There is nothing to wait for: when a phase's loop ends, the phase has ended for all blocks.
    #[inline(always)]
    pub(crate) fn meet(&mut self) {}

    /// See [`WholeGrid::reduce`](crate::WholeGrid::reduce).
    #[inline(always)]
    pub(crate) fn reduce<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32, u32) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> T {
        let blocks = self.blocks();
        let mut results = vec![identity; blocks as usize];
        self.each_block(|block, crew| {
            let (first, count) = part_of_block(n, blocks, block);
            let value = |i: u32| value(thread_of(crew, i % crate::platform::REDUCE_SLOTS), first + i);
            results[block as usize] =
                block_reduce::<false, T>(crew, GroupsHalf::FIRST, count, identity, value, &combine);
        });
        let crew = Crew::new(self.threads, self.grid, Order::RISING);
        block_reduce::<false, T>(crew, GroupsHalf::FIRST, blocks, identity, |block| results[block as usize], &combine)
    }
}
