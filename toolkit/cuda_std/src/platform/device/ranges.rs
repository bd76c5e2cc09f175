//! Ranges of lanes: each lane finds the range that contains its number.

use super::shuffle::{from_lane, scan_lanes};
use super::warp::rank;
use super::{LaneStorage, SharedPointer, WARP, ballot_of_any, meet_warp, thread_index};
use crate::lists::WarpList;
use crate::lists::ranges::AT_A_TIME;
use crate::{PerLane, Warp};
use bytemuck::Pod;
use core::mem::MaybeUninit;

/// The lanes' ranges, joined: each lane's begins where that of the lane before it ends.
struct Joined {
    /// The number of elements of the lane's range.
    count: u32,
    /// Where it ends.
    behind: u32,
    /// Where the last one ends.
    total: u32,
    /// What to add to the places in the lane's range.
    to_number: u32,
}

impl Joined {
    /// At most [`AT_A_TIME`] elements of each range.
    #[inline(always)]
    fn new(warp: &mut Warp, first: u32, end: u32) -> Self {
        let count = end.saturating_sub(first).min(AT_A_TIME);
        let behind = scan_lanes(count, thread_index() % WARP, &u32::wrapping_add);
        let to_number = first.wrapping_sub(behind.wrapping_sub(count));
        let total = warp.broadcast(&PerLane(LaneStorage(behind)), WARP - 1);
        Self { count, behind, total, to_number }
    }
}

/// See [`Warp::each_of_ranges`].
#[inline(always)]
pub(crate) fn each_of_ranges(
    warp: &mut Warp,
    ranges: &PerLane<[u32; 2]>,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    let [mut first, end] = ranges.0.0;
    loop {
        let Joined { count, behind, total, to_number } = Joined::new(warp, first, end);
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

/// See [`Warp::each_of_ranges_with`].
#[inline(always)]
pub(crate) fn each_of_ranges_with<S: Pod>(
    warp: &mut Warp,
    scratch: &mut WarpList<'_, S>,
    ranges: &PerLane<[u32; 2]>,
    look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    // SAFETY: the warp's own part, in which the caller has made sure of 64 words.
    unsafe { each_counted(warp, ranges, scratch.lent().recast(), look) };
}

/// As [`each_of_ranges`], but a lane counts the ranges that begin up to its place, instead of comparing with the end of each.
///
/// The first 32 words of scratch memory have what to add in each range that is not empty. The 32 words behind them have a bit for each
/// of 1,024 places: whether such a range begins there.
///
/// # Safety
/// There are 64 words, and only this warp accesses them.
#[inline(always)]
unsafe fn each_counted(
    warp: &mut Warp,
    ranges: &PerLane<[u32; 2]>,
    scratch: SharedPointer<u32>,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    let (lane, beginnings) = (thread_index() % WARP, scratch.offset(WARP));
    let [mut first, end] = ranges.0.0;
    loop {
        let Joined { count, behind, total, to_number } = Joined::new(warp, first, end);
        let (start, is_some) = (behind.wrapping_sub(count), count > 0);
        let rank = rank(ballot_of_any(warp.phase(), warp.index(), |_| is_some), 0);
        // Other lanes may still read what they need of the ranges before.
        meet_warp();
        // SAFETY: here and below: within the 64 words. Each lane has a rank of its own, and the lanes meet between a word's writes and
        // its reads.
        unsafe { scratch.store_if(rank, MaybeUninit::new(to_number), is_some) };
        // The rank of the range that contains the place before these.
        let mut before = u32::MAX;
        let mut begin = 0u32;
        while begin < total {
            meet_warp();
            // SAFETY: as above.
            unsafe { beginnings.store(lane, 0) };
            meet_warp();
            let at = start.wrapping_sub(begin);
            // SAFETY: as above; the lanes write at the same time, but atomically.
            unsafe { beginnings.or_if(at / WARP, 1u32.wrapping_shl(at), is_some & (at < WARP * WARP)) };
            meet_warp();
            let end_of_these = begin.wrapping_add(WARP * WARP).min(total);
            // Reads the word of beginnings of 32 places, and finds the element in each lane's.
            let find = |begin: u32, before: u32| {
                // SAFETY: as above: there are 32 words of beginnings, and a rank is limited to 31. (It never is more, but a dead lane may
                // have spoiled the words.)
                let (begin_here, to_number) = unsafe {
                    let begin_here = beginnings.load(begin / WARP % WARP);
                    let up_to_own = begin_here & u32::MAX.wrapping_shr(WARP - 1 - lane);
                    (begin_here, scratch.load(before.wrapping_add(up_to_own.count_ones()).min(WARP - 1)))
                };
                // Lanes behind the last place repeat it.
                let own = begin.wrapping_add(lane).min(total.wrapping_sub(1));
                (own.wrapping_add(to_number), before.wrapping_add(begin_here.count_ones()))
            };
            let mut number;
            (number, before) = find(begin, before);
            while begin < end_of_these {
                let own = PerLane(LaneStorage(number));
                let n = total.wrapping_sub(begin).min(WARP);
                begin = begin.wrapping_add(WARP);
                // Before the elements are looked at, whose reads take long.
                let next = find(begin, before);
                look(warp, &own, n);
                if begin < end_of_these {
                    (number, before) = next;
                }
            }
        }
        if total < AT_A_TIME {
            return;
        }
        first = first.wrapping_add(count);
    }
}
