//! Depth: the distance from an atom to the nearest one with accessible area.
//!
//! A warp takes the atoms of a pair of cells. It lists the atoms with area in the cells around once, and each of its atoms
//! searches that list. If the nearest one is farther than those cells cover completely, the atom searches more cells.

use super::cells::Cells;
use super::distance2;
#[cfg(not(target_arch = "nvptx64"))]
use super::square;
use crate::scratch::AtomSurface;
use cuda_std::math::{NAN, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;

/// The search ends at this distance in Å. In no protein is an atom half as far from the surface. Without a limit, the time for a
/// body that is solid for hundreds of Å would grow with the square of its atoms.
pub const DEEPEST: f32 = 40.0;

/// Room in a warp's list of atoms with area in and around a pair of cells; real structures have some 60.
pub const EXPOSED: usize = 160;

/// An atom in that list. On a device it lies in shared memory as all lanes read it.
#[cfg(target_arch = "nvptx64")]
pub type Exposed = [f32; 4];
/// On a core, coordinates of several atoms lie together.
#[cfg(not(target_arch = "nvptx64"))]
pub type Exposed = Pick;

/// The depth for a squared distance; NaN if it exceeds [`DEEPEST`].
#[inline(always)]
fn depth(nearest: f32) -> f32 {
    if nearest <= DEEPEST * DEEPEST { sqrt(nearest) } else { NAN }
}

/// Finds the depths of a part's atoms, which lie in a pair of cells. The part's places count from `first`. NaN if no atom
/// within [`DEEPEST`] has area.
#[inline(always)]
pub fn find<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    part: &mut WarpPart<Segment<f32>>,
    first: u32,
    cells: &Cells,
    sorted: Clamped<Atom>,
    surface: Clamped<AtomSurface>,
) {
    let (first, n) = (first.wrapping_add(part.start()), part.len());
    if !has_buried::<V>(warp, first, n, surface) {
        let mut k = 0u32;
        while k < n {
            part.set(warp, k, 0.0);
            k = k.wrapping_add(1);
        }
        return;
    }
    exposed.clear(warp);
    let region = cells.around_both(sorted.get(first), sorted.get(first.wrapping_add(n.wrapping_sub(1))), 1);
    let rows = region.rows();
    let runs =
        warp.per_lane(|lane| if lane.index() < rows { cells.run_of(region, lane.index()).ends() } else { [0; 2] });
    list::<V>(warp, exposed, &runs, sorted, surface);
    let exposed = exposed.items(warp);
    let seen = cells.seen(1);
    let mut k = 0u32;
    while k < n {
        let place = first.wrapping_add(k);
        let depth = if surface.get(place).exposed > 0 {
            0.0
        } else {
            let atom = sorted.get(place);
            let nearest = nearest::<V>(warp, atom, exposed, sorted);
            if exposed.is_complete() & (nearest <= seen * seen) {
                depth(nearest)
            } else {
                // The list covers one ring.
                let rings = if exposed.is_complete() { 2 } else { 1 };
                among_all::<V>(warp, atom, rings, cells, sorted, surface)
            }
        };
        part.set(warp, k, depth);
        k = k.wrapping_add(1);
    }
}

/// Lists the atoms with area in the lanes' ranges.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn list<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    ranges: &PerLane<[u32; 2]>,
    sorted: Clamped<Atom>,
    surface: Clamped<AtomSurface>,
) {
    warp.each_of_ranges(ranges, |warp, places, n| {
        let atoms = warp.map(places, |_, place| {
            let Atom { x, y, z, radius } = sorted.get(*place);
            [x, y, z, radius]
        });
        let counts = warp.map(places, |_, place| surface.get(*place).exposed);
        exposed.push_where(warp, &atoms, &counts, |lane, exposed| (lane.index() < n) & (*exposed > 0));
    });
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn list<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    ranges: &PerLane<[u32; 2]>,
    sorted: Clamped<Atom>,
    surface: Clamped<AtomSurface>,
) {
    exposed.push_ranges_where(warp, &sorted, ranges, |place, _| surface.get(place).exposed > 0);
}

/// The squared distance to the nearest atom of the list.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn nearest<V>(warp: &mut Warp, atom: Atom, exposed: WarpItems<Exposed>, _sorted: Clamped<Atom>) -> f32 {
    let mut nearest = warp.per_lane(|_| [f32::INFINITY]);
    let mut at = 0u32;
    while at < exposed.len() {
        let others = exposed.by_lane(warp, at);
        warp.each_with(&mut nearest, &others, |_, [nearest], [x, y, z, radius]| {
            let other = Atom { x: *x, y: *y, z: *z, radius: *radius };
            *nearest = smaller(*nearest, distance2(atom, other));
        });
        at = at.wrapping_add(32);
    }
    let [nearest] = warp.smallest(&nearest);
    nearest
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn nearest<V>(warp: &mut Warp, atom: Atom, exposed: WarpItems<Exposed>, sorted: Clamped<Atom>) -> f32 {
    let mut nearest = warp.per_lane(|_| [f32::INFINITY]);
    let mut at = 0u32;
    while at < exposed.len() {
        let picks = exposed.picks(warp, &sorted, at);
        let [x, y, z, _] = picks.words();
        let left = exposed.len().wrapping_sub(at);
        warp.each_with(&mut nearest, (x, y, z), |lane, [nearest], (x, y, z)| {
            let to = square([*x - atom.x, *y - atom.y, *z - atom.z]);
            *nearest = smaller(*nearest, if lane.index() < left { to } else { f32::INFINITY });
        });
        at = at.wrapping_add(32);
    }
    let [nearest] = warp.smallest(&nearest);
    nearest
}

/// Whether one of the `n` atoms from `first` on has no area.
#[inline(always)]
fn has_buried<V>(warp: &mut Warp, first: u32, n: u32, surface: Clamped<AtomSurface>) -> bool {
    let buried = warp.per_lane(|lane| {
        let (mut buried, mut k) = (false, lane.index());
        while k < n {
            buried |= surface.get(first.wrapping_add(k)).exposed == 0;
            k = k.wrapping_add(32);
        }
        buried
    });
    warp.any(&buried, |_, buried| *buried)
}

/// The depth of an atom without area, searched in growing rings of cells.
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
            [nearest]
        });
        let [nearest] = warp.smallest(&nearest);
        let seen = cells.seen(rings);
        if nearest <= seen * seen || seen >= DEEPEST || cells.is_all(region) {
            return depth(nearest);
        }
        rings = rings.wrapping_mul(2);
    }
}
