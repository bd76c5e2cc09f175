//! Depth: how far an atom is from the nearest that has accessible area.
//!
//! The atoms of a cell look together: what has area in the cells around is listed once, and each atom goes through that list.
//! Only where the nearest of these is farther than what those cells hold for certain, an atom looks at more of them.

use super::cells::Cells;
use super::distance2;
use crate::points::near;
use crate::scratch::AtomSurface;
use cuda_std::math::{NAN, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;

/// How far is looked, in Å. In no protein is an atom half as far from the surface; without an end, a body that is solid for
/// hundreds of Å would take a time that grows with the square of its atoms.
pub const DEEPEST: f32 = 40.0;

/// Atoms with area in a pair of cells and those around it, for which a warp has room; real ones have some 60.
pub const EXPOSED: usize = 160;

/// A depth of this square; NaN where that is too far.
#[inline(always)]
fn depth(nearest: f32) -> f32 {
    if nearest <= DEEPEST * DEEPEST { sqrt(nearest) } else { NAN }
}

/// Finds the depths of a part's atoms, which lie in a pair of cells: of the places from `first` on. NaN where no atom within
/// [`DEEPEST`] has area.
#[inline(always)]
pub fn find<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<[f32; 4]>,
    part: &mut WarpPart<Segment<f32>>,
    first: u32,
    cells: &Cells,
    sorted: Clamped<Atom>,
    surface: Clamped<AtomSurface>,
) {
    let (first, n) = (first.wrapping_add(part.start()), part.len());
    exposed.clear(warp);
    let region = cells.around_both(sorted.get(first), sorted.get(first.wrapping_add(n.wrapping_sub(1))), 1);
    let rows = region.rows();
    let runs =
        warp.per_lane(|lane| if lane.index() < rows { cells.run_of(region, lane.index()).ends() } else { [0; 2] });
    near::each(warp, &runs, |warp, at, n| {
        let place = warp.per_lane(|lane| at.wrapping_add(lane.index()));
        let atoms = warp.map(&place, |_, place| {
            let Atom { x, y, z, radius } = sorted.get(*place);
            [x, y, z, radius]
        });
        let counts = warp.map(&place, |_, place| surface.get(*place).exposed);
        exposed.push_where(warp, &atoms, &counts, |lane, exposed| (lane.index() < n) & (*exposed > 0));
    });
    let exposed = exposed.items(warp);
    let seen = cells.seen(1);
    let mut k = 0u32;
    while k < n {
        let place = first.wrapping_add(k);
        let depth = if surface.get(place).exposed > 0 {
            0.0
        } else {
            let atom = sorted.get(place);
            let mut nearest = warp.per_lane(|_| f32::INFINITY);
            let mut at = 0u32;
            while at < exposed.len() {
                let others = exposed.by_lane(warp, at);
                warp.each_with(&mut nearest, &others, |_, nearest, [x, y, z, radius]| {
                    let other = Atom { x: *x, y: *y, z: *z, radius: *radius };
                    *nearest = smaller(*nearest, distance2(atom, other));
                });
                at = at.wrapping_add(32);
            }
            let nearest = warp.reduce(&nearest, smaller);
            if exposed.is_complete() & (nearest <= seen * seen) {
                depth(nearest)
            } else {
                // One ring is what was listed.
                let rings = if exposed.is_complete() { 2 } else { 1 };
                among_all::<V>(warp, atom, rings, cells, sorted, surface)
            }
        };
        part.set(warp, k, depth);
        k = k.wrapping_add(1);
    }
}

/// The depth of an atom without area, which looks at ever more cells.
#[inline(always)]
fn among_all<V>(
    warp: &mut Warp,
    atom: Atom,
    mut rings: u32,
    cells: &Cells,
    sorted: Clamped<Atom>,
    surface: Clamped<AtomSurface>,
) -> f32 {
    loop {
        let region = cells.around(atom, rings);
        let nearest = warp.per_lane(|lane| {
            let (mut nearest, mut row) = (f32::INFINITY, lane.index());
            while row < region.rows() {
                let [first, end] = cells.run_of(region, row).ends();
                for other in first..end {
                    if surface.get(other).exposed > 0 {
                        nearest = smaller(nearest, distance2(atom, sorted.get(other)));
                    }
                }
                row = row.wrapping_add(32);
            }
            nearest
        });
        let nearest = warp.reduce(&nearest, smaller);
        let seen = cells.seen(rings);
        if nearest <= seen * seen || seen >= DEEPEST || cells.is_all(region) {
            return depth(nearest);
        }
        rings = rings.wrapping_mul(2);
    }
}
