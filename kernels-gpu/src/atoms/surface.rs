//! Accessible surface by test points (Shrake and Rupley 1973), and how crowded an atom is (Pintar et al. 2002).
//!
//! A point u of the unit sphere is covered by another atom at the difference D, where R and R' are the radii with the
//! probe's, when |R u - D|^2 < R'^2, or u D > (D^2 + R^2 - R'^2) / (2 R). A warp has an atom: its lanes look for those who
//! may cover it, then at the points. Most points are covered by one of the nearest, so those are tried first, on all
//! points, and the others on what is left. Points are counted, so that the order in which neighbours come is no matter.

use super::cells::{Cells, REACH};
use crate::scratch::AtomSurface;
use cuda_std::prelude::*;
use shared_types::{Atom, SpherePoint};

/// Radius of the probe in Å: a water molecule.
pub const PROBE: f32 = 1.4;
/// Neighbours of an atom that a warp has room for. Real ones have up to about 70.
pub const NEIGHBOURS: usize = 96;
/// Points that a warp takes at a time.
pub const POINTS: usize = 128;
/// Those that a lane takes.
const EACH: usize = POINTS / 32;
/// Neighbours that are tried on all points. They come from the rows of cells in the middle.
const FIRST: u32 = 16;

/// A point's side of a plane: covered when `x`, `y`, `z` of the point, times those here, are more than the last.
type Plane = [f32; 4];

#[inline(always)]
fn covers([x, y, z, least]: Plane, px: f32, py: f32, pz: f32) -> bool {
    math::fma(px, x, math::fma(py, y, pz * z)) > least
}

/// An atom among its neighbours.
#[derive(Clone, Copy)]
struct Centre {
    atom: Atom,
    /// Its radius with the probe's.
    reach: f32,
    /// 1 / (2 reach)
    half: f32,
}

/// A neighbour's part: what of the sphere it covers, and whether it is within [`REACH`].
#[derive(Clone, Copy)]
struct Seen {
    plane: Option<Plane>,
    within: bool,
}

impl Centre {
    #[inline(always)]
    fn new(atom: Atom) -> Self {
        let reach = atom.radius + PROBE;
        Self { atom, reach, half: 0.5 / reach }
    }

    #[inline(always)]
    fn look(&self, other: Atom) -> Seen {
        let (x, y, z) = (other.x - self.atom.x, other.y - self.atom.y, other.z - self.atom.z);
        let d2 = math::fma(x, x, math::fma(y, y, z * z));
        let reach = other.radius + PROBE;
        let both = self.reach + reach;
        // An atom in the same place, as this one itself is, covers all or nothing.
        let touches = d2 < both * both && (d2 > 0.0 || reach > self.reach);
        let least = math::fma(self.reach - reach, both, d2) * self.half;
        Seen { plane: touches.then_some([x, y, z, least]), within: d2 <= REACH * REACH }
    }

    /// Whether an atom covers a point, asked of all that may: for atoms with more neighbours than there is room for.
    // A call costs registers on the device, and on a CPU inlining costs more than calling what is hardly ever called.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn is_covered(&self, cells: &Cells, sorted: View<Atom>, point: SpherePoint) -> bool {
        for k in 0..super::cells::ROWS {
            let run = cells.near(self.atom, k);
            for other in run.first..run.end {
                if let Some(plane) = self.look(sorted.get(other)).plane
                    && covers(plane, point.x, point.y, point.z)
                {
                    return true;
                }
            }
        }
        false
    }
}

/// A lane's share of the points.
#[derive(Clone, Copy)]
struct Share {
    x: [f32; EACH],
    y: [f32; EACH],
    z: [f32; EACH],
    covered: [bool; EACH],
}

impl Share {
    /// The points `first, first + 32, ..`; those that are not there count as covered.
    #[inline(always)]
    fn new(points: &[SpherePoint], first: u32) -> Self {
        let mut share = Self { x: [0.0; EACH], y: [0.0; EACH], z: [0.0; EACH], covered: [true; EACH] };
        for at in 0..EACH {
            if let Some(point) = points.get(first as usize + 32 * at) {
                (share.x[at], share.y[at], share.z[at]) = (point.x, point.y, point.z);
                share.covered[at] = false;
            }
        }
        share
    }

