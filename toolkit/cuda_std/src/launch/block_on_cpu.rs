//! A block of a launch on CPU cores.

use crate::block::Block;
use crate::block::grid::Grid;
use crate::block::whole_grid::WholeGrid;
use crate::platform::{Crew, GridCrew, Leader, Order};
use std::ptr::NonNull;

/// A block that a CPU core runs.
#[derive(Clone, Copy)]
pub struct BlockOnCpu {
    pub(crate) index: u32,
    pub(crate) grid: Grid,
    pub(crate) order: Order,
    /// For kernels whose blocks meet: for other threads to help.
    pub(crate) leader: Option<NonNull<Leader<'static>>>,
}

impl BlockOnCpu {
    /// Whether the order of threads is the default.
    #[inline(always)]
    #[must_use]
    pub fn is_in_rising_order(self) -> bool {
        self.order.is_rising()
    }

    /// The same block with an order that is known at compile time.
    #[inline(always)]
    #[must_use]
    pub fn in_rising_order(self) -> Self {
        Self { order: Order::RISING, ..self }
    }

    /// Its number.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// The block for the kernel.
    #[inline(always)]
    #[must_use]
    pub fn block(self, threads: u32) -> Block {
        Block::new(self.index, Crew::new(threads, self.grid, self.order))
    }

    /// All blocks for a kernel whose blocks meet.
    #[inline(always)]
    #[must_use]
    pub fn whole_grid(self, threads: u32) -> WholeGrid {
        WholeGrid::new(GridCrew::new(threads, self.grid, self.order, self.leader))
    }
}
