//! Accessible surface by test points (Shrake and Rupley 1973), how crowded an atom is (Pintar et al. 2002), and which
//! residues it touches.
//!
//! A point u of the unit sphere is covered by another atom at the difference D, where R and R' are the radii with the
//! probe's, when |R u - D|^2 < R'^2, or u D > (D^2 + R^2 - R'^2) / (2 R). A warp has an atom: its lanes look for those who
//! may cover it, then at the points. Most points are covered by one of the nearest, so those are tried first, on all
//! points, and the others on what is left. All is counted, so that the order in which neighbours come is no matter.

use super::Inputs;
use super::cells::{Cells, REACH, ROWS, Run};
use crate::scratch::AtomSurface;
use cuda_std::prelude::*;
use shared_types::{Atom, SpherePoint};

/// Radius of the probe in Å: a water molecule.
pub const PROBE: f32 = 1.4;
/// Atoms within 4.5 Å of each other are in contact.
pub const CONTACT: f32 = 4.5;
/// Runs of atoms that are near, at most, for whole warps.
pub const RUNS: usize = 32;
/// Atoms that may touch one, by distance alone; real ones have up to about 90.
pub const NEAR: usize = 128;
/// Neighbours within [`NEAREST`] that a warp has room for; real atoms have up to about 15.
pub const FIRST: usize = 24;
/// Other neighbours that may cover an atom; real ones have up to about 60.
pub const OTHERS: usize = 80;
/// Atoms in contact with one; real ones have up to about 35.
pub const CONTACTS: usize = 64;
/// Points that a warp takes at a time.
pub const POINTS: usize = 128;
/// Those that a lane takes.
const EACH: usize = POINTS / 32;
/// Neighbours closer than this, 3.5 Å, squared, are tried on all points.
const NEAREST: f32 = 3.5 * 3.5;

/// The first of every 1, 2, 4, .. 32 lanes.
const FIRSTS: [u32; 6] = [u32::MAX, 0x5555_5555, 0x1111_1111, 0x0101_0101, 0x0001_0001, 1];

/// A point's side of a plane: covered when `x`, `y`, `z` of the point, times those here, are more than the last.
pub type Plane = [f32; 4];

/// What a warp keeps of an atom: runs of those that are near, and the places of those that may touch it; planes of the
/// nearest, and of others; the residues that it is in contact with; points that are not covered yet.
pub type Lists<'a> = (
    WarpList<'a, Run>,
    WarpList<'a, u32>,
    WarpList<'a, Plane>,
    WarpList<'a, Plane>,
    WarpList<'a, u32>,
    WarpList<'a, SpherePoint>,
);

#[inline(always)]
fn covers([x, y, z, least]: Plane, px: f32, py: f32, pz: f32) -> bool {
    math::fma(px, x, math::fma(py, y, pz * z)) > least
}

#[inline(always)]
fn distance2(a: Atom, b: Atom) -> f32 {
    let (x, y, z) = (b.x - a.x, b.y - a.y, b.z - a.z);
    math::fma(x, x, math::fma(y, y, z * z))
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

/// A neighbour's part.
#[derive(Clone, Copy)]
struct Seen {
    d2: f32,
    /// What of the sphere it covers.
    plane: Option<Plane>,
}

const NOBODY: Seen = Seen { d2: f32::INFINITY, plane: None };

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
        Seen { d2, plane: touches.then_some([x, y, z, least]) }
    }

    /// Whether an atom covers a point, asked of all that may: for atoms with more neighbours than there is room for.
    // A call costs registers on the device, and on a CPU inlining costs more than calling what is hardly ever called.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn is_covered(&self, around: &Around, point: SpherePoint) -> bool {
        for k in 0..ROWS {
            let (run, _) = around.near(self.atom, k);
            for other in run.first..run.end {
                if let Some(plane) = self.look(around.sorted.at(other)).plane
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

/// The atoms of a structure.
pub struct Around<'a> {
    pub inputs: Inputs<'a>,
    pub cells: Cells<'a>,
    /// The batch's atoms in the order of cells, and the residue of each.
    pub sorted: &'a [Atom],
    pub owners: &'a [u32],
    /// Where the structure's begin. Places are counted in the batch: that takes fewer registers than to keep where in
    /// memory the structure's atoms lie.
    pub first: u32,
}

impl Around<'_> {
    /// Run `k` of those near an atom, in places.
    #[inline(always)]
    fn near(&self, atom: Atom, k: u32) -> (Run, f32) {
        let (run, gap2) = self.cells.near(atom, k);
        (Run { first: self.first.wrapping_add(run.first), end: self.first.wrapping_add(run.end) }, gap2)
    }

    /// Whether an atom is in contact with one of a residue's.
    #[inline(always)]
    fn is_touched(&self, residue: u32, atom: Atom) -> bool {
        let (mut own, end) = self.inputs.atoms_of(residue);
        while own < end {
            if distance2(self.inputs.atom(own), atom) <= CONTACT * CONTACT {
                return true;
            }
            own += 1;
        }
        false
    }
}

