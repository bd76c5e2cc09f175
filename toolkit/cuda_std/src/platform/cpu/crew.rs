//! The threads of a block.

use super::order::{Numbers, Order};
use crate::block::grid::Grid;
use std::mem::MaybeUninit;

/// The threads of a block, for one phase.
#[derive(Clone, Copy)]
pub struct Crew {
    threads: u32,
    grid: Grid,
    order: Order,
}

impl Crew {
    #[inline(always)]
    pub(crate) fn new(threads: u32, grid: Grid, order: Order) -> Self {
        Self { threads, grid, order }
    }

    #[inline(always)]
    pub(crate) fn threads(self) -> u32 {
        self.threads
    }

    /// The crew for the phase that begins. The next phase has another order.
    #[inline(always)]
    pub(crate) fn next_phase(&mut self) -> Self {
        self.order = self.order.next();
        *self
    }

    #[inline(always)]
    pub(crate) fn grid(self) -> Grid {
        self.grid
    }

    #[inline(always)]
    pub(crate) fn index_3d(self, index: u32) -> [u32; 3] {
        self.grid.index_3d(index)
    }

    /// The numbers below `n` in this phase's order.
    #[inline(always)]
    pub(crate) fn numbers(self, n: u32) -> Numbers {
        self.order.numbers(n)
    }

    /// Calls `f` with every lane of a warp.
    ///
    /// The lanes come in runs of consecutive numbers: usually one run of all lanes, in a shuffled order one run per lane. The
    /// compiler then processes several lanes at a time if the inner loop has no branch.
    #[inline(always)]
    pub(crate) fn visit_lanes(self, mut f: impl FnMut(u32)) {
        const WARP: u32 = 32;
        let numbers = self.numbers(WARP);
        let mut k = 0;
        while k < WARP {
            let (first, end) = numbers.run(k, WARP);
            for lane in first..end {
                f(lane);
            }
            k += end - first;
        }
    }

    /// Calls `f` with every number below `n`.
    #[inline(always)]
    pub(crate) fn visit(self, n: u32, mut f: impl FnMut(u32)) {
        let numbers = self.numbers(n);
        for k in 0..n {
            f(numbers.at(k));
        }
    }

    /// The results of `f` for every number below `n`, in increasing order of the numbers.
    #[inline(always)]
    pub(crate) fn collect<T>(self, n: u32, mut f: impl FnMut(u32) -> T) -> Box<[T]> {
        let mut elements: Box<[MaybeUninit<T>]> = Box::new_uninit_slice(n as usize);
        self.visit(n, |i| {
            elements[i as usize].write(f(i));
        });
        // SAFETY: each number below `n` came once. (If `f` panics, what it made is not dropped, which is safe.)
        unsafe { elements.assume_init() }
    }
}
