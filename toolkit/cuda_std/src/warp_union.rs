//! Sets of bits that the lanes of a warp build together.

use crate::bounds::check_index;
use crate::platform::{self, UnionStorage};
use crate::seal::INSIDE;
use crate::warp::{Lane, Lanes, PerLane, Warp};
use bytemuck::Pod;

/// `N` words of bits that the lanes of a warp build together. `N` is 1, 2, 4, 8, 16 or 32.
///
/// On a device each lane has its own words until [`words`](Self::words) joins them. On a CPU core there is one set.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn multiples(block: &mut Block, out: &mut Chunk<u32, 4>) {
///     out.fill_by_warp(block, 4, |warp, k| {
///         // A bit for each multiple of 2 below 64 and of 3 below 96, in four words.
///         let mut found = WarpUnion::<4>::new(warp);
///         for factor in [2, 3] {
///             let x = warp.per_lane(|lane| factor * lane.index());
///             found.or(warp, &x, |_, x| {
///                 let mut own = [0; 4];
///                 own[*x as usize / 32] = 1 << (x % 32);
///                 own
///             });
///         }
///         found.words(warp)[k as usize]
///     });
/// }
/// # fn main() {
/// let mut out = [0; 4];
/// multiples::launch(&CpuExecutor::new(), 1, multiples::Args { out: &mut out }).unwrap();
/// let found = |x: u32| (x % 2 == 0 && x < 64) || (x % 3 == 0 && x < 96);
/// let word = |first: u32| (0..32).filter(|bit| found(first + bit)).map(|bit| 1 << bit).sum::<u32>();
/// assert_eq!(out, [word(0), word(32), word(64), 0]);
/// # }
/// ```
pub struct WarpUnion<const N: usize>(UnionStorage<N>);

impl<const N: usize> WarpUnion<N> {
    /// The empty set.
    #[inline(always)]
    pub fn new(warp: &mut Warp) -> Self {
        const { assert!(N.is_power_of_two() && N <= 32, "1, 2, 4, 8, 16 or 32 words") };
        Self(UnionStorage::new(warp.phase(), warp.index()))
    }

    /// Adds the bits of every lane.
    #[inline(always)]
    pub fn or<L: Lanes>(&mut self, warp: &mut Warp, values: L, words: impl Fn(Lane, L::Item) -> [u32; N] + Sync) {
        let lane = warp.lane();
        self.0.or(warp.phase(), warp.index(), |index| words(lane(index), values.of(index, INSIDE)));
    }

    /// The union of the bits that all lanes have added.
    ///
    /// On a device the lanes first divide the words among themselves, so that it takes little more than one shuffle per
    /// word.
    #[inline(always)]
    pub fn words(&self, warp: &mut Warp) -> [u32; N] {
        let _ = warp.phase();
        self.0.words()
    }
}

impl Warp {
    /// The bitwise or of all lanes' words. [`WarpUnion`] does this over several steps.
    #[inline(always)]
    pub fn or_words<L: Lanes, const N: usize>(
        &mut self,
        values: L,
        words: impl Fn(Lane, L::Item) -> [u32; N] + Sync,
    ) -> [u32; N] {
        let mut union = WarpUnion::new(self);
        union.or(self, values, words);
        union.words(self)
    }

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