/// Counts for atom `at` of the block what is exposed and how many are near, and adds it to the contacts of each residue that
/// it touches.
#[inline(always)]
pub fn count(
    warp: &mut Warp,
    lists: &mut Lists,
    at: u32,
    around: &Around,
    points: &[SpherePoint],
    contacts: &Atomics<u32>,
) -> AtomSurface {
    let Around { inputs, cells, sorted, owners, .. } = around;
    let (runs, near, nearest, others, touched, open) = lists;
    let at = cells.frame().first.wrapping_add(at);
    let atom = sorted.at(at);
    let farthest = (atom.radius + PROBE) + (cells.frame().largest + PROBE);
    let rows = warp.per_lane(|lane| around.near(atom, lane.index()));
    let close = warp.map(&rows, |_, (run, gap2)| (run.first < run.end && *gap2 < farthest * farthest).then_some(*run));
    let far = warp.map(&rows, |_, (run, gap2)| (run.first < run.end && *gap2 >= farthest * farthest).then_some(*run));
    runs.push(warp, &close);
    let n_close = runs.len();
    runs.push(warp, &far);
    let runs = runs.items(warp);
    // Of those that are too far to touch it, all that counts is how many are near.
    let mut within = warp.per_lane(|lane| {
        let mut within = 0;
        for run in runs.range(n_close, runs.len()) {
            let length = run.end.wrapping_sub(run.first);
            let row = sorted.part(run.first, length);
            let mut k = lane.index();
            while k < length {
                within += u32::from(distance2(atom, row.at(k)) <= REACH * REACH);
                k += 32;
            }
        }
        within
    });
    for run in runs.range(0, n_close) {
        let length = run.end.wrapping_sub(run.first);
        let row = sorted.part(run.first, length);
        let mut first = 0u32;
        while first < length {
            let d2 = warp.per_lane(|lane| {
                let k = first.wrapping_add(lane.index());
                if k < length { distance2(atom, row.at(k)) } else { f32::INFINITY }
            });
            warp.each_with(&mut within, &d2, |_, within, d2| {
                *within = within.wrapping_add(u32::from(*d2 <= REACH * REACH));
            });
            let found = warp.map(&d2, |lane, d2| {
                let at = run.first.wrapping_add(first).wrapping_add(lane.index());
                (*d2 < farthest * farthest).then_some(at)
            });
            near.push(warp, &found);
            first = first.wrapping_add(32);
        }
    }
    let (centre, own) = (Centre::new(sorted.at(at)), owners.at(at));
    let near = near.items(warp);
    let mut first = 0u32;
    while first < near.len() {
        let seen = warp.per_lane(|lane| {
            let k = first.wrapping_add(lane.index());
            if k < near.len() { centre.look(sorted.at(near.get(k))) } else { NOBODY }
        });
        let planes = warp.map(&seen, |_, seen| seen.plane.filter(|_| seen.d2 < NEAREST));
        nearest.push(warp, &planes);
        let planes = warp.map(&seen, |_, seen| seen.plane.filter(|_| seen.d2 >= NEAREST));
        others.push(warp, &planes);
        let residues = warp.map(&seen, |lane, seen| {
            if seen.d2 > CONTACT * CONTACT {
                return None;
            }
            let other = owners.at(near.get(first.wrapping_add(lane.index())));
            inputs.are_apart(own, other).then_some(other)
        });
        touched.push(warp, &residues);
        first = first.wrapping_add(32);
    }
    let crowd = warp.reduce(&within, u32::wrapping_add);
    // Where the first list is full, there may have been more.
    if near.len() == NEAR as u32 || !(nearest.is_complete() && others.is_complete() && touched.is_complete()) {
        touch_any(warp, &centre, own, around, contacts);
        let exposed = exposed_to_all(warp, &centre, around, points);
        return AtomSurface { exposed, crowd };
    }
    let touched = touched.items(warp);
    touch(warp, touched, around, contacts);
    let (nearest, others) = (nearest.items(warp), others.items(warp));
    let n = points.len() as u32;
    let (mut exposed, mut group) = (0u32, 0u32);
    while group < n {
        exposed = exposed.wrapping_add(exposed_of_group(warp, nearest, others, open, points, group));
        group = group.wrapping_add(POINTS as u32);
    }
    AtomSurface { exposed, crowd }
}

