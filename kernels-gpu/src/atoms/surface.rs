//! Accessible surface by test points (Shrake and Rupley 1973), how crowded an atom is (Pintar et al. 2002), and which
//! residues it touches.
//!
//! A point u of the unit sphere is covered by another atom at the difference D, where R and R' are the radii with the
//! probe's, when |R u - D|^2 < R'^2, or u D > (D^2 + R^2 - R'^2) / (2 R). A warp has the
//! atoms of a cell, whose neighbours it knows ([`super::neighbours`]), one after another. Most points are covered by one
//! of the nearest, so those are tried first, on all points, and the others on what is left. All is counted, so that the
//! order in which neighbours come is no matter.

use super::cells::{Bounds, ROWS};
use super::neighbours::{self, Around};
use crate::scratch::AtomSurface;
use cuda_std::prelude::*;
use shared_types::{Atom, POINTS_A_GROUP, PointGroup};

/// Radius of the probe in Å: a water molecule.
pub const PROBE: f32 = 1.4;
/// Atoms within 4.5 Å of each other are in contact.
pub const CONTACT: f32 = 4.5;
/// Neighbours within [`NEAREST`] that a warp has room for; real atoms have up to about 15.
pub const FIRST: usize = 24;
/// Other neighbours that may cover an atom; real ones have up to about 60.
pub const OTHERS: usize = 80;
/// Atoms in contact with one; real ones have up to about 35.
pub const CONTACTS: usize = 64;
/// Points of a group that a lane takes.
const EACH: usize = POINTS_A_GROUP / 32;
// Points that are not covered yet are listed where the neighbours were.
const _: () = assert!(POINTS_A_GROUP <= neighbours::NEAR);
/// Neighbours closer than this, 3.5 Å, squared, are tried on all points.
const NEAREST: f32 = 3.5 * 3.5;

/// The first of every 1, 2, 4, .. 32 lanes.
const FIRSTS: [u32; 8] = [u32::MAX, 0x5555_5555, 0x1111_1111, 0x0101_0101, 0x0001_0001, 1, 1, 1];

/// A point's side of a plane: covered when `x`, `y`, `z` of the point, times those here, are more than the last.
pub type Plane = [f32; 4];

/// Stands for the counts of an atom that wait for [`count_in_crowd`].
pub const CROWDED: AtomSurface = AtomSurface { exposed: u32::MAX, crowd: 0 };

/// What a warp keeps of a cell: the places of all atoms within reach. Of two of its atoms: the
/// places of those that may touch each. Of one: planes of the nearest, and of others; and the residues it is in contact with.
pub type Lists<'a> = (
    WarpList<'a, u32>,
    WarpList<'a, u32>,
    WarpList<'a, u32>,
    WarpList<'a, Plane>,
    WarpList<'a, Plane>,
    WarpList<'a, u32>,
);

#[inline(always)]
fn covers([x, y, z, least]: Plane, px: f32, py: f32, pz: f32) -> bool {
    math::fma(px, x, math::fma(py, y, pz * z)) > least
}

/// The test points.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    pub groups: &'a [PointGroup],
    /// How many there are.
    pub n: u32,
}

impl Points<'_> {
    #[inline(always)]
    fn at(&self, k: u32) -> [f32; 3] {
        let (group, k) = (k as usize / POINTS_A_GROUP, k as usize % POINTS_A_GROUP);
        self.groups.get(group).map_or([0.0; 3], |group| [group.x[k], group.y[k], group.z[k]])
    }
}

/// An atom among its neighbours.
#[derive(Clone, Copy)]
struct Centre {
    atom: Atom,
    /// Its residue.
    owner: u32,
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

impl Centre {
    #[inline(always)]
    fn new(atom: Atom, owner: u32) -> Self {
        let reach = atom.radius + PROBE;
        Self { atom, owner, reach, half: 0.5 / reach }
    }

    #[inline(always)]
    fn look(&self, other: Atom, is_one: bool) -> Seen {
        let (x, y, z) = (other.x - self.atom.x, other.y - self.atom.y, other.z - self.atom.z);
        let d2 = math::fma(x, x, math::fma(y, y, z * z));
        let reach = other.radius + PROBE;
        let both = self.reach + reach;
        // An atom in the same place, as this one itself is, covers all or nothing.
        let touches = is_one & (d2 < both * both) & ((d2 > 0.0) | (reach > self.reach));
        let least = math::fma(self.reach - reach, both, d2) * self.half;
        Seen { d2: if is_one { d2 } else { f32::INFINITY }, plane: touches.then_some([x, y, z, least]) }
    }

