//! Prefix sums of blocks.

use super::warp::scan_lanes;
use super::{Crew, GroupsHalf, PerThreadStorage, barrier, publish};
use crate::buffers::elements::Elements;
use crate::panic::cpu::ThreadGuard;
use crate::platform::Scan;
use bytemuck::Pod;

/// See [`crate::Scans`] for the tree.
#[inline(always)]
pub(crate) fn block_scan<M: Elements>(
    crew: Crew,
    _half: GroupsHalf,
    n: u32,
    memory: &M,
    Scan { inclusive, initial, identity }: Scan<M::Item>,
    value: impl Fn(u32) -> M::Item,
    combine: impl Fn(M::Item, M::Item) -> M::Item,
) -> M::Item {
    const ROUND: u32 = crate::platform::REDUCE_SLOTS;
    let mut guard = ThreadGuard::default();
    let mut carry = initial;
    for base in (0..n).step_by(ROUND as usize) {
        let occupied = (n - base).min(ROUND);
        let mut totals = [identity; 32];
        let (warps, lanes) = (crew.numbers(occupied.div_ceil(32)), crew.numbers(32));
        for k in 0..occupied.div_ceil(32) {
            let group = warps.at(k);
            let mut items = [identity; 32];
            for k in 0..32 {
                let lane = lanes.at(k);
                let at = group * 32 + lane;
                if at < occupied {
                    guard.thread = at % crew.threads();
                    items[lane as usize % 32] = value(base + at);
                }
            }
            scan_lanes(&mut items, &combine);
            for lane in 0..32.min(occupied - group * 32) {
                let before = if lane == 0 { identity } else { items[lane as usize - 1] };
                let kept = if inclusive { items[lane as usize] } else { before };
                // SAFETY: the caller has checked that the memory has `n` elements.
                unsafe { memory.store(base + group * 32 + lane, kept) };
            }
            totals[group as usize % 32] = items[31];
        }
        barrier();
        scan_lanes(&mut totals, &combine);
        for at in 0..occupied {
            let group = (at / 32) as usize;
            let prefix = combine(carry, if group == 0 { identity } else { totals[group - 1] });
            // SAFETY: as above.
            unsafe { memory.store(base + at, combine(prefix, memory.load(base + at))) };
        }
        carry = combine(carry, totals[31]);
        publish();
    }
    carry
}

/// See [`crate::Block::inclusive_scan_rows`]: what the warps before each thread's own have together, and what all have. The value of a warp
/// is that of its last thread.
#[inline(always)]
pub(crate) fn scan_warps<T: Pod>(
    crew: Crew,
    _half: GroupsHalf,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> (PerThreadStorage<T>, T) {
    let mut guard = ThreadGuard::default();
    let mut totals = [identity; 32];
    let warps = crew.numbers(crew.threads() / 32);
    for k in 0..crew.threads() / 32 {
        guard.thread = 32 * warps.at(k) + 31;
        totals[warps.at(k) as usize % 32] = value(guard.thread);
    }
    publish();
    scan_lanes(&mut totals, &combine);
    guard.forget();
    let before = PerThreadStorage::new(crew, |thread| match thread / 32 {
        0 => identity,
        warp => totals[warp as usize - 1],
    });
    (before, totals[31])
}
