//! The atoms near a box, 32 at a time.

use crate::atoms::cells::{Bounds, Cells, Region};
use cuda_std::math::{larger, smaller};
use cuda_std::prelude::*;

/// The runs of atoms that may be within `reach` Å of a box: for rows `row ..` of a region of cells, one per lane.
#[inline(always)]
pub fn runs<V>(warp: &mut Warp, cells: &Cells, region: Region, row: u32, of: &Bounds, reach: f32) -> PerLane<[u32; 2]> {
    warp.per_lane(|lane| cells.run_within(region, row.wrapping_add(lane.index()), of, reach).ends())
}

/// Calls `look` for all atoms that may be within `reach` Å of a box: with one atom per lane, and the number of lanes that
/// have one. The result must not depend on the order of atoms.
#[inline(always)]
pub fn each_near<V>(
    warp: &mut Warp,
    cells: &Cells,
    of: &Bounds,
    reach: f32,
    mut look: impl FnMut(&mut Warp, &PerLane<u32>, u32),
) {
    let region = cells.within(of, reach);
    let mut row = 0u32;
    while row < region.rows() {
        let runs = runs::<V>(warp, cells, region, row, of, reach);
        warp.each_of_ranges(&runs, &mut look);
        row = row.wrapping_add(32);
    }
}

/// The bounding box of the lanes' positions.
#[inline(always)]
pub fn bounds<V>(warp: &mut Warp, x: &PerLane<f32>, y: &PerLane<f32>, z: &PerLane<f32>) -> Bounds {
    if cfg!(target_arch = "nvptx64") {
        let own = warp.map((x, y, z), |_, (x, y, z)| Bounds::at([*x, *y, *z]));
        return warp.reduce(&own, Bounds::and);
    }
    // A core compares one coordinate of many lanes at a time.
    let low = [x, y, z].map(|at| warp.reduce(at, smaller));
    let high = [x, y, z].map(|at| warp.reduce(at, larger));
    Bounds::between(low, high)
}