    /// Whether an atom covers a point, asked of all that may: for atoms with more neighbours than there is room for.
    // A call costs registers on the device, and on a CPU inlining costs more than calling what is hardly ever called.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn is_covered(&self, around: &Around, [x, y, z]: [f32; 3]) -> bool {
        for k in 0..ROWS {
            let run = around.near(&Bounds::of(self.atom), k);
            for other in run.first..run.end {
                if let Some(plane) = self.look(around.sorted.get(other), true).plane
                    && covers(plane, x, y, z)
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
    /// The points `lane, lane + 32, ..` of a group of `n`; those that are not there count as covered.
    #[inline(always)]
    fn new(group: &PointGroup, n: u32, lane: u32) -> Self {
        let at = |k: usize| lane as usize % 32 + 32 * k;
        Self {
            x: core::array::from_fn(|k| group.x[at(k)]),
            y: core::array::from_fn(|k| group.y[at(k)]),
            z: core::array::from_fn(|k| group.z[at(k)]),
            covered: core::array::from_fn(|k| at(k) as u32 >= n),
        }
    }
}

/// Counts for the atoms of a part, which lie in one cell, what is exposed of each and how many are near, and adds them to
/// the contacts of the residues that they touch. The part is one of the places from `first` on. Atoms with more neighbours
/// than there is room for are left [`CROWDED`].
#[inline(always)]
pub fn count(
    warp: &mut Warp,
    lists: &mut Lists,
    part: &mut WarpPart<Segment<AtomSurface>>,
    first: u32,
    around: &Around,
    points: Points,
    contacts: &Atomics<u32>,
) {
    let (candidates, near_a, near_b, nearest, others, touched) = lists;
    let (first, n) = (first.wrapping_add(part.start()), part.len());
    neighbours::list(warp, candidates, around, first, n);
    let candidates = candidates.items(warp);
    let mut k = 0u32;
    while k < n {
        let two = k.wrapping_add(1) < n;
        let crowds =
            neighbours::of_two(warp, candidates, [&mut *near_a, &mut *near_b], around, first.wrapping_add(k), two);
        let mut second = false;
        loop {
            let near = if second { &mut *near_b } else { &mut *near_a };
            let crowd = if second { crowds[1] } else { crowds[0] };
            let at = first.wrapping_add(k);
            let centre = Centre::new(around.sorted.get(at), around.owners.get(at));
            let known =
                look(warp, &centre, &mut *near, nearest, others, touched, around).filter(|_| candidates.is_complete());
            let mut counts = CROWDED;
            if let Some((nearest, others, touched)) = known {
                touch(warp, touched, around, contacts);
                counts = AtomSurface { exposed: exposed(warp, nearest, others, near, points), crowd };
            }
            part.set(warp, k, counts);
            k = k.wrapping_add(1);
            if second || !two {
                break;
            }
            second = true;
        }
    }
}

/// Lists the planes of those that are near an atom, the nearest by themselves, and the residues that it touches; nothing
/// where there is no room for all.
#[inline(always)]
fn look<'a>(
    warp: &mut Warp,
    centre: &Centre,
    near: &mut WarpList<u32>,
    nearest: &'a mut WarpList<Plane>,
    others: &'a mut WarpList<Plane>,
    touched: &'a mut WarpList<u32>,
    around: &Around,
) -> Option<(WarpItems<'a, Plane>, WarpItems<'a, Plane>, WarpItems<'a, u32>)> {
    nearest.clear(warp);
    others.clear(warp);
    touched.clear(warp);
    let near = near.items(warp);
    let mut first = 0u32;
    while first < near.len() {
        // Lanes without a neighbour look at the last one, as in `of_two`.
        let last = near.len() - 1;
        let seen = warp.per_lane(|lane| {
            let k = first.wrapping_add(lane.index());
            centre.look(around.sorted.get(near.get_clamped(k)), k <= last)
        });
        let planes = warp.map(&seen, |_, seen| seen.plane.filter(|_| seen.d2 < NEAREST));
        nearest.push(warp, &planes);
        let planes = warp.map(&seen, |_, seen| seen.plane.filter(|_| seen.d2 >= NEAREST));
        others.push(warp, &planes);
        let residues = warp.map(&seen, |lane, seen| {
            if seen.d2 > CONTACT * CONTACT {
                return None;
            }
            let other = around.owners.get(near.get_clamped(first.wrapping_add(lane.index())));
            around.inputs.are_apart(centre.owner, other).then_some(other)
        });
        touched.push(warp, &residues);
        first = first.wrapping_add(32);
    }
    let is_complete = near.is_complete();
    let (nearest, others, touched) = (nearest.items(warp), others.items(warp), touched.items(warp));
    let all = is_complete && nearest.is_complete() && others.is_complete() && touched.is_complete();
    all.then_some((nearest, others, touched))
}

/// How many points are exposed of an atom whose neighbours' planes are known; `open` is to work with.
#[inline(always)]
fn exposed(
    warp: &mut Warp,
    nearest: WarpItems<Plane>,
    others: WarpItems<Plane>,
    open: &mut WarpList<u32>,
    points: Points,
) -> u32 {
    let (mut exposed, mut left) = (0u32, points.n);
    for group in points.groups {
        exposed = exposed.wrapping_add(exposed_of_group(warp, nearest, others, open, group, left));
        left = left.saturating_sub(POINTS_A_GROUP as u32);
    }
    exposed
}

/// The same for the atom at `at`, in whose crowd there is no room for lists: asks all that may be near.
///
/// A phase of its own: lanes that each go their way here would make the others' votes dearer.
#[inline(always)]
pub fn count_in_crowd(
    warp: &mut Warp,
    at: u32,
    around: &Around,
    points: Points,
    contacts: &Atomics<u32>,
) -> AtomSurface {
    let centre = Centre::new(around.sorted.get(at), around.owners.get(at));
    touch_any(warp, &centre, around, contacts);
    let crowd = neighbours::crowd(warp, around, centre.atom);
    AtomSurface { exposed: exposed_to_all(warp, &centre, around, points), crowd }
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
            let row = around.inputs.row(*residue);
            // (The last is always so; asked here, it ends no lane.)
            if is_one && !touched.range(0, turn).any(|before| before == *residue) && row < contacts.len() {
                contacts.add(lane.thread(), row, 1);
            }
        });
        turn = turn.wrapping_add(32);
    }
}

