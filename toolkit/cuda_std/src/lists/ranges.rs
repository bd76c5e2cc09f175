//! Distributes the numbers of ranges over the lanes of a warp.

use super::WarpList;
use crate::bounds::check_length;
use crate::{PerLane, Warp, platform};
use bytemuck::Pod;

/// The most numbers of a lane's range that are distributed at a time. All lanes together then have far fewer than 2^32.
pub(crate) const AT_A_TIME: u32 = 1 << 26;

/// The number of items of 256 bytes of scratch memory.
pub(crate) const fn scratch_items<S>() -> u32 {
    const { assert!(size_of::<S>() > 0 && size_of::<S>().is_multiple_of(4), "scratch memory consists of words") };
    256u32.div_ceil(size_of::<S>() as u32)
}

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

    /// As [`each_of_ranges`](Self::each_of_ranges). A device notes in the memory of the list `scratch` where ranges begin, which is
    /// faster where there are many. The items of that list are removed.
    ///
    /// # Panics
    /// If `scratch` has less than 256 bytes.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The sum of the numbers of some ranges.
    /// #[kernel(threads = 32)]
    /// fn sum(block: &mut Block, out: &mut Chunk<u32, 1>, ranges: &[[u32; 2]], list: &mut Shared<u32, 64>) {
    ///     out.fill_by_warp_with(block, 1, (list,), |warp, (scratch,), _| {
    ///         let own = warp.per_lane(|lane| if lane.index() < 4 { ranges.at(lane.index()) } else { [0; 2] });
    ///         let mut sum = 0;
    ///         warp.each_of_ranges_with(scratch, &own, |warp, numbers, n| {
    ///             let found = warp.map(numbers, |lane, i| if lane.index() < n { *i } else { 0 });
    ///             sum += warp.sum(&found);
    ///         });
    ///         sum
    ///     });
    /// }
    ///
    /// # fn main() {
    /// let mut out = [0];
    /// let ranges = [[0, 3], [90, 91], [5, 5], [50, 80]];
    /// sum::launch(&CpuExecutor::new(), 1, sum::Args { out: &mut out, ranges: &ranges }).unwrap();
    /// assert_eq!(out, [3 + 90 + (50..80).sum::<u32>()]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn each_of_ranges_with<S: Pod>(
        &mut self,
        scratch: &mut WarpList<'_, S>,
        ranges: &PerLane<[u32; 2]>,
        look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
    ) {
        check_length(scratch_items::<S>(), scratch.capacity());
        platform::each_of_ranges_with(self, scratch, ranges, look);
    }
}
