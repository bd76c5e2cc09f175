//! The atoms near a box, 32 at a time, and the points of atoms near a box.

use super::{PointAtom, distance2, next_item};
use crate::atoms::cells::{Bounds, Cells, Region};
use bytemuck::Pod;
use cuda_std::lists::*;
use cuda_std::math::{larger, smaller};
use cuda_std::prelude::*;
use shared_types::site_model::PROBE;

/// Room in a warp's list of words that is scratch memory for ranges.
pub const SCRATCH: usize = 64;

/// The runs of atoms that may be within `reach` Å of a box: for rows `row ..` of a region of cells, one per lane.
#[inline(always)]
pub fn runs<V>(warp: &mut Warp, cells: &Cells, region: Region, row: u32, of: &Bounds, reach: f32) -> PerLane<[u32; 2]> {
    warp.per_lane(|lane| cells.run_within(region, row.wrapping_add(lane.index()), of, reach).ends())
}

/// Adds the atoms within `reach` Å of a box to a list. `at` gives an atom's position from its words, and `scratch` is a list that is
/// not in use, with room for 256 bytes.
#[inline(always)]
pub fn list<V, T: Pod, S: Pod>(
    warp: &mut Warp,
    list: &mut WarpList<Pick>,
    scratch: &mut WarpList<S>,
    (cells, atoms): (&Cells, &Clamped<T>),
    of: &Bounds,
    reach: f32,
    at: impl Fn([f32; 4]) -> [f32; 3] + Sync,
) {
    let region = cells.within(of, reach);
    let mut row = 0u32;
    while row < region.rows() {
        let runs = runs::<V>(warp, cells, region, row, of, reach);
        list.push_ranges_with(warp, scratch, atoms, &runs, |_, words| of.distance2(at(words)) <= reach * reach);
        row = row.wrapping_add(32);
    }
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

/// The points around a box.
pub struct NearPoints<'a> {
    pub cells: &'a Cells<'a>,
    /// The box.
    pub of: Bounds,
    /// Points may be this far from it, in Å.
    pub distance: f32,
    pub point_atoms: Clamped<'a, PointAtom>,
    pub per_item: u32,
    /// The number of the structure's first point in the batch.
    pub begin: u32,
}

impl NearPoints<'_> {
    /// Whether a point has a score and is near enough to the box.
    #[inline(always)]
    pub fn may_count(&self, [x, y, z, score]: [f32; 4]) -> bool {
        (score.to_bits() > 0) & (self.of.distance2([x, y, z]) <= self.distance * self.distance)
    }

    /// Calls `look` with ranges of points that together hold all points near the box.
    #[inline(always)]
    pub fn each_ranges<V>(&self, warp: &mut Warp, mut look: impl FnMut(&mut Warp, &PerLane<[u32; 2]>)) {
        let Self { cells, of, distance, point_atoms, per_item, begin } = self;
        let reach = distance + (cells.frame().largest + PROBE);
        let region = cells.within(of, reach);
        let mut row = 0u32;
        while row < region.rows() {
            let mut atoms = runs::<V>(warp, cells, region, row, of, reach);
            // The points of consecutive atoms are contiguous within an item.
            while warp.any(&atoms, |_, [first, end]| first < end) {
                let ranges = warp.map(&atoms, |_, [first, end]| {
                    let last = next_item(*first, *per_item).min(*end).wrapping_sub(1);
                    let (from, to) = (point_atoms.get(*first), point_atoms.get(last));
                    let range =
                        [from.first.wrapping_sub(*begin), to.first.wrapping_add(to.count()).wrapping_sub(*begin)];
                    if first < end { range } else { [0; 2] }
                });
                warp.each(&mut atoms, |_, [first, end]| *first = next_item(*first, *per_item).min(*end));
                look(warp, &ranges);
            }
            row = row.wrapping_add(32);
        }
    }
}

/// The bounding box of the lanes' positions.
#[inline(always)]
pub fn bounds<V>(warp: &mut Warp, [x, y, z]: [&PerLane<f32>; 3]) -> Bounds {
    if cfg!(target_arch = "nvptx64") {
        let own = warp.map((x, y, z), |_, (x, y, z)| Bounds::at([*x, *y, *z]));
        return warp.reduce(&own, Bounds::and);
    }
    // A core compares one coordinate of many lanes at a time.
    let low = [x, y, z].map(|at| warp.reduce(at, smaller));
    let high = [x, y, z].map(|at| warp.reduce(at, larger));
    Bounds::between(low, high)
}

/// Some lanes whose positions lie close together, and the box around these. In a row of cells, positions at the surface follow each
/// other from one end of the structure to the other: all lanes would share a box as wide as the structure.
pub struct Group {
    /// A bit for each of the lanes.
    pub lanes: u32,
    pub bounds: Bounds,
}

/// Positions of a group are at most this far from its first one, in Å.
const APART: f32 = 9.0;
/// The most lanes of a group.
const MOST: u32 = 8;

impl Group {
    /// Calls `look` for groups that together have the first `n` lanes.
    #[inline(always)]
    pub fn each<V>(warp: &mut Warp, at: [&PerLane<f32>; 3], n: u32, mut look: impl FnMut(&mut Warp, Self)) {
        let mut left = u32::MAX.checked_shr(32u32.wrapping_sub(n)).unwrap_or(0);
        while left != 0 {
            let group = Self::first_of::<V>(warp, at, left);
            left &= !group.lanes;
            look(warp, group);
        }
    }

    /// Of the lanes in `left`, the first one and some near it.
    #[inline(always)]
    fn first_of<V>(warp: &mut Warp, at: [&PerLane<f32>; 3], left: u32) -> Self {
        let first = left.trailing_zeros();
        let of_first = at.map(|at| warp.broadcast(at, first));
        let is_near =
            warp.map((at[0], at[1], at[2]), |_, (x, y, z)| distance2(of_first, [*x, *y, *z]) <= APART * APART);
        // The first one, too, if its position is not a number.
        let mut lanes = left & warp.ballot(&is_near, |_, is_near| *is_near) | 1u32.wrapping_shl(first);
        while lanes.count_ones() > MOST {
            lanes &= !(1u32 << 31).wrapping_shr(lanes.leading_zeros());
        }
        let at = [0, 1, 2].map(|axis| {
            warp.map(at[axis], |lane, at| if lanes >> lane.index() & 1 == 1 { *at } else { of_first[axis] })
        });
        Self { lanes, bounds: bounds::<V>(warp, [&at[0], &at[1], &at[2]]) }
    }
}
