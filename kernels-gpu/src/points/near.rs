//! The atoms near a box, 32 at a time.

use crate::atoms::cells::{Bounds, Cells, Region};
use cuda_std::prelude::*;

/// Rows of a region of cells, from `row` on, one a lane: the atoms of each that may be within `reach` Å of a box.
#[inline(always)]
pub fn runs<V>(warp: &mut Warp, cells: &Cells, region: Region, row: u32, of: &Bounds, reach: f32) -> PerLane<[u32; 2]> {
    warp.per_lane(|lane| cells.run_within(region, row.wrapping_add(lane.index()), of, reach).ends())
}

/// Calls `look` for the elements of all lanes' ranges: with the first and the number, 32 at most, of those that follow each
/// other. What it does must not depend on their order.
#[inline(always)]
pub fn each(warp: &mut Warp, ranges: &PerLane<[u32; 2]>, mut look: impl FnMut(&mut Warp, u32, u32)) {
    let mut left = warp.ballot(ranges, |_, [first, end]| first < end);
    while left != 0 {
        let [first, end] = warp.broadcast(ranges, left.trailing_zeros());
        left &= left.wrapping_sub(1);
        let mut at = first;
        while at < end {
            look(warp, at, end.wrapping_sub(at).min(32));
            at = at.wrapping_add(32);
        }
    }
}

/// Calls `look` for all atoms that may be within `reach` Å of a box: see [`each`].
#[inline(always)]
pub fn each_near<V>(
    warp: &mut Warp,
    cells: &Cells,
    of: &Bounds,
    reach: f32,
    mut look: impl FnMut(&mut Warp, u32, u32),
) {
    let region = cells.within(of, reach);
    let mut row = 0u32;
    while row < region.rows() {
        let runs = runs::<V>(warp, cells, region, row, of, reach);
        each(warp, &runs, |warp, at, n| look(warp, at, n));
        row = row.wrapping_add(32);
    }
}

/// The box around positions of lanes.
#[inline(always)]
pub fn bounds<V>(warp: &mut Warp, x: &PerLane<f32>, y: &PerLane<f32>, z: &PerLane<f32>) -> Bounds {
    let own = warp.map((x, y, z), |_, (x, y, z)| Bounds::at([*x, *y, *z]));
    warp.reduce(&own, Bounds::and)
}
