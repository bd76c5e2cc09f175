//! Closures that panic if they are called for unexpected elements.

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
pub fn asked_in_ranges(block: &mut Block, out: &mut Chunk<u32, 2>, x: &[[f32; 4]], list: &mut Shared<Pick, 64>) {
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

/// Empty rows; counts them.
#[kernel(threads = 64)]
pub fn empty_rows(block: &mut Block, out: &mut Chunk<u32, 1>, rows: u32) {
    out.fill_rows_by_warp(block, rows, 0, |_, _| (), |(), _, _| 1);
    out.set(block, 0, rows);
}