    #[inline(always)]
    fn open(&self, at: usize) -> Option<SpherePoint> {
        let point = SpherePoint { x: self.x[at], y: self.y[at], z: self.z[at], _padding: 0 };
        (!self.covered[at]).then_some(point)
    }
}

/// Counts for atom `atom` what is exposed and how many are near.
#[inline(always)]
pub fn count(
    warp: &mut Warp,
    neighbours: &mut WarpList<Plane>,
    alive: &mut WarpList<SpherePoint>,
    atom: Atom,
    cells: &Cells,
    sorted: View<Atom>,
    points: &[SpherePoint],
) -> AtomSurface {
    let centre = Centre::new(atom);
    let runs = warp.per_lane(|lane| cells.near(atom, lane.index()));
    let mut left = warp.ballot(&runs, |_, run| run.first < run.end);
    let mut within = warp.per_lane(|_| 0u32);
    while left != 0 {
        let run = warp.broadcast(&runs, left.trailing_zeros());
        left &= left.wrapping_sub(1);
        let mut first = run.first;
        while first < run.end {
            let seen = warp.per_lane(|lane| {
                let k = first.wrapping_add(lane.index());
                if k < run.end { centre.look(sorted.get(k)) } else { Seen { plane: None, within: false } }
            });
            warp.each_with(&mut within, &seen, |_, within, seen| *within = within.wrapping_add(u32::from(seen.within)));
            let planes = warp.map(&seen, |_, seen| seen.plane);
            neighbours.push(warp, &planes);
            first = first.wrapping_add(32);
        }
    }
    let crowd = warp.reduce(&within, u32::wrapping_add);
    if !neighbours.is_complete() {
        let exposed = exposed_to_all(warp, &centre, cells, sorted, points);
        return AtomSurface { exposed, crowd };
    }
    let n = points.len() as u32;
    let (mut exposed, mut group) = (0, 0);
    while group < n {
        exposed += exposed_of_group(warp, neighbours, alive, points, group);
        group += POINTS as u32;
    }
    AtomSurface { exposed, crowd }
}

/// How many points are exposed, where there is no room for all neighbours.
#[inline(always)]
fn exposed_to_all(warp: &mut Warp, centre: &Centre, cells: &Cells, sorted: View<Atom>, points: &[SpherePoint]) -> u32 {
    let n = points.len() as u32;
    let open = warp.per_lane(|lane| {
        let (mut open, mut k) = (0, lane.index());
        while k < n {
            open += u32::from(!centre.is_covered(cells, sorted, points.at(k)));
            k += 32;
        }
        open
    });
    warp.reduce(&open, u32::wrapping_add)
}

/// How many points are exposed of the [`POINTS`] from `first` on.
#[inline(always)]
fn exposed_of_group(
    warp: &mut Warp,
    neighbours: &WarpList<Plane>,
    alive: &mut WarpList<SpherePoint>,
    points: &[SpherePoint],
    first: u32,
) -> u32 {
    let all = neighbours.len();
    let some = all.min(FIRST);
    let mut shares = warp.per_lane(|lane| Share::new(points, first + lane.index()));
    warp.each(&mut shares, |_, share| {
        for j in 0..some {
            let plane = neighbours.get(j);
            for at in 0..EACH {
                share.covered[at] |= covers(plane, share.x[at], share.y[at], share.z[at]);
            }
        }
    });
    alive.clear();
    for at in 0..EACH {
        let open = warp.map(&shares, |_, share| share.open(at));
        alive.push(warp, &open);
    }
    let (alive, mut exposed) = (&*alive, 0);
    let mut turn = 0;
    while turn < alive.len() {
        let open = warp.per_lane(|lane| {
            let k = turn.wrapping_add(lane.index());
            k < alive.len() && {
                let point = alive.get(k);
                !(some..all).any(|j| covers(neighbours.get(j), point.x, point.y, point.z))
            }
        });
        exposed += warp.count(&open, |_, open| *open);
        turn = turn.wrapping_add(32);
    }
    exposed
}
