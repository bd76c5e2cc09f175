//! The main loop of a chain of two products whose warps multiply by fours.

use super::warpgroup::kind;
use super::windows::copy_window;
use super::{MatrixElement, MatrixRows, MatrixSums, PerRow};
use crate::platform::warpgroup as together;
use crate::platform::{self, LaneStorage, SharedPointer};
use crate::unrolled::unrolled;
use crate::vectors::ElementVector;
use crate::{PerLane, Stages, Warp, Windows};

/// Steps that begin at once.
const STEPS: u32 = 4;
/// Threads of a warpgroup.
const WARPGROUP: u32 = 128;
/// Bytes of a row in a panel.
const ROW: u32 = 128;
/// The most pieces of 64 elements: sums have at most 128 columns.
const MOST_PIECES: usize = 2;

/// Whether a warpgroup multiplies such elements, if each of its warps has 16 `r` rows, `c` parts of 8 columns between the products, and `n`
/// after them.
pub(super) const fn multiply<E: MatrixElement>(r: usize, c: usize, n: usize) -> bool {
    matches!(E::KIND, Some(kind) if kind.is_half())
        && r == 1
        && together::is_chain_width(c)
        && together::is_chain_width(n)
}

/// The turns of a warp, with all others of its block.
///
/// At the start of turn `t`, the sums of its first product have been weighed. Its second product, and the first one of turn `t + 1`, begin
/// together.
///
/// # Safety
/// All threads of the block are alive and come here together; there are `threads` of them, a multiple of 128, and each copies as many parts
/// of a window, at most [`MOST_COPIES`](super::parts::MOST_COPIES). The first stages, at `data`, begin at multiples of 1024 bytes and have
/// `len` elements each, which is enough for both windows; only this loop uses them. There are `turns` windows of each table, in global
/// memory. The warps [multiply together](multiply).
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn main_loop<
    'x,
    V,
    T,
    const S: usize,
    const A: usize,
    const R: usize,
    const C: usize,
    const K: usize,
    const N: usize,
