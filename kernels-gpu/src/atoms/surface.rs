//! Accessible surface by test points (Shrake and Rupley 1973), and how crowded an atom is (Pintar et al. 2002).
//!
//! Another atom at the difference D covers a point u of the unit sphere when |R u - D|^2 < R'^2, where R and R' are the
//! radii plus the probe's. That is u D > (D^2 + R^2 - R'^2) / (2 R). A warp takes the atoms of a pair of cells one after
//! another; [`super::neighbours`] lists their neighbours. Masks ([`crate::masks`]) decide almost all points, and the test
//! decides the others. Results are counts, so the order of neighbours does not matter.

use super::cells::{Bounds, REACH, ROWS};
use super::neighbours::{self, Around};
use super::{PROBE, square};
use crate::masks::Map;
use crate::scratch::AtomSurface;
use cuda_std::lists::*;
use cuda_std::prelude::*;
#[cfg(not(target_arch = "nvptx64"))]
use shared_types::site_model::{DIRECTIONS, SPIRAL};
use shared_types::{Atom, MAX_POINTS, POINTS_PER_GROUP, PointGroup, TestPoint};

/// Words of a mask for certain points; as many follow for possible points.
const WORDS: usize = POINTS_PER_GROUP / 32;
/// [`DIRECTIONS`] are the last of each so many points of [`SPIRAL`].
#[cfg(not(target_arch = "nvptx64"))]
const EVERY: usize = SPIRAL as usize / DIRECTIONS.len();
// A core has room for their number in half a word.
const _: () = assert!(MAX_POINTS < 1 << 16);

/// A half-space, as a [`Turn`] has it for a lane: a point is covered when the scalar product of its `x`, `y`, `z` with those
/// here exceeds the last number.
type Plane<'a> = ((&'a f32, &'a f32, &'a f32), &'a f32);

/// Marks an atom whose counts [`count_in_crowd`] still has to find.
pub const CROWDED: AtomSurface = AtomSurface { exposed: u32::MAX, crowd: 0 };

/// The lists of a warp: the atoms that may touch one of its pair of cells, the other ones within reach, and for two of its atoms
/// those that may touch each.
pub type Lists<'a> = (WarpList<'a, Pick>, WarpList<'a, Pick>, WarpList<'a, Pick>, WarpList<'a, Pick>);

#[inline(always)]
fn covers(((x, y, z), least): Plane, point: TestPoint) -> bool {
    math::fma(point.x, *x, math::fma(point.y, *y, point.z * z)) > *least
}

/// The test points.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    pub groups: &'a [PointGroup],
    /// The first group. Most sets have no other one.
    first: &'a PointGroup,
    /// Number of points.
    pub n: u32,
    map: Map,
}

impl<'a> Points<'a> {
    #[inline(always)]
    pub fn new(groups: &'a [PointGroup], n: u32) -> Self {
        Self { groups, first: groups.at_ref(0), n, map: Map::of(groups) }
    }

    #[inline(always)]
    fn at(&self, k: u32) -> TestPoint {
        let (group, k) = (k as usize / POINTS_PER_GROUP, k as usize % POINTS_PER_GROUP);
        self.groups.get(group).map_or(TestPoint::default(), |group| group.points[k])
    }
}

/// An atom among its neighbours.
#[derive(Clone, Copy)]
struct Centre {
    atom: Atom,
    /// Its radius plus the probe's.
    reach: f32,
    /// 1 / (2 reach)
    half: f32,
}

impl Centre {
    #[inline(always)]
    fn new(atom: Atom) -> Self {
        let reach = atom.radius + PROBE;
        Self { atom, reach, half: 0.5 / reach }
    }

    /// The threshold of the half-space that another atom of a radius covers, at a difference. Infinite if it covers
    /// nothing.
    #[inline(always)]
    fn least(&self, difference: [f32; 3], radius: f32) -> f32 {
        let (d2, reach) = (square(difference), radius + PROBE);
        let both = self.reach + reach;
        // An atom at the same position covers all or nothing; the atom itself is one.
        let touches = (d2 < both * both) & ((d2 > 0.0) | (reach > self.reach));
        let least = math::fma(self.reach - reach, self.reach + reach, d2) * self.half;
        if touches { least } else { f32::INFINITY }
    }

