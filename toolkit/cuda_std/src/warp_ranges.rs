//! The numbers of ranges, dealt out to the lanes of a warp.

use crate::{PerLane, Warp, platform};

/// Numbers of a lane's range that are dealt out at a time: those of all lanes together are far below 2^32.
pub(crate) const AT_A_TIME: u32 = 1 << 26;

impl Warp {
    /// Calls `look` for the numbers of all lanes' ranges, from the first to before the second of each: with one for each
    /// lane, and how many these are. Lanes behind the last have its number again.
    ///
    /// Ranges are often much shorter than a warp is wide; so they come one after another, and all lanes have a number as long
    /// as there are enough. Of a range longer than 2^26 what is beyond comes after the other lanes' ranges.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The sum of what is in some ranges, and in how many calls it was found.
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
