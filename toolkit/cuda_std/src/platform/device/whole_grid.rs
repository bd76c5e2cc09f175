//! A grid whose blocks meet.

use super::reduce::{GroupsHalf, block_reduce};
use super::{Crew, barrier, block_index, frozen, grid, publish, thread_index};
use crate::block::grid::part_of_block;
use crate::bounds::MAX_LENGTH;
use crate::panic::device::{GRID_HAS_PANICKED, leave_if_poisoned, poison_block};
use bytemuck::Pod;
use core::arch::asm;

/// Memory that all blocks of a launch share. It begins with the number of arrivals at meetings, whose highest bit is set once a thread
/// has panicked. After 64 bytes come two slots of 32
/// bytes for each block.
#[repr(C, align(64))]
pub struct GridState(u64);

/// All threads of a grid.
pub(crate) struct GridCrew {
    threads: u32,
    state: *mut GridState,
    /// The number of arrivals at the end of the next meeting.
    target: u64,
    /// The slot that a block takes for its next result.
    half: bool,
    /// Addresses that other blocks may still read for a reduction that this block has finished: the first one, and the end.
    pending: [u64; 2],
}

impl GridCrew {
    /// # Safety
    /// `state` belongs to this launch and has room for all blocks. No block has arrived. All blocks are on the device at the same
    /// time.
    #[inline(always)]
    pub(crate) unsafe fn new(threads: u32, state: *mut GridState) -> Self {
        Self { threads, state, target: 0, half: false, pending: [0; 2] }
    }

    #[inline(always)]
    pub(crate) fn blocks(&self) -> u32 {
        grid().x
    }

    #[inline(always)]
    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// Runs `f(thread, i)` for every index below `n` in this thread.
    #[inline(always)]
    pub(crate) fn each_index(&mut self, n: u32, f: impl Fn(u32, u32)) {
        frozen(&f);
        let all = u64::from(self.threads) * u64::from(self.blocks());
        let mut i = u64::from(block_index::<1>()) * u64::from(self.threads) + u64::from(thread_index());
        while i < u64::from(n) {
            f(thread_index(), i as u32);
            i = i.wrapping_add(all);
        }
    }

    /// Called before a phase that writes `n` elements: waits for all blocks if others may still read some of them.
    #[inline(always)]
    pub(crate) fn open<T>(&mut self, data: *const T, n: u32) {
        let first = data as u64;
        let end = first.wrapping_add(u64::from(n).wrapping_mul(size_of::<T>() as u64));
        if first < self.pending[1] && self.pending[0] < end {
            self.meet();
        }
    }

    /// Waits for all blocks. All threads see what any of them wrote before.
    #[inline(always)]
    pub(crate) fn meet(&mut self) {
        self.pending = [0; 2];
        publish();
        self.target = self.target.wrapping_add(u64::from(self.blocks()));
        if thread_index() == 0 {
            let arrived = self.state.cast::<u64>();
            // SAFETY: the state lives as long as the launch. The block's threads have met, so what they wrote comes before this
            // fence. What they read later comes after the fence below. CUDA C++ does the same in `grid.sync()`.
            unsafe {
                asm!("fence.acq_rel.gpu;", options(nostack, preserves_flags));
                asm!("red.release.gpu.add.u64 [{0}], 1;", in(reg64) arrived, options(nostack, preserves_flags));
                let mut now: u64;
                loop {
                    asm!("ld.acquire.gpu.u64 {0}, [{1}];", out(reg64) now, in(reg64) arrived,
                        options(nostack, preserves_flags));
                    // A panic makes the count larger than any target: a block in which a thread has panicked does not come.
                    if now >= self.target {
                        break;
                    }
                }
                asm!("fence.acq_rel.gpu;", options(nostack, preserves_flags));
                if now >= GRID_HAS_PANICKED {
                    poison_block();
                }
            }
        }
        barrier();
        leave_if_poisoned();
    }

    /// See [`WholeGrid::reduce`](crate::WholeGrid::reduce).
    #[inline(always)]
    pub(crate) fn reduce<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32, u32) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> T {
        frozen(&value);
        frozen(&combine);
        let crew = Crew::new(self.threads);
        let blocks = self.blocks();
        let (first, count) = part_of_block(n, blocks, block_index::<1>());
        let own = block_reduce::<false, T>(
            crew,
            GroupsHalf::FIRST,
            count,
            identity,
            |i| value(thread_index(), first.wrapping_add(i)),
            &combine,
        );
        let half = u32::from(self.half);
        self.half = !self.half;
        let state = self.state;
        let slot = |block: u32| {
            let bytes = 64u64 + 32 * (2 * u64::from(block) + u64::from(half));
            state.cast::<u8>().wrapping_add(bytes as usize).cast::<T>()
        };
        if thread_index() == 0 {
            // SAFETY: this block's own slot, aligned to 32 bytes. Blocks that read its old value have met all others since, in
            // the reduction between.
            unsafe { slot(block_index::<1>()).write(own) };
        }
        self.meet();
        // SAFETY: every block has written its own, and all have met.
        let all = block_reduce::<false, T>(
            crew,
            GroupsHalf::FIRST,
            blocks.min(MAX_LENGTH),
            identity,
            |block| unsafe { slot(block).read() },
            &combine,
        );
        // The next reduction stores the results of its warps in the same memory.
        barrier();
        all
    }

    /// Runs `value(thread, i)` for every index below `n` in one thread. Reduces the results in the order of
    /// [`Block::reduce`](crate::Block::reduce). There are `n` elements at `scratch`, which nobody else uses, and which are open.
    #[inline(always)]
    pub(crate) fn each_index_reduce<T: Pod>(
        &mut self,
        n: u32,
        scratch: *mut T,
        identity: T,
        value: impl Fn(u32, u32) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> T {
        frozen(&value);
        frozen(&combine);
        self.each_index(n, |thread, i| {
            let item = value(thread, i);
            // SAFETY: in bounds, and index `i` belongs to one thread.
            unsafe { scratch.wrapping_add(i as usize).write(item) };
        });
        self.meet();
        // Each block reduces all values: loading them takes less time than another meeting.
        let all = block_reduce::<true, T>(
            Crew::new(self.threads),
            GroupsHalf::FIRST,
            n,
            identity,
            // SAFETY: in bounds. All blocks have written their elements and met.
            |i| unsafe { scratch.wrapping_add(i as usize).read() },
            &combine,
        );
        // As in `reduce`.
        barrier();
        let first = scratch as u64;
        self.pending = [first, first.wrapping_add(u64::from(n).wrapping_mul(size_of::<T>() as u64))];
        all
    }
}