    /// Whether any atom covers a point, without lists: for atoms with more neighbours than the lists have room for.
    // On the device a call would cost registers. On a CPU this is rarely called, and inlining would cost more.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn is_covered(&self, around: &Around, point: TestPoint) -> bool {
        for k in 0..ROWS {
            let run = around.near(&Bounds::of(self.atom), k, REACH);
            for other in run.first..run.end {
                let other = around.sorted.get(other);
                let [x, y, z] = [other.x - self.atom.x, other.y - self.atom.y, other.z - self.atom.z];
                if covers(((&x, &y, &z), &self.least([x, y, z], other.radius)), point) {
                    return true;
                }
            }
        }
        false
    }
}

/// One neighbour per lane, as its half-space.
struct Turn {
    x: PerLane<f32>,
    y: PerLane<f32>,
    z: PerLane<f32>,
    least: PerLane<f32>,
}

impl Turn {
    /// The neighbours that `picks` has. Lanes without one have the half-space of the last neighbour on a device. On a core they have
    /// that of an atom which is far from all, which covers nothing.
    #[inline(always)]
    fn new<V>(warp: &mut Warp, centre: &Centre, picks: &Picks) -> Self {
        let [x, y, z, radius] = picks.words();
        let x = warp.map(x, |_, x| *x - centre.atom.x);
        let y = warp.map(y, |_, y| *y - centre.atom.y);
        let z = warp.map(z, |_, z| *z - centre.atom.z);
        let least = warp.map(((&x, &y, &z), radius), |_, ((x, y, z), radius)| centre.least([*x, *y, *z], *radius));
        Self { x, y, z, least }
    }

    /// The entries of their masks.
    #[inline(always)]
    fn entries<V>(&self, warp: &mut Warp, map: Map) -> PerLane<u32> {
        warp.map(((&self.x, &self.y, &self.z), &self.least), |_, ((x, y, z), least)| map.entry([*x, *y, *z], *least))
    }

    /// Their half-spaces.
    #[inline(always)]
    fn lanes(&self) -> Planes<'_> {
        ((&self.x, &self.y, &self.z), &self.least)
    }
}

/// The half-spaces of a turn.
type Planes<'a> = ((&'a PerLane<f32>, &'a PerLane<f32>, &'a PerLane<f32>), &'a PerLane<f32>);

/// The first turn, or the first two.
struct Turns {
    one: Turn,
    two: Option<Turn>,
}

impl Turns {
    /// The atom at `at`, and the neighbours of its first `TURNS` turns; there is one in each.
    #[inline(always)]
    fn new<V, const TURNS: u32>(warp: &mut Warp, at: u32, near: WarpItems<Pick>, around: &Around) -> (Centre, Self) {
        let one = near.picks(warp, &around.sorted, 0);
        let two = (TURNS > 1).then(|| near.picks_ahead(warp, &around.sorted, 32));
        // Its position is read last and used first. So a warp waits for all of this at once.
        let centre = Centre::new(around.sorted.get(at));
        let one = Turn::new::<[V; 1]>(warp, &centre, &one);
        let two = two.map(|two| Turn::new::<[V; 2]>(warp, &centre, &two));
        (centre, Self { one, two })
    }

    /// The union of their masks.
    #[inline(always)]
    fn masks<V>(&self, warp: &mut Warp, group: &PointGroup, map: Map) -> [u32; 2 * WORDS] {
        let one = self.one.entries::<[V; 1]>(warp, map);
        if let Some(two) = &self.two {
            let two = two.entries::<[V; 2]>(warp, map);
            warp.or_rows(&group.masks, [&one, &two])
        } else {
            warp.or_rows(&group.masks, [&one])
        }
    }

    /// The number of those points `open` of a group that none of the neighbours covers.
    #[inline(always)]
    #[cfg(target_arch = "nvptx64")]
    fn uncovered<V>(&self, warp: &mut Warp, group: &PointGroup, open: [u32; WORDS]) -> u32 {
        if let Some(two) = &self.two {
            warp.count_none_of_bits(open, (self.one.lanes(), two.lanes()), |_, (one, two), k| {
                let point = point(group, k);
                covers(one, point) | covers(two, point)
            })
        } else {
            warp.count_none_of_bits(open, self.one.lanes(), |_, plane, k| covers(plane, point(group, k)))
        }
    }

    /// Those points themselves. A core has one turn.
    #[inline(always)]
    #[cfg(not(target_arch = "nvptx64"))]
    fn uncovered<V>(&self, warp: &mut Warp, group: &PointGroup, open: [u32; WORDS]) -> [u32; WORDS] {
        without(open, warp.any_of_bits(open, self.one.lanes(), |_, plane, k| covers(plane, point(group, k))))
    }
}

