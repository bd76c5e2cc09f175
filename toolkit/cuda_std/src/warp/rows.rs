//! Rows of a table, joined by a warp.

use crate::bounds::check_index;
use crate::platform;
use crate::warp::{PerLane, Warp};
use bytemuck::Pod;

impl Warp {
    /// The bitwise or of rows of a table, each of eight words: those of the lanes' indices. An index beyond the last row selects
    /// the last one. Several indices for each lane are read together.
    ///
    /// On a device two lanes read a row together, and rows do not stay in the L1 cache. So it suits large tables.
    ///
    /// # Panics
    /// If there are no rows.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// # use cuda_layout::DeviceLayout;
    /// #[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
    /// #[repr(C, align(32))]
    /// struct Row {
    ///     words: [u32; 8],
    /// }
    ///
    /// #[kernel(threads = 32)]
    /// fn joined(block: &mut Block, out: &mut Chunk<u32, 8>, table: &[Row]) {
    ///     out.fill_by_warp(block, 8, |warp, k| {
    ///         let own = warp.per_lane(|lane| lane.index() % 3);
    ///         let beyond = warp.per_lane(|lane| 100 + lane.index());
    ///         warp.or_rows(table, [&own, &beyond])[k as usize]
    ///     });
    /// }
    ///
    /// # fn main() {
    /// // Row i has bit i in each word, and bit 8 + k in word k.
    /// let table: Vec<Row> = (0..6).map(|i| Row { words: core::array::from_fn(|k| 1 << i | 1 << (8 + k)) }).collect();
    /// let mut out = [0; 8];
    /// joined::launch(&CpuExecutor::new(), 1, joined::Args { out: &mut out, table: &table }).unwrap();
    /// assert_eq!(out, core::array::from_fn(|k| 0b10_0111 | 1 << (8 + k))); // rows 0, 1, 2 and the last
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn or_rows<R: Pod, const T: usize>(&mut self, table: &[R], rows: [&PerLane<u32>; T]) -> [u32; 8] {
        const { assert!(size_of::<R>() == 32 && align_of::<R>() >= 16, "rows are eight words at a multiple of 16 bytes") };
        check_index(0, table.len() as u32);
        platform::or_rows(self.phase(), self.index(), table, rows.map(|rows| &rows.0))
    }
}