>(
    threads: u32,
    turns: u32,
    (data, len): (SharedPointer<V>, u32),
    (a, b): (Windows<'x, V, A, N>, Windows<'x, V, A, N>),
    rows: &MatrixRows<V::Element, R, K>,
    warp: &mut Warp,
    state: &mut PerLane<(T, MatrixSums<V::Element, R, N>)>,
    weigh: &impl Fn(&mut Warp, u32, &mut PerLane<MatrixSums<V::Element, R, C>>, &mut PerLane<T>) -> PerLane<PerRow<f32, R>>,
) where
    V: ElementVector<Element: MatrixElement<Sum = f32>> + 'x,
{
    if turns == 0 {
        return;
    }
    let panel = const { A as u32 * ROW };
    let (own, product) = {
        let (own, product) = state.0.own_mut();
        (PerLane::of(LaneStorage::of_own(own)), product)
    };
    let keys = |slot: u32| data.offset(slot.wrapping_mul(len));
    let values = |slot: u32| keys(slot).offset(const { (A * N) as u32 });
    // The window of `a` for turn `turn` into one stage, and that of `b` for the turn before into another one. The last warpgroup copies,
    // before its products begin. So the other ones are ahead of it, and one warpgroup weighs sums while tensor cores work for another.
    let first_copying = threads.wrapping_sub(WARPGROUP);
    let copies = warp.index() >= first_copying / 32;
    let copy = |turn: u32, to: u32, before: u32| {
        if copies {
            let copying = (first_copying, WARPGROUP);
            // SAFETY: the caller's; the thread is one of the last 128. Nobody uses these windows' places: see the loop.
            unsafe {
                if turn < turns {
                    copy_window(copying, a.window_unchecked(turn), keys(to));
                }
                if turn > 0 && turn <= turns {
                    copy_window(copying, b.window_unchecked(turn.wrapping_sub(1)), values(before));
                }
            }
        }
        platform::end_turn_of_copies();
    };
    // Waits until all threads' copies can be used, and all have ended the turn before.
    let meet = || {
        together::show_to_tensor_cores();
        platform::publish();
        platform::ask_lanes();
    };
    // SAFETY: all of this window was copied and waited for, and the next copies there begin after the barrier that follows the wait for the
    // product. The rest is the caller's.
    let begin_first = |scores: &mut [[f32; 4]; C], slot: u32| unsafe {
        let at = together::descriptor(keys(slot).recast::<u16>().address(0));
        unrolled::<MOST_PIECES>(|piece| {
            if piece < const { K as u32 / STEPS } {
                let left = core::array::from_fn(|k| rows.0[(piece * STEPS) as usize + k][0]);
                let at = at.wrapping_add(u64::from(piece * panel / 16));
                let right = together::Right::ByColumns;
                if piece == 0 {
                    together::begin_products_of_registers::<false, C>(kind::<V::Element>(), scores, &left, right, at);
                } else {
                    together::begin_products_of_registers::<true, C>(kind::<V::Element>(), scores, &left, right, at);
                }
            }
        });
        together::end_group();
    };
    // SAFETY: as above.
    let begin_second = |product: &mut [[f32; 4]; N], factor: &[[u32; 4]; C], slot: u32| unsafe {
        let at = together::descriptor_by_rows(values(slot).recast::<u16>().address(0), panel);
        unrolled::<MOST_PIECES>(|piece| {
            if piece < const { C as u32 / (2 * STEPS) } {
                let left = core::array::from_fn(|k| factor[(piece * STEPS) as usize + k]);
                let (at, right) = (at.wrapping_add(u64::from(piece * 64 * ROW / 16)), together::Right::ByRows);
                together::begin_products_of_registers::<true, N>(kind::<V::Element>(), product, &left, right, at);
            }
        });
        together::end_group();
    };
    for turn in 0..const { S as u32 } {
        copy(turn, turn, turn.wrapping_sub(1));
    }
    platform::finish_first_copies::<S>();
    meet();
    let mut scores = warp.per_lane(|_| MatrixSums::<V::Element, R, C>::zero());
    begin_first(&mut scores.0.own_mut().0[0], 0);
    // SAFETY: the caller's.
    unsafe { together::finish_products(&mut scores.0.own_mut().0[0]) };
    let mut by = weigh(warp, 0, &mut scores, own);
    // What the second product of a turn takes: the sums as they were weighed, half as many words.
    let factor = |scores: &PerLane<MatrixSums<V::Element, R, C>>| {
        let mut factor = [[0; 4]; C];
        unrolled::<{ super::MOST / 2 }>(|k| {
            if k < const { C as u32 / 2 } {
                factor[k as usize] = scores.0.own(0).factor::<V::Element>(k).0[0];
            }
        });
        factor
    };
    // Mostly, all rows are multiplied by 1.
    let multiply = |warp: &mut Warp, product: &mut MatrixSums<V::Element, R, N>, by: &PerLane<PerRow<f32, R>>| {
        if warp.any(by, |_, by| by.any(|by| by != 1.0)) {
            product.for_each_in_rows(by.0.own(0), |sum, by| *sum *= *by);
        }
    };
    let (mut before, mut now) = (const { S as u32 - 1 }, 0);
    for turn in 0..turns.wrapping_sub(1) {
        // At the beginning of the loop: the assembler moves a wait to the front of what stands before it.
        // SAFETY: the caller's. If `weigh` has ended a lane, its warp's others wait here, too, and leave where all meet.
        unsafe { together::finish_products(&mut product.0[0]) };
        multiply(warp, product, &by);
        let factor = factor(&scores);
        platform::finish_older_copies::<S, 0>();
        // All warps have waited for the second product of the turn before, and for the first one of this turn.
        meet();
        let following = Stages::<V, S>::following(now);
        copy(turn.wrapping_add(const { S as u32 }), now, before);
        platform::stay_together();
        begin_first(&mut scores.0.own_mut().0[0], following);
        begin_second(&mut product.0[0], &factor, now);
        // SAFETY: the caller's.
        unsafe { together::finish_first_products(&mut scores.0.own_mut().0[0]) };
        by = weigh(warp, turn.wrapping_add(1), &mut scores, own);
        (before, now) = (now, following);
    }
    // SAFETY: as in the loop.
    unsafe { together::finish_products(&mut product.0[0]) };
    multiply(warp, product, &by);
    let factor = factor(&scores);
    platform::finish_older_copies::<S, 0>();
    meet();
    begin_second(&mut product.0[0], &factor, now);
    // SAFETY: the caller's.
    unsafe { together::finish_products(&mut product.0[0]) };
}
