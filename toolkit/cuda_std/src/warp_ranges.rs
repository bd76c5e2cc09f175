//! Distributes the numbers of ranges over the lanes of a warp.

use crate::{PerLane, Warp, platform};

/// The most numbers of a lane's range that are distributed at a time. All lanes together then have far fewer than 2^32.
pub(crate) const AT_A_TIME: u32 = 1 << 26;

impl Warp {
    /// Calls `look` with the numbers of all lanes' ranges, each from the first to before the second number: one number for
    /// each lane, and how many lanes have one. Lanes after the last number repeat it.
    ///
    /// Ranges are often much shorter than a warp is wide. So they are joined, and all lanes have a number as long as there
    /// are enough. The part of a range beyond 2^26 numbers follows the other lanes' ranges.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The sum of the numbers of some ranges, and the number of calls that it took.
    /// #[kernel(threads = 32)]
    /// fn sums(block: &mut Block, out: &mut Chunk<[u32; 2], 1>, x: &[u32], ranges: &[[u32; 2]]) {
    ///     out.fill_by_warp(block, 1, |warp, _| {
    ///         let own = warp.per_lane(|lane| if lane.index() < 4 { ranges.at(lane.index()) } else { [0; 2] });
    ///         let (mut sum, mut calls) = (0, 0);
    ///         warp.each_of_ranges(&own, |warp, index, n| {
    ///             let found = warp.map(index, |lane, i| if lane.index() < n { x.at(*i) } else { 0 });
    ///             sum += warp.reduce(&found, |a, b| a + b);
    ///             calls += 1;
    ///         });
    ///         [sum, calls]
    ///     });
    /// }
    ///
    /// # fn main() {
    /// let x: Vec<u32> = (0..100).collect();
    /// let mut out = [[0; 2]];
    /// let ranges = [[0, 3], [90, 91], [5, 5], [50, 80]];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x, ranges: &ranges }).unwrap();
    /// assert_eq!(out, [[3 + 90 + (50..80).sum::<u32>(), 2]]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn each_of_ranges(&mut self, ranges: &PerLane<[u32; 2]>, look: impl FnMut(&mut Warp, &PerLane<u32>, u32)) {
        platform::each_of_ranges(self, ranges, look);
    }
}