/// Adds an atom to the contacts of each residue that it touches, once.
#[inline(always)]
fn touch(warp: &mut Warp, touched: WarpItems<u32>, around: &Around, contacts: &Atomics<u32>) {
    let mut turn = 0u32;
    while turn < touched.len() {
        let mut found = warp.per_lane(|lane| {
            let k = turn.wrapping_add(lane.index());
            // Lanes without one have different numbers that no residue has.
            if k < touched.len() { touched.get(k) } else { !lane.index() }
        });
        let same = warp.match_any(&found);
        warp.each_with(&mut found, &same, |lane, residue, same| {
            let is_one = turn.wrapping_add(lane.index()) < touched.len() && same.trailing_zeros() == lane.index();
            if is_one && !touched.range(0, turn).any(|before| before == *residue) {
                contacts.add(lane.thread(), around.inputs.row(*residue), 1);
            }
        });
        turn = turn.wrapping_add(32);
    }
}

/// The same, where there is no room for those that it touches: asks all residues.
#[inline(always)]
fn touch_any(warp: &mut Warp, centre: &Centre, own: u32, around: &Around, contacts: &Atomics<u32>) {
    let inputs = &around.inputs;
    warp.per_lane(|lane| {
        let mut residue = lane.index();
        while residue < inputs.structure().n_residues {
            if inputs.are_apart(own, residue) && around.is_touched(residue, centre.atom) {
                contacts.add(lane.thread(), inputs.row(residue), 1);
            }
            residue += 32;
        }
    });
}

/// How many points are exposed, where there is no room for all neighbours.
#[inline(always)]
fn exposed_to_all(warp: &mut Warp, centre: &Centre, around: &Around, points: &[SpherePoint]) -> u32 {
    let n = points.len() as u32;
    let open = warp.per_lane(|lane| {
        let (mut open, mut k) = (0, lane.index());
        while k < n {
            open += u32::from(!centre.is_covered(around, points.at(k)));
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
    nearest: WarpItems<Plane>,
    others: WarpItems<Plane>,
    open: &mut WarpList<SpherePoint>,
    points: &[SpherePoint],
    first: u32,
) -> u32 {
    let mut shares = warp.per_lane(|lane| Share::new(points, first + lane.index()));
    warp.each(&mut shares, |_, share| {
        for plane in nearest.range(0, nearest.len()) {
            for at in 0..EACH {
                share.covered[at] |= covers(plane, share.x[at], share.y[at], share.z[at]);
            }
        }
    });
    open.clear();
    for at in 0..EACH {
        let left = warp.map(&shares, |_, share| share.open(at));
        open.push(warp, &left);
    }
    let open = open.items(warp);
    let (mut exposed, mut turn) = (0u32, 0u32);
    while turn < open.len() {
        let left = (open.len() - turn).min(32);
        // As many lanes a point as there are to spare; each asks a part of the others.
        let spread = (left - 1).leading_zeros() - 27;
        let covered = warp.per_lane(|lane| {
            let (k, part) = (lane.index() >> spread, lane.index() & ((1 << spread) - 1));
            k < left && {
                let point = open.get(turn.wrapping_add(k));
                others.range_by(part, 1 << spread).any(|plane| covers(plane, point.x, point.y, point.z))
            }
        });
        let mut covered = warp.ballot(&covered, |_, covered| *covered);
        let mut step = 1;
        while step < 1 << spread {
            covered |= covered >> step;
            step *= 2;
        }
        // The first lane of each point now knows.
        exposed = exposed.wrapping_add(left).wrapping_sub((covered & FIRSTS.at(spread)).count_ones());
        turn = turn.wrapping_add(32);
    }
    exposed
}
