//! The rank of each key of a block by a digit: the number of keys before it in order.

use super::key::Word;
use super::{CELL_BITS, COUNTS, DIGITS, MEMORY, Own, WARPS, part, position, turn};
use cuda_std::prelude::*;
use cuda_std::unrolled;

/// Whether a warp has none of the `n` keys of its block. Its elements stay where they are, behind all keys.
#[inline(always)]
pub(super) fn is_idle<const ITEMS: usize>(warp: &Warp, n: u32) -> bool {
    warp.index() * (32 * ITEMS as u32) >= n
}

/// Counts of no key, then as many empty sets of lanes.
#[inline(always)]
pub(super) fn zeros<'a, T>(
    block: &mut Block,
    own: &PerThread<T>,
    memory: &'a mut Shared<u32, MEMORY>,
) -> Tile<'a, u32> {
    memory.scatter(block, 2 * COUNTS, own, |thread, _, slots| {
        unrolled::<{ DIGITS / 16 }>(|k| slots.put(thread, turn(thread, k), 0));
    })
}

/// Finds the cells in which a thread's keys are counted.
#[inline(always)]
pub(super) fn find_cells<K: Word, const ITEMS: usize>(thread: Thread, own: &mut Own<K, ITEMS>, shift: u32, n: u32) {
    let digits = DIGITS as u32;
    let row = thread.index() / 32 % WARPS as u32 * digits;
    own.ranks = own.items.map(|key| row | key.digit(shift));
    // What fills up the last part comes after all of its keys.
    if n < part(ITEMS) as u32 {
        unrolled::<ITEMS>(|k| {
            if position::<ITEMS>(thread, k) >= n {
                own.ranks[k as usize] = row | (digits - 1);
            }
        });
    }
}

/// Counts the digits of each warp's keys. The rank of a key is at first its cell in `counts`: that of its digit in its warp's row.
///
/// If equal digits may have any order, a key's rank among the keys of its cell is what was counted before: it is added to the cell, behind
/// `CELL_BITS`. But threads that count in one cell wait for each other, so a warp does this only if few of its first keys are alike.
#[inline(always)]
pub(super) fn count_in_warps<K: Word, const ITEMS: usize>(
    block: &mut Block,
    own: &mut PerThread<Own<K, ITEMS>>,
    counts: &mut Tile<u32>,
    in_any_order: bool,
    n: u32,
) {
    /// The most keys of a cell among a warp's first ones.
    const ALIKE: u32 = 4;
    counts.update_atomic_by_warp(block, own, |warp, own, counts| {
        if is_idle::<ITEMS>(warp, n) {
            return;
        }
        if in_any_order {
            let cells = warp.map(&*own, |_, own| own.ranks[0] % COUNTS);
            let peers = warp.match_bits::<8>(&cells);
            if !warp.any(&peers, |_, peers| peers.count_ones() > ALIKE) {
                warp.each(own, |lane, own| {
                    own.is_ranked = true;
                    unrolled::<ITEMS>(|k| {
                        let cell = own.ranks[k as usize] % COUNTS;
                        own.ranks[k as usize] = cell | counts.add(lane.thread(), cell, 1).wrapping_shl(CELL_BITS);
                    });
                });
                return;
            }
        }
        warp.each(own, |lane, own| {
            unrolled::<ITEMS>(|k| {
                counts.add(lane.thread(), own.ranks[k as usize] % COUNTS, 1);
            });
        });
    });
}

