//! The atoms near a box, 32 at a time.

use crate::atoms::cells::{Bounds, Cells};
use cuda_std::prelude::*;

/// Calls `look` for all atoms that may be within `reach` Å of a box: with the place of the first and the number, 32 at most,
/// of those that follow each other in the order of cells. What it does must not depend on their order.
#[inline(always)]
pub fn each_near(warp: &mut Warp, cells: &Cells, of: &Bounds, reach: f32, mut look: impl FnMut(&mut Warp, u32, u32)) {
    let region = cells.within(of, reach);
    let rows = region.rows();
    let mut row = 0u32;
    while row < rows {
        let runs = warp.per_lane(|lane| {
            let run = cells.run_within(region, row.wrapping_add(lane.index()), of, reach);
            [run.first, run.end]
        });
        let mut left = warp.ballot(&runs, |_, [first, end]| first < end);
        while left != 0 {
            let [first, end] = warp.broadcast(&runs, left.trailing_zeros());
            left &= left.wrapping_sub(1);
            let mut at = first;
            while at < end {
                look(warp, at, end.wrapping_sub(at).min(32));
                at = at.wrapping_add(32);
            }
        }
        row = row.wrapping_add(32);
    }
}

/// The box around the positions of all lanes.
#[inline(always)]
pub fn bounds(warp: &mut Warp, x: &PerLane<f32>, y: &PerLane<f32>, z: &PerLane<f32>) -> Bounds {
    let own = warp.map((x, y, z), |_, (x, y, z)| Bounds::at([*x, *y, *z]));
    warp.reduce(&own, Bounds::and)
}
