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
        let mut begin = 0u32;
        while begin < total {
            let own = begin.wrapping_add(thread_index() % WARP).min(total.wrapping_sub(1));
            let number = own.wrapping_add(from_lane(to_number, lane_of(own, behind)));
            look(warp, &PerLane(LaneStorage(number)), total.wrapping_sub(begin).min(WARP));
            begin = begin.wrapping_add(WARP);
        }
        if total < AT_A_TIME {
            return;
        }
        first = first.wrapping_add(count);
    }
}

/// The lane whose range contains position `place` of all ranges. `behind` counts the positions up to the end of a lane's own
/// range.
#[inline(always)]
fn lane_of(place: u32, behind: u32) -> u32 {
    let mut lane = 0u32;
    let mut step = WARP / 2;
    while step > 0 {
        if from_lane(behind, lane.wrapping_add(step).wrapping_sub(1)) <= place {
            lane = lane.wrapping_add(step);
        }
        step /= 2;
    }
    lane
}
