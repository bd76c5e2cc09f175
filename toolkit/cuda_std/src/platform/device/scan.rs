//! Prefix sums of blocks.

use super::reduce::GroupsHalf;
use super::shuffle::{from_lane, scan_lanes, up_lanes};
use super::{Crew, PerThreadStorage, WARP, barrier, frozen, publish, strided, thread_index};
use crate::buffers::elements::Elements;
use crate::panic::device::leave_if_poisoned;
use crate::platform::Scan;
use bytemuck::Pod;

/// See [`crate::Scans`] for the tree.
#[inline(always)]
pub(crate) fn block_scan<M: Elements>(
    crew: Crew,
    half: GroupsHalf,
    n: u32,
    memory: &M,
    Scan { inclusive, initial, identity }: Scan<M::Item>,
    value: impl Fn(u32) -> M::Item,
    combine: impl Fn(M::Item, M::Item) -> M::Item,
) -> M::Item {
    const ROUND: u32 = crate::platform::REDUCE_SLOTS;
    frozen(&value);
    frozen(&combine);
    let groups = half.pointer::<M::Item>();
    let thread = thread_index();
    let lane = thread % WARP;
    let mut carry = initial;
    strided(0, ROUND, n, |base| {
        let rest = n.wrapping_sub(base);
        let occupied = if rest < ROUND { rest } else { ROUND };
        strided(0, crew.threads(), occupied, |start| {
            let at = start.wrapping_add(thread);
            let item = if at < occupied { value(base.wrapping_add(at)) } else { identity };
            let scanned = scan_lanes(item, lane, &combine);
            let before = up_lanes(scanned, 1);
            let kept = if inclusive {
                scanned
            } else if lane == 0 {
                identity
            } else {
                before
            };
            if at < occupied {
                // SAFETY: the caller has checked that the memory has `n` elements, and each belongs to one thread.
                unsafe { memory.store(base.wrapping_add(at), kept) };
            }
            if lane == WARP - 1 && at.wrapping_sub(lane) < occupied {
                // SAFETY: the group is below 32, and each belongs to one warp.
                unsafe { groups.store(at / WARP, scanned) };
            }
        });
        barrier();
        let mut group = identity;
        if lane < occupied.div_ceil(WARP) {
            // SAFETY: written before the barrier.
            group = unsafe { groups.load(lane) };
        }
        let totals = scan_lanes(group, lane, &combine);
        strided(0, crew.threads(), occupied, |start| {
            let at = start.wrapping_add(thread);
            let before = from_lane(totals, (at / WARP).wrapping_sub(1));
            let prefix = combine(carry, if at < WARP { identity } else { before });
            if at < occupied {
                let index = base.wrapping_add(at);
                // SAFETY: this thread's own element, as above.
                unsafe { memory.store(index, combine(prefix, memory.load(index))) };
            }
        });
        carry = combine(carry, from_lane(totals, WARP - 1));
        publish();
    });
    carry
}

/// See [`crate::Block::inclusive_scan_rows`]: what the warps before each thread's own have together, and what all have. The value of a warp
/// is that of its last thread.
#[inline(always)]
pub(crate) fn scan_warps<T: Pod>(
    crew: Crew,
    half: GroupsHalf,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> (PerThreadStorage<T>, T) {
    frozen(&value);
    frozen(&combine);
    let groups = half.pointer::<T>();
    let thread = thread_index();
    let (warp, lane) = (thread / WARP, thread % WARP);
    if lane == WARP - 1 {
        // SAFETY: the warp is below 32, and each has one last thread.
        unsafe { groups.store(warp, value(thread)) };
    }
    publish();
    let mut group = identity;
    if lane < crew.threads() / WARP {
        // SAFETY: written before the barrier.
        group = unsafe { groups.load(lane) };
    }
    let totals = scan_lanes(group, lane, &combine);
    let before = from_lane(totals, warp.wrapping_sub(1));
    let all = from_lane(totals, WARP - 1);
    // Lanes whose `combine` panicked have given the others no value.
    leave_if_poisoned();
    (PerThreadStorage::new(crew, |_| if warp == 0 { identity } else { before }), all)
}
