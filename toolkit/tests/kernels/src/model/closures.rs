//! Closures that panic if they are called for unexpected elements.

use cuda_std::lists::{Pick, WarpList};
use cuda_std::prelude::*;

/// Checked sums by a block, by teams and by warps, of numbers that would overflow if one were added twice.
#[kernel(threads = 64)]
pub fn checked_sums(block: &mut Block, out: &mut Chunk<u32, 3>, x: &[u32]) {
    let n = x.len() as u32;
    let of_block = block.reduce(n, 0, |i| x.at(i), |a, b| a + b);
    out.set(block, 0, of_block);
    let mut rest = out.whole();
    let (_, mut rest) = rest.split_at(1);
    let (mut by_team, mut by_warp) = rest.split_at(1);
    by_team.fill_by_team(block, 1, |team: &mut Team<8>, _| team.reduce(n, 0, |sum, i| sum + x.at(i), |a, b| a + b));
    by_warp.fill_by_warp(block, 1, |warp, _| {
        let own = warp.per_lane(|lane| x.at(lane.index()));
        warp.reduce(&own, |a, b| a + b)
    });
}

/// The number of the ranges' elements with an even first word, and the sum of their indices. Elements outside have a
/// negative one.
#[kernel(threads = 32)]
pub fn filtered_ranges(block: &mut Block, out: &mut Chunk<u32, 2>, x: &[[f32; 4]], list: &mut Shared<Pick, 64>) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 2, (list,), |warp, (list,), k| {
        let ranges = warp.per_lane(|lane| match lane.index() {
            0 => [3, 5],
            7 => [20, 37],
            // Beyond the end, and empty.
            9 => [40, u32::MAX],
            12 => [50, 60],
            other => [other, other],
        });
        list.push_ranges_where(warp, &x, &ranges, |index, [first, ..]| {
            assert!(first >= 0.0, "an element outside of the ranges");
            assert!(first == x.get(index)[0], "another element's index");
            (first as u32).is_multiple_of(2)
        });
        let items = list.items(warp);
        let n = items.len();
        let picks = items.picks(warp, &x, 0);
        let own = warp.map(picks.index(), |lane, index| if lane.index() < n { *index } else { 0 });
        [n, warp.reduce(&own, |a, b| a + b)][k as usize]
    });
}

/// Element `i` for ranges `32 i ..`: of the elements with an even first word, and of the others, the number, and the sum of their
/// indices, each times its place in the list. They are listed apart, then the even ones alone.
#[kernel(threads = 64)]
pub fn partitioned_ranges(
    block: &mut Block,
    out: &mut Segment<[u32; 6]>,
    x: &[[f32; 4]],
    ranges: &[[u32; 2]],
    even: &mut Shared<Pick, { 2 * KEPT }>,
    odd: &mut Shared<Pick, { 2 * KEPT }>,
    scratch: &mut Shared<[u32; 2], { 2 * 32 }>,
) {
    let (n, x) = (out.len(), View::of(x).clamped());
    out.fill_by_warp_with(block, n, (even, odd, scratch), |warp, (even, odd, scratch), i| {
        let is_inside = |index| (32 * i..32 * i + 32).any(|k| ranges.at(k)[0] <= index && index < ranges.at(k)[1]);
        let is_even = |index: u32, [first, ..]: [f32; 4]| {
            assert!(is_inside(index), "an element outside of the ranges");
            assert!(first == x.get(index)[0], "another element's index");
            (first as u32).is_multiple_of(2)
        };
        let ranges = warp.per_lane(|lane| ranges.at(32 * i + lane.index()));
        warp.push_ranges_to([even, odd], scratch, &x, &ranges, |index, words| {
            [is_even(index, words), !is_even(index, words)]
        });
        let [a, b] = weighted(warp, even, x);
        let [c, d] = weighted(warp, odd, x);
        even.clear(warp);
        even.push_ranges_with(warp, scratch, &x, &ranges, is_even);
        let [e, f] = weighted(warp, even, x);
        [a, b, c, d, e, f]
    });
}

/// The number of items, and the sum of the indices of those with room, each times its place.
fn weighted(warp: &mut Warp, list: &mut WarpList<Pick>, x: Clamped<[f32; 4]>) -> [u32; 2] {
    let count = list.len();
    let items = list.items(warp);
    let (mut sum, mut begin) = (0u32, 0u32);
    while begin < items.len() {
        let picks = items.picks(warp, &x, begin);
        let left = items.len() - begin;
        let own =
            warp.map(
                picks.index(),
                |lane, index| {
                    if lane.index() < left { index.wrapping_mul(begin + lane.index() + 1) } else { 0 }
                },
            );
        sum = sum.wrapping_add(warp.sum(&own));
        begin += 32;
    }
    [count, sum]
}

/// Room for the elements of [`fn@partitioned_ranges`].
pub const KEPT: usize = 1280;

/// Empty rows; counts them.
#[kernel(threads = 64)]
pub fn empty_rows(block: &mut Block, out: &mut Chunk<u32, 1>, rows: u32) {
    out.fill_rows_by_warp(block, rows, 0, |_, _| (), |(), _, _| 1);
    out.set(block, 0, rows);
}