/// The same, where there is no room for those that it touches: asks all residues.
#[inline(always)]
fn touch_any(warp: &mut Warp, centre: &Centre, around: &Around, contacts: &Atomics<u32>) {
    let inputs = &around.inputs;
    warp.per_lane(|lane| {
        let mut residue = lane.index();
        while residue < inputs.structure().n_residues {
            if inputs.are_apart(centre.owner, residue) && around.is_touched(residue, centre.atom) {
                contacts.add(lane.thread(), inputs.row(residue), 1);
            }
            residue += 32;
        }
    });
}

/// How many points are exposed, where there is no room for all neighbours.
#[inline(always)]
fn exposed_to_all(warp: &mut Warp, centre: &Centre, around: &Around, points: Points) -> u32 {
    let open = warp.per_lane(|lane| {
        let (mut open, mut k) = (0u32, lane.index());
        while k < points.n {
            open += u32::from(!centre.is_covered(around, points.at(k)));
            k += 32;
        }
        open
    });
    warp.reduce(&open, u32::wrapping_add)
}

/// How many points of a group of `n` are exposed.
#[inline(always)]
fn exposed_of_group(
    warp: &mut Warp,
    nearest: WarpItems<Plane>,
    others: WarpItems<Plane>,
    open: &mut WarpList<u32>,
    group: &PointGroup,
    n: u32,
) -> u32 {
    let mut shares = warp.per_lane(|lane| Share::new(group, n, lane.index()));
    warp.each(&mut shares, |_, share| {
        for plane in nearest.range(0, nearest.len()) {
            for at in 0..EACH {
                share.covered[at] |= covers(plane, share.x[at], share.y[at], share.z[at]);
            }
        }
    });
    open.clear(warp);
    for at in 0..EACH {
        let left =
            warp.map(&shares, |lane, share| (!share.covered[at]).then(|| lane.index().wrapping_add(32 * at as u32)));
        open.push(warp, &left);
    }
    let open = open.items(warp);
    let (mut exposed, mut turn) = (0u32, 0u32);
    while turn < open.len() {
        let left = (open.len() - turn).min(32);
        // As many lanes a point as there are to spare; each asks a part of the others.
        let spread = (left - 1).leading_zeros().wrapping_sub(27) % 8;
        let covered = warp.per_lane(|lane| {
            let (k, part) = (lane.index() >> spread, lane.index() & ((1 << spread) - 1));
            k < left && {
                let k = open.get_clamped(turn.wrapping_add(k)) as usize % POINTS_A_GROUP;
                let (x, y, z) = (group.x[k], group.y[k], group.z[k]);
                let (step, mut at, mut covered) = (1u32 << spread, part, false);
                // Two at a time; the last one may be asked twice.
                while at < others.len() && !covered {
                    let (one, two) = (others.get(at), others.get_clamped(at.wrapping_add(step)));
                    covered = covers(one, x, y, z) | covers(two, x, y, z);
                    at = at.wrapping_add(step << 1);
                }
                covered
            }
        });
        let mut covered = warp.ballot(&covered, |_, covered| *covered);
        for by in 0..spread {
            covered |= covered.wrapping_shr(1 << by);
        }
        // The first lane of each point now knows.
        exposed = exposed.wrapping_add(left).wrapping_sub((covered & FIRSTS[spread as usize % 8]).count_ones());
        turn = turn.wrapping_add(32);
    }
    exposed
}
