//! A grid whose blocks meet. One thread runs the code between phases. Others may help with long phases.

use super::helpers::{Leader, MOST_PARTS, Parts};
use super::{Crew, GroupsHalf, Order, block_reduce, reduce::halve, thread_of};
use crate::block::grid::{Grid, part_of_block};
use crate::panic::cpu::{BlockGuard, ThreadGuard};
use crate::platform::REDUCE_SLOTS;
use bytemuck::Pod;
use std::ptr::NonNull;

/// The fewest indices that make a part of a phase: another thread takes at least a microsecond to find it.
const INDICES_PER_PART: u32 = 256;
/// Parts for each thread: they may take different times.
const PARTS_PER_THREAD: u32 = 4;
/// The lanes that a reduction combines first.
const GROUP: u32 = 32;

/// All threads of a grid.
pub(crate) struct GridCrew {
    threads: u32,
    grid: Grid,
    order: Order,
    /// For others to help.
    leader: Option<NonNull<Leader<'static>>>,
}

impl GridCrew {
    #[inline(always)]
    pub(crate) fn new(threads: u32, grid: Grid, order: Order, leader: Option<NonNull<Leader<'static>>>) -> Self {
        Self { threads, grid, order, leader }
    }

    #[inline(always)]
    pub(crate) fn blocks(&self) -> u32 {
        self.grid.x
    }

    #[inline(always)]
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// The order of the phase that begins.
    #[inline(always)]
    fn next_order(&mut self) -> Order {
        let order = self.order;
        self.order = order.next();
        order
    }

    /// The number of parts for a phase of this many indices.
    fn parts(&self, n: u32) -> u32 {
        match self.leader() {
            Some(leader) => (n / INDICES_PER_PART).min(leader.threads().saturating_mul(PARTS_PER_THREAD)).max(1),
            None => 1,
        }
    }

    fn leader(&self) -> Option<&Leader<'_>> {
        // SAFETY: the executor gives the address of a leader that lives until the kernel has run, on the thread that runs it.
        self.leader.map(|leader| unsafe { leader.as_ref() })
    }

    /// Runs every part of a phase.
    #[inline(always)]
    fn run<W: Parts>(&self, parts: u32, work: &W) {
        let run = entry::<W>();
        match self.leader() {
            // SAFETY: `entry` has chosen it for this type and this processor. The work may be shared with other threads.
            Some(leader) if parts > 1 => unsafe { leader.run(parts, work, run) },
            _ => {
                for part in 0..parts {
                    // SAFETY: as above.
                    unsafe { run(std::ptr::from_ref(work).cast(), part) };
                }
            }
        }
    }

    /// Runs `f(thread, i)` for every index below `n`.
    #[inline(always)]
    pub(crate) fn each_index(&mut self, n: u32, f: impl Fn(u32, u32) + Sync) {
        let order = self.next_order();
        let (threads, blocks) = (self.threads, self.blocks());
        if order.is_rising() {
            let length = n.div_ceil(self.parts(n).min(MOST_PARTS)).next_multiple_of(threads).max(threads);
            return self.run(n.div_ceil(length), &EachIndex { n, length, threads, blocks, f });
        }
        let numbers = order.numbers(blocks);
        let mut guard = BlockGuard::default();
        for k in 0..blocks {
            let block = numbers.at(k);
            guard.block = block;
            let crew = Crew::new(threads, self.grid, order.of(block));
            let mut guard = ThreadGuard::default();
            let mut first = u64::from(block) * u64::from(threads);
            while first < u64::from(n) {
                let count = (u64::from(n) - first).min(u64::from(threads)) as u32;
                crew.visit(count, |thread| {
                    guard.thread = thread;
                    f(thread, first as u32 + thread);
                });
                first += u64::from(threads) * u64::from(blocks);
            }
        }
    }

    /// There is nothing to wait for: when a phase's loop ends, the phase has ended for all blocks.
    #[inline(always)]
    pub(crate) fn meet(&mut self) {}

    /// See [`meet`](Self::meet).
    #[inline(always)]
    pub(crate) fn open<T>(&mut self, _data: *const T, _n: u32) {}

    /// See [`WholeGrid::reduce`](crate::WholeGrid::reduce).
    #[inline(always)]
    pub(crate) fn reduce<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32, u32) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> T {
        let (order, blocks) = (self.next_order(), self.blocks());
        let mut results = vec![identity; blocks as usize];
        let numbers = order.numbers(blocks);
        let mut guard = BlockGuard::default();
        for k in 0..blocks {
            let block = numbers.at(k);
            guard.block = block;
            let crew = Crew::new(self.threads, self.grid, order.of(block));
            let (first, count) = part_of_block(n, blocks, block);
            let value = |i: u32| value(thread_of(crew, i % REDUCE_SLOTS), first + i);
            results[block as usize] =
                block_reduce::<false, T>(crew, GroupsHalf::FIRST, count, identity, value, &combine);
        }
        let crew = Crew::new(self.threads, self.grid, Order::RISING);
        block_reduce::<false, T>(crew, GroupsHalf::FIRST, blocks, identity, |block| results[block as usize], &combine)
    }

    /// Runs `value(thread, i)` for every index below `n`. Reduces the results in the order of
    /// [`Block::reduce`](crate::Block::reduce). A GPU keeps the values at `scratch`.
    #[inline(always)]
    pub(crate) fn each_index_reduce<T: Pod>(
        &mut self,
        n: u32,
        _scratch: *mut T,
        identity: T,
        value: impl Fn(u32, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        let order = self.next_order();
        let occupied = n.min(REDUCE_SLOTS).div_ceil(GROUP);
        let mut groups = [identity; GROUP as usize];
        let per_part = occupied.div_ceil(self.parts(n)).max(1);
        let (threads, blocks) = (self.threads, self.blocks());
        let results = Results(groups.as_mut_ptr());
        let work = Groups { n, threads, blocks, occupied, per_part, order, identity, value, combine, results };
        self.run(occupied.div_ceil(per_part), &work);
        halve(&mut groups, &work.combine)
    }
}