/// Counts the exposed points and near atoms of a part's atoms, which lie in a pair of cells. The part's ranks count from
/// `first`. Atoms with more neighbours than the lists have room for are left [`CROWDED`].
#[inline(always)]
pub fn count<V>(
    warp: &mut Warp,
    lists: &mut Lists,
    part: &mut WarpPart<Segment<AtomSurface>>,
    first: u32,
    around: &Around,
    points: Points,
) {
    let (candidates, far, near_a, near_b) = lists;
    let (first, n) = (first.wrapping_add(part.start()), part.len());
    let cell = neighbours::list::<V>(warp, candidates, far, near_a, around, first, n);
    let is_complete = cell.candidates.is_complete() & cell.far.is_complete();
    let mut k = 0u32;
    while k < n {
        let mut left = n.wrapping_sub(k).min(2);
        let mut is_swapped = false;
        let mut crowds = neighbours::of_two::<V>(warp, &cell, [&mut *near_a, &mut *near_b], around, k, left == 2);
        loop {
            let near = near_a.items(warp);
            let counts = if is_complete && near.is_complete() {
                let at = first.wrapping_add(k);
                AtomSurface { exposed: exposed::<V>(warp, at, near, around, points), crowd: crowds & 0xffff }
            } else {
                CROWDED
            };
            part.set(warp, k, counts);
            k = k.wrapping_add(1);
            left = left.wrapping_sub(1);
            if left == 0 {
                break;
            }
            is_swapped = true;
            // The atom's own list comes first now. Which one it is is known at compile time, so both lists are in
            // registers.
            core::mem::swap(near_a, near_b);
            crowds >>= 16;
        }
        if is_swapped {
            core::mem::swap(near_a, near_b);
        }
    }
}

/// The exposed points of the atom at `at`, whose neighbours are listed, as [`AtomSurface`] has them.
#[inline(always)]
fn exposed<V>(warp: &mut Warp, at: u32, near: WarpItems<Pick>, around: &Around, points: Points) -> u32 {
    let (mut exposed, mut left) = (0u32, points.n);
    let (mut group, mut next) = (points.first, 1);
    loop {
        let n = left.min(POINTS_PER_GROUP as u32);
        let of_group = tested_group::<V>(warp, at, near, around, (group, points.map), n);
        #[cfg(target_arch = "nvptx64")]
        let of_group = n.wrapping_sub(of_group);
        #[cfg(not(target_arch = "nvptx64"))]
        let of_group = ones(of_group) | if points.n == SPIRAL { directions(of_group) << 16 } else { 0 };
        exposed = exposed.wrapping_add(of_group);
        if left <= POINTS_PER_GROUP as u32 {
            break;
        }
        left = left.wrapping_sub(n);
        group = points.groups.at_ref(next);
        next = next.wrapping_add(1);
    }
    exposed
}

/// What is known of a group's points: on a device the number of covered ones, which keeps the number of all out of its registers; on a
/// core those that are not covered.
#[cfg(target_arch = "nvptx64")]
type Tested = u32;
#[cfg(not(target_arch = "nvptx64"))]
type Tested = [u32; WORDS];

/// The first `n` points of a group, none of which is covered.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn all(_n: u32) -> Tested {
    0
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn all(n: u32) -> Tested {
    [0, 32, 64, 96].map(|before| u32::MAX.checked_shr(32u32.saturating_sub(n.saturating_sub(before))).unwrap_or(0))
}

/// The directions of [`DIRECTIONS`] among the points of a group of [`SPIRAL`], as bits.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn directions(points: [u32; WORDS]) -> u32 {
    let mut all = 0;
    for k in 0..DIRECTIONS.len() {
        let point = EVERY * k + EVERY - 1;
        all |= (points[point / 32] >> (point % 32) & 1) << k;
    }
    all
}

/// The `n` points of a group, tested with the neighbours of the atom at `at`.
///
/// First the masks of the neighbours are joined. Then the points that no mask decides are tested. The half-spaces of the
/// first neighbours, which are mostly all, are still in registers then.
#[inline(always)]
fn tested_group<V>(
    warp: &mut Warp,
    at: u32,
    near: WarpItems<Pick>,
    around: &Around,
    table: (&PointGroup, Map),
    n: u32,
) -> Tested {
    // On a device, two turns wait for their loads together. A core takes one turn after another.
    if near.is_empty() {
        all(n)
    } else if cfg!(target_arch = "nvptx64") && near.len() > 32 {
        tested_with::<[V; 2], 2>(warp, at, near, around, table, n)
    } else {
        tested_with::<[V; 1], 1>(warp, at, near, around, table, n)
    }
}

