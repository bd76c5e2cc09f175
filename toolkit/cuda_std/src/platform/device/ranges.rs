//! Ranges of lanes: each lane finds the lane whose range contains its number.

use super::shuffle::{from_lane, scan_lanes};
use super::{LaneStorage, WARP, thread_index};
use crate::warp_ranges::AT_A_TIME;
use crate::{PerLane, Warp};

/// See [`Warp::each_of_ranges`].
#[inline(always)]
pub(crate) fn each_of_ranges(
    warp: &mut Warp,
    ranges: &PerLane<[u32; 2]>,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    let [mut first, end] = ranges.0.0;
    loop {
        let count = end.saturating_sub(first).min(AT_A_TIME);
        let behind = scan_lanes(count, thread_index() % WARP, &u32::wrapping_add);
        let to_number = first.wrapping_sub(behind.wrapping_sub(count));
        let total = warp.broadcast(&PerLane(LaneStorage(behind)), WARP - 1);
        // The lane whose range contains the next number, the end of that range, and what to add for its numbers.
        let (mut lane, mut end_of_lane, mut of_lane) = (0u32, from_lane(behind, 0), from_lane(to_number, 0));
        let mut begin = 0u32;
        while begin < total {
            let next = begin.wrapping_add(WARP).min(total);
            let own = begin.wrapping_add(thread_index() % WARP).min(total.wrapping_sub(1));
            let mut number = of_lane;
            // (No lane follows the last one, even if a dead lane's value says so.)
            while end_of_lane < next && lane < WARP - 1 {
                lane = lane.wrapping_add(1);
                of_lane = from_lane(to_number, lane);
                if own >= end_of_lane {
                    number = of_lane;
                }
                end_of_lane = from_lane(behind, lane);
            }
            let number = own.wrapping_add(number);
            look(warp, &PerLane(LaneStorage(number)), total.wrapping_sub(begin).min(WARP));
            begin = next;
        }
        if total < AT_A_TIME {
            return;
        }
        first = first.wrapping_add(count);
    }
}