/// Gives each key its rank. `counts` has the first rank of each warp's keys of a digit.
#[inline(always)]
pub(super) fn rank<K: Word, const ITEMS: usize>(
    block: &mut Block,
    own: &mut PerThread<Own<K, ITEMS>>,
    counts: &mut Tile<u32>,
    n: u32,
) {
    /// The most digits of a warp for which `match_any` is faster: it takes one after the other.
    const FEW: u32 = 16;
    counts.update_atomic_by_warp(block, own, |warp, own, counts| {
        if is_idle::<ITEMS>(warp, n) {
            warp.each(own, |lane, own| {
                unrolled::<ITEMS>(|k| own.ranks[k as usize] = position::<ITEMS>(lane.thread(), k));
            });
            return;
        }
        if warp.any(&*own, |_, own| own.is_ranked) {
            warp.each(own, |lane, own| {
                unrolled::<ITEMS>(|k| {
                    let own = &mut own.ranks[k as usize];
                    *own = counts.load(lane.thread(), *own % COUNTS).wrapping_add(own.wrapping_shr(CELL_BITS));
                });
            });
            return;
        }
        // Lanes with equal digits find each other by a set of lanes for each digit: the second half of `counts`, empty again after each
        // key. Lanes of one digit wait for each other there, so warps whose first keys have few digits compare them by an instruction.
        let mut has_few = false;
        unrolled::<ITEMS>(|k| {
            let cells = warp.map(&*own, |_, own| own.ranks[k as usize] % COUNTS);
            let peers = if has_few {
                warp.match_any(&cells)
            } else {
                warp.each(&mut *own, |lane, own| {
                    let cell = COUNTS + own.ranks[k as usize] % COUNTS;
                    counts.or(lane.thread(), cell, 1u32.wrapping_shl(lane.index()));
                });
                warp.meet();
                warp.map(&cells, |lane, cell| counts.load(lane.thread(), COUNTS + *cell))
            };
            let firsts = warp.map(&cells, |lane, cell| counts.load(lane.thread(), *cell));
            warp.meet();
            warp.each_with(own, (&cells, &peers, &firsts), |lane, own, (cell, peers, first)| {
                let not_below = u32::MAX << lane.index();
                let rank = first.wrapping_add((peers & !not_below).count_ones());
                // The last one of them leaves the rank of the digit's next key.
                if peers & (not_below << 1) == 0 {
                    counts.store(lane.thread(), *cell, rank.wrapping_add(1));
                    if !has_few {
                        counts.store(lane.thread(), COUNTS + *cell, 0);
                    }
                }
                own.ranks[k as usize] = rank;
            });
            if k == 0 {
                has_few = warp.count(&peers, |lane, peers| peers >> lane.index() == 1) <= FEW;
            }
            warp.meet();
        });
    });
}

/// What one of the first threads has of its digit.
struct OfDigit {
    /// The keys of the block.
    total: u32,
    /// The keys of smaller digits.
    smaller: u32,
}

/// Adds up the counts of warps, calls `announce` with the block's count of each digit, and leaves in `counts` the rank of each warp's first
/// key of a digit. The result is the thread's digit's total and its first rank.
#[inline(always)]
pub(super) fn count_in_block(
    block: &mut Block,
    counts: &mut Tile<u32>,
    ends: &mut Shared<u32, DIGITS>,
    announce: impl Fn(Thread, u32) + Sync,
) -> PerThread<[u32; 2]> {
    let digits = DIGITS as u32;
    let mut own = block.per_thread(|thread| {
        let mut own = OfDigit { total: 0, smaller: 0 };
        let digit = thread.index();
        if digit < digits {
            unrolled::<WARPS>(|warp| own.total = own.total.wrapping_add(counts.get(warp * digits + digit)));
            announce(thread, own.total);
        }
        own
    });
    block.warps_with(&mut own, |warp, own| {
        let totals = warp.map(&*own, |_, own| own.total);
        let up_to = warp.inclusive_scan(&totals, u32::wrapping_add);
        warp.each_with(own, &up_to, |_, own, up_to| own.smaller = up_to.wrapping_sub(own.total));
    });
    let ends = ends.write(block, digits, &own, |_, own| own.smaller.wrapping_add(own.total));
    block.each(&mut own, |thread, own| {
        unrolled::<{ DIGITS / 32 }>(|warp| {
            if warp < thread.index() / 32 {
                own.smaller = own.smaller.wrapping_add(ends.get(32 * warp + 31));
            }
        });
    });
    let mut firsts = block.per_thread(|_| [0; 2]);
    block.each_with(&mut firsts, &own, |_, firsts, own| *firsts = [own.total, own.smaller]);
    counts.update_atomic_by_warp(block, &mut own, |warp, own, counts| {
        warp.each(own, |lane, own| {
            let (thread, digit) = (lane.thread(), lane.thread().index());
            if digit < digits {
                // Loaded once more: meanwhile they would take registers that keys need.
                let mut of_warps = [0; WARPS];
                unrolled::<WARPS>(|warp| of_warps[warp as usize] = counts.load(thread, warp * digits + digit));
                unrolled::<WARPS>(|warp| {
                    counts.store(thread, warp * digits + digit, own.smaller);
                    own.smaller = own.smaller.wrapping_add(of_warps[warp as usize]);
                });
            }
        });
    });
    firsts
}