/// As [`tested_group`], with half-spaces of the first `TURNS` turns in registers.
#[inline(always)]
fn tested_with<V, const TURNS: u32>(
    warp: &mut Warp,
    at: u32,
    near: WarpItems<Pick>,
    around: &Around,
    table: (&PointGroup, Map),
    #[cfg_attr(target_arch = "nvptx64", allow(unused_variables, reason = "a device only counts"))] n: u32,
) -> Tested {
    let (group, map) = table;
    let (centre, turns) = Turns::new::<[V; 2], TURNS>(warp, at, near, around);
    let mut masks = turns.masks::<[V; 2]>(warp, group, map);
    let mut further = 32 * TURNS;
    // The first neighbours cover a quarter of all atoms. On a device, they are mostly all that there are.
    #[cfg(not(target_arch = "nvptx64"))]
    if ones([masks[0], masks[1], masks[2], masks[3]]) == n {
        return [0; WORDS];
    }
    while further < near.len() {
        let picks = near.picks(warp, &around.sorted, further);
        let turn = Turn::new::<[V; 1]>(warp, &centre, &picks);
        let entries = turn.entries::<[V; 1]>(warp, map);
        let others = warp.or_rows(&group.masks, [&entries]);
        masks = core::array::from_fn(|k| masks[k] | others[k]);
        further = further.wrapping_add(32);
    }
    let [a, b, c, d, e, f, g, h] = masks;
    // A device does not keep the points.
    #[cfg(target_arch = "nvptx64")]
    let possible = ones([e, f, g, h]);
    let mut open = without([e, f, g, h], [a, b, c, d]);
    let mut further = 32 * TURNS;
    while further < near.len() && (open[0] | open[1] | open[2] | open[3]) != 0 {
        let picks = near.picks(warp, &around.sorted, further);
        let turn = Turn::new::<[V; 3]>(warp, &centre, &picks);
        open = without(open, warp.any_of_bits(open, turn.lanes(), |_, plane, k| covers(plane, point(group, k))));
        further = further.wrapping_add(32);
    }
    // The first neighbours come last, because then only a number is needed.
    let uncovered = turns.uncovered::<[V; 2]>(warp, group, open);
    // Certain points are possible, too.
    #[cfg(target_arch = "nvptx64")]
    return possible.wrapping_sub(uncovered);
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let impossible = without(all(n), [e, f, g, h]);
        core::array::from_fn(|word| impossible[word] | uncovered[word])
    }
}

/// The number of points in the words of a group.
#[inline(always)]
fn ones([a, b, c, d]: [u32; WORDS]) -> u32 {
    a.count_ones().wrapping_add(b.count_ones()).wrapping_add(c.count_ones()).wrapping_add(d.count_ones())
}

/// The points of a group without some of them.
#[inline(always)]
fn without([a, b, c, d]: [u32; WORDS], [e, f, g, h]: [u32; WORDS]) -> [u32; WORDS] {
    [a & !e, b & !f, c & !g, d & !h]
}

/// Point `k` of a group.
#[inline(always)]
fn point(group: &PointGroup, k: u32) -> TestPoint {
    group.points[k as usize % POINTS_PER_GROUP]
}

/// The counts of the atom at `at`, which has more neighbours than the lists have room for.
///
/// It is a phase of its own: lanes diverge here, which would make the votes of other atoms dearer.
#[inline(always)]
pub fn count_in_crowd<V>(warp: &mut Warp, at: u32, around: &Around, points: Points) -> AtomSurface {
    let atom = around.sorted.get(at);
    let crowd = neighbours::crowd::<V>(warp, around, atom);
    let exposed = exposed_to_all::<V>(warp, &Centre::new(atom), around, points);
    // A core does not know in which directions these are.
    #[cfg(not(target_arch = "nvptx64"))]
    let exposed = exposed | if exposed > 0 { u32::MAX << 16 } else { 0 };
    AtomSurface { exposed, crowd }
}

/// The number of exposed points, without lists.
#[inline(always)]
fn exposed_to_all<V>(warp: &mut Warp, centre: &Centre, around: &Around, points: Points) -> u32 {
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
