//! Ranges of lanes, one after another.

use super::warp::{LaneStorage, WARP};
use crate::lists::WarpList;
use crate::lists::ranges::AT_A_TIME;
use crate::{PerLane, Warp};
use bytemuck::Pod;

/// See [`Warp::each_of_ranges`].
#[inline(always)]
pub(crate) fn each_of_ranges(
    warp: &mut Warp,
    ranges: &PerLane<[u32; 2]>,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    // Numbers are written this many at a time. Some may be beyond their range; the next ones replace them.
    const TURN: usize = 16;
    let mut rest = ranges.0.0;
    loop {
        let mut longest = 0;
        let (mut numbers, mut n) = ([0; WARP + TURN], 0);
        let (mut lane, mut done) = (0, 0);
        loop {
            while n < WARP && lane < WARP {
                let [first, end] = rest[lane];
                let count = end.saturating_sub(first).min(AT_A_TIME);
                for i in 0..TURN {
                    numbers[n + i] = first.wrapping_add(done).wrapping_add(i as u32);
                }
                let written = (count - done).min(TURN as u32);
                n += written as usize;
                done += written;
                if done == count {
                    longest = longest.max(count);
                    rest[lane][0] = first.wrapping_add(count);
                    (lane, done) = (lane + 1, 0);
                }
            }
            if n == 0 {
                break;
            }
            let given = n.min(WARP);
            let (mut own, last) = ([0; WARP], numbers[given - 1]);
            for lane in 0..WARP {
                own[lane] = if lane < given { numbers[lane] } else { last };
            }
            look(warp, &PerLane(LaneStorage(own)), given as u32);
            for i in 0..TURN {
                numbers[i] = numbers[WARP + i];
            }
            n -= given;
        }
        if longest < AT_A_TIME {
            return;
        }
    }
}

/// See [`Warp::each_of_ranges_with`]. A core takes one range after another, so it needs no scratch memory.
#[inline(always)]
pub(crate) fn each_of_ranges_with<S: Pod>(
    warp: &mut Warp,
    scratch: &mut WarpList<'_, S>,
    ranges: &PerLane<[u32; 2]>,
    look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    scratch.clear(warp);
    each_of_ranges(warp, ranges, look);
}