/// The function that runs parts of this work on this processor. A closure is compiled with the features of the function into which
/// it is inlined.
#[inline(always)]
fn entry<W: Parts>() -> unsafe fn(*const (), u32) {
    #[cfg(target_arch = "x86_64")]
    if crate::launch::has_vector_instructions() {
        return with_vectors::<W>;
    }
    plain::<W>
}

/// # Safety
/// `work` is the address of a `W`, which others do not change.
unsafe fn plain<W: Parts>(work: *const (), part: u32) {
    // SAFETY: the caller's.
    unsafe { &*work.cast::<W>() }.run(part);
}

/// # Safety
/// As for [`plain`], and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_vectors<W: Parts>(work: *const (), part: u32) {
    // SAFETY: the caller's.
    unsafe { &*work.cast::<W>() }.run(part);
}

/// A phase over indices.
struct EachIndex<F> {
    n: u32,
    /// Indices of a part: a multiple of `threads`.
    length: u32,
    threads: u32,
    blocks: u32,
    f: F,
}

impl<F: Fn(u32, u32) + Sync> Parts for EachIndex<F> {
    #[inline(always)]
    fn run(&self, part: u32) {
        let (mut block, mut guard) = (BlockGuard::default(), ThreadGuard::default());
        let mut first = part * self.length;
        let end = first.saturating_add(self.length).min(self.n);
        while first < end {
            block.block = first / self.threads % self.blocks;
            let count = (end - first).min(self.threads);
            for thread in 0..count {
                guard.thread = thread;
                (self.f)(thread, first + thread);
            }
            first += count;
        }
    }
}

/// The address of the groups' results. Each part writes its own.
#[derive(Clone, Copy)]
struct Results<T>(*mut T);

// SAFETY: this is only an address; its use states why it is sound.
unsafe impl<T: Pod> Sync for Results<T> {}

/// The first level of a reduction. See [`Block::reduce`](crate::Block::reduce) for the order.
struct Groups<T, V, C> {
    n: u32,
    threads: u32,
    blocks: u32,
    /// Groups of slots that have values.
    occupied: u32,
    per_part: u32,
    order: Order,
    identity: T,
    value: V,
    combine: C,
    results: Results<T>,
}

// SAFETY: the values are plain data, and the rest may be shared.
unsafe impl<T: Pod, V: Sync, C: Sync> Sync for Groups<T, V, C> {}

impl<T: Pod, V: Fn(u32, u32) -> T + Sync, C: Fn(T, T) -> T + Sync> Parts for Groups<T, V, C> {
    #[inline(always)]
    fn run(&self, part: u32) {
        let (mut block, mut guard) = (BlockGuard::default(), ThreadGuard::default());
        let first = part * self.per_part;
        let count = (self.occupied - first).min(self.per_part);
        let (groups, lanes) = (self.order.numbers(count), self.order.of(part).numbers(GROUP));
        for k in 0..count {
            let group = first + groups.at(k);
            let mut slots = [self.identity; GROUP as usize];
            let mut row = group * GROUP;
            // Row by row, so that values of neighbouring indices follow each other.
            loop {
                block.block = row / self.threads % self.blocks;
                // A block's threads are whole groups.
                let first = row % self.threads;
                for k in 0..GROUP.min(self.n - row) {
                    let lane = if self.n - row < GROUP { k } else { lanes.at(k) };
                    guard.thread = first + lane;
                    let item = (self.value)(guard.thread, row + lane);
                    let slot = &mut slots[lane as usize];
                    *slot = if row < REDUCE_SLOTS { item } else { (self.combine)(*slot, item) };
                }
                if self.n - row <= REDUCE_SLOTS {
                    break;
                }
                row += REDUCE_SLOTS;
            }
            let result = halve(&mut slots, &self.combine);
            // SAFETY: there are 32 results, and this part alone writes those of its groups.
            unsafe { self.results.0.add(group as usize).write(result) };
        }
    }
}
