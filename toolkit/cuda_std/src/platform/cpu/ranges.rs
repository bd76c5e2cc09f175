//! Ranges of lanes, one after another.

use super::warp::{LaneStorage, WARP};
use crate::warp_ranges::AT_A_TIME;
use crate::{PerLane, Warp};

/// See [`Warp::each_of_ranges`].
#[inline(always)]
pub(crate) fn each_of_ranges(
    warp: &mut Warp,
    ranges: &PerLane<[u32; 2]>,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    let mut rest = ranges.0.0;
    loop {
        let counts = rest.map(|[first, end]| end.saturating_sub(first).min(AT_A_TIME));
        let total: u32 = counts.iter().sum();
        let (mut begin, mut lane, mut done) = (0, 0, 0);
        while begin < total {
            let n = (total - begin).min(WARP as u32);
            let (mut numbers, mut at) = ([0; WARP], 0);
            while at < n {
                let run = (counts[lane] - done).min(n - at);
                for i in 0..run {
                    numbers[(at + i) as usize] = rest[lane][0] + done + i;
                }
                (at, done) = (at + run, done + run);
                if done == counts[lane] {
                    (lane, done) = (lane + 1, 0);
                }
            }
            let last = numbers[n as usize - 1];
            numbers[n as usize..].fill(last);
            look(warp, &PerLane(LaneStorage(numbers)), n);
            begin += n;
        }
        if total < AT_A_TIME {
            return;
        }
        for (range, count) in rest.iter_mut().zip(counts) {
            range[0] += count;
        }
    }
}
