//! Accessible surface by test points (Shrake and Rupley 1973), how crowded an atom is (Pintar et al. 2002), and which
//! residues it touches.
//!
//! A point u of the unit sphere is covered by another atom at the difference D, where R and R' are the radii with the
//! probe's, when |R u - D|^2 < R'^2, or u D > (D^2 + R^2 - R'^2) / (2 R). A warp has the
//! atoms of a cell, whose neighbours it knows ([`super::neighbours`]), one after another. Most points are covered by one
//! of the nearest, so those are tried first, on all points, and the others on what is left. All is counted, so that the
//! order in which neighbours come is no matter.

use super::cells::{Bounds, ROWS};
use super::distance2;
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

impl Centre {
    #[inline(always)]
    fn new(atom: Atom, owner: u32) -> Self {
        let reach = atom.radius + PROBE;
        Self { atom, owner, reach, half: 0.5 / reach }
    }

    /// The square of the distance to another atom.
    #[inline(always)]
    fn distance2(&self, other: Atom) -> f32 {
        distance2(self.atom, other)
    }

    /// Whether another atom covers some of the sphere.
    #[inline(always)]
    fn touches(&self, other: Atom) -> bool {
        let (d2, reach) = (self.distance2(other), other.radius + PROBE);
        let both = self.reach + reach;
        // An atom in the same place, as this one itself is, covers all or nothing.
        (d2 < both * both) & ((d2 > 0.0) | (reach > self.reach))
    }

    /// What another atom covers that touches.
    #[inline(always)]
    fn plane(&self, other: Atom) -> Plane {
        let (d2, reach) = (self.distance2(other), other.radius + PROBE);
        let least = math::fma(self.reach - reach, self.reach + reach, d2) * self.half;
        [other.x - self.atom.x, other.y - self.atom.y, other.z - self.atom.z, least]
    }

    /// Whether an atom covers a point, asked of all that may: for atoms with more neighbours than there is room for.
    // A call costs registers on the device, and on a CPU inlining costs more than calling what is hardly ever called.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn is_covered(&self, around: &Around, [x, y, z]: [f32; 3]) -> bool {
        for k in 0..ROWS {
            let run = around.near(&Bounds::of(self.atom), k);
            for other in run.first..run.end {
                let other = around.sorted.get(other);
                if self.touches(other) && covers(self.plane(other), x, y, z) {
                    return true;
                }
            }
        }
        false
    }
}

/// A point for each lane.
struct Share {
    x: PerLane<f32>,
    y: PerLane<f32>,
    z: PerLane<f32>,
    covered: PerLane<bool>,
}

impl Share {
    /// The points from `first` on of a group of `n`; those that are not there count as covered.
    #[inline(always)]
    fn new(warp: &mut Warp, group: &PointGroup, n: u32, first: usize) -> Self {
        let at = |lane: Lane| lane.index() as usize % 32 + first;
        Self {
            x: warp.per_lane(|lane| group.x[at(lane)]),
            y: warp.per_lane(|lane| group.y[at(lane)]),
            z: warp.per_lane(|lane| group.z[at(lane)]),
            covered: warp.per_lane(|lane| at(lane) as u32 >= n),
        }
    }

    #[inline(always)]
    fn cover(&mut self, warp: &mut Warp, plane: Plane) {
        let point = (&self.x, &self.y, &self.z);
        warp.each_with(&mut self.covered, point, |_, covered, (x, y, z)| *covered |= covers(plane, *x, *y, *z));
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
        let mut left = n.wrapping_sub(k).min(2);
        let mut is_swapped = false;
        let mut crowds = neighbours::of_two(
            warp,
            candidates,
            [&mut *near_a, &mut *near_b],
            around,
            first.wrapping_add(k),
            left == 2,
        );
        loop {
            let near = &mut *near_a;
            let crowd = crowds & 0xffff;
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
            left = left.wrapping_sub(1);
            if left == 0 {
                break;
            }
            is_swapped = true;
            // Its own come first now: which list it is need not be known at run time, so that both are in registers.
            core::mem::swap(near_a, near_b);
            crowds >>= 16;
        }
        if is_swapped {
            core::mem::swap(near_a, near_b);
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
        let is_one = |lane: Lane| first.wrapping_add(lane.index()) <= last;
        let places = near.by_lane(warp, first);
        let atoms = warp.map(&places, |_, place| around.sorted.get(*place));
        let planes = warp.map(&atoms, |_, atom| centre.plane(*atom));
        let d2 = warp.map(&atoms, |lane, atom| if is_one(lane) { centre.distance2(*atom) } else { f32::INFINITY });
        let touches = warp.map(&atoms, |lane, atom| is_one(lane) & centre.touches(*atom));
        nearest.push_where(warp, &planes, (&touches, &d2), |_, (touches, d2)| *touches & (*d2 < NEAREST));
        others.push_where(warp, &planes, (&touches, &d2), |_, (touches, d2)| *touches & (*d2 >= NEAREST));
        touched.push_some(
            warp,
            (&places, &d2),
            |_, (_, d2)| *d2 <= CONTACT * CONTACT,
            |_, (place, _)| {
                let other = around.owners.get(*place);
                around.inputs.are_apart(centre.owner, other).then_some(other)
            },
        );
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
    // Written out, so that all of it is in registers.
    let mut shares: [Share; EACH] = [
        Share::new(warp, group, n, 0),
        Share::new(warp, group, n, 32),
        Share::new(warp, group, n, 64),
        Share::new(warp, group, n, 96),
    ];
    for plane in nearest.range(0, nearest.len()) {
        for share in &mut shares {
            share.cover(warp, plane);
        }
    }
    open.clear(warp);
    for (at, share) in shares.iter().enumerate() {
        let numbers = warp.per_lane(|lane| lane.index().wrapping_add(32 * at as u32));
        open.push_where(warp, &numbers, &share.covered, |_, covered| !*covered);
    }
    let open = open.items(warp);
    let (mut exposed, mut turn) = (0u32, 0u32);
    while turn < open.len() {
        let left = (open.len() - turn).min(32);
        let questions = Questions::new(left);
        let numbers = warp.per_lane(|lane| open.get_clamped(turn.wrapping_add(questions.of(lane))));
        let x = warp.map(&numbers, |_, k| group.x[*k as usize % POINTS_A_GROUP]);
        let y = warp.map(&numbers, |_, k| group.y[*k as usize % POINTS_A_GROUP]);
        let z = warp.map(&numbers, |_, k| group.z[*k as usize % POINTS_A_GROUP]);
        let covered = others.count_any(warp, &questions, (&x, &y, &z), |(x, y, z), plane| covers(plane, *x, *y, *z));
        exposed = exposed.wrapping_add(left).wrapping_sub(covered);
        turn = turn.wrapping_add(32);
    }
    exposed
}
