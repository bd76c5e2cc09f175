//! Positions of points: the directions in which atoms are exposed.

use super::kinds::class;
use super::near::each_near;
#[cfg(not(target_arch = "nvptx64"))]
use super::near::{self, Group};
use super::{PointAtom, SiteAtom, THREADS, WARPS, distance2, shifted};
use crate::atoms::cells::{Bounds, Cells};
use crate::groups::{FoundPoints, OwnedAtoms, PointItems};
use crate::scratch::{ATOMS_PER_ITEM, AtomSurface, Frame};
use cuda_std::lists::*;
use cuda_std::prelude::*;
use shared_types::residue::{GLYCINE, parent_of};
use shared_types::site_model::{CAPACITY, CLASSES, DIRECTIONS, KINDS, LEAST_CROWD, PROBE, SPIRAL, WEIGHTS};
use shared_types::{Atom, NO_CA};

/// A warp's list of atoms that may cover an atom's points, and its room. On a device their half-spaces lie in shared memory, and
/// all lanes read one at a time.
#[cfg(target_arch = "nvptx64")]
type Near = Plane;
#[cfg(target_arch = "nvptx64")]
const NEAR: usize = 96;
/// On a core the list has the atoms, and the core computes many half-spaces at a time. Real structures have up to about 110.
#[cfg(not(target_arch = "nvptx64"))]
type Near = Pick;
#[cfg(not(target_arch = "nvptx64"))]
const NEAR: usize = 128;
/// Room in a warp's list of atoms that may cover points of several atoms. A device does not use this list.
const LISTED: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 768 };
/// The words of an atom that touches none, for the lanes without an atom of a list.
#[cfg(not(target_arch = "nvptx64"))]
const FAR: [f32; 4] = [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0];
/// All directions, as bits.
const ALL: u32 = (1 << DIRECTIONS.len()) - 1;
const _: () = assert!(DIRECTIONS.len() == 16 && THREADS == 256);

/// A half-space, as for surfaces: a direction is covered when its scalar product with the first three numbers exceeds the
/// last.
type Plane = [f32; 4];

/// What a block of [`fn@site_points`] works in.
#[derive(Arguments)]
pub struct PointScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Numbers of the atoms that may have points.
    numbers: &'a mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    /// These atoms.
    chosen: &'a mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    /// The directions of their points.
    masks: &'a mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    /// Atoms around, of each warp.
    near: &'a mut Shared<Near, { WARPS * NEAR }>,
    /// The same, on CPU cores.
    listed: &'a mut Shared<Pick, { WARPS * LISTED }>,
}

/// Finds the points of every heavy atom. Block `i` takes the atoms of item `i`, in the order of cells. An atom with fewer
/// than [`LEAST_CROWD`] atoms around it stands out too far and has none.
///
/// - `surface`: the result of [`fn@crate::atom_surfaces`] with `n_points` test points. If the model's directions are
///   among the test points, atoms without accessible area are skipped: they have no point.
#[kernel(threads = 256, blocks_per_sm(sm_80 = 4, sm_86 = none), avx512)]
pub fn site_points(
    block: &mut Block,
    found: FoundPoints<'_>,
    residues: PointItems<'_>,
    owned: OwnedAtoms<'_>,
    surface: &[AtomSurface],
    n_points: u32,
    scratch: PointScratch<'_>,
) {
    enum Here {}
    let FoundPoints { point_atoms, site_atoms, points, counts } = found;
    let PointItems { items, atoms, descriptors, residue_types, ca_indices } = residues;
    let OwnedAtoms { sorted, cells, owners, frames } = owned;
    let PointScratch { frame, numbers, chosen, masks, near, listed } = scratch;
    let item = items.at(block.index());
    let structure = descriptors.at(item.structure);
    let n = structure.n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let first = item.first;
    let count = point_atoms.len();

    // The atoms that may have points, compacted, and the directions of each.
    let may_have = |k: u32| {
        let found = surface.at(item.atoms + first + k);
        (found.crowd >= LEAST_CROWD) & (candidates(found, n_points) != 0)
    };
    let mut numbers = numbers.fill(block, count, |_| 0);
    let some = numbers.inclusive_scan(block, count, 0, |k| u32::from(may_have(k)), u32::wrapping_add);
    let mut chosen = chosen.fill(block, count, |_| 0);
    chosen.update_atomic(block, count, |thread, chosen, k| {
        if may_have(k) {
            chosen.store(thread, numbers.get(k) - 1, k);
        }
    });
    let mut masks = masks.fill(block, count, |_| 0);
    #[cfg(target_arch = "nvptx64")]
    let _ = listed;
    #[cfg(target_arch = "nvptx64")]
    masks.fill_by_warp_with(block, some, (near,), |warp, (near,), i| {
        exposed::<Here>(warp, near, &cells, sorted, first + chosen.get(i))
    });
    #[cfg(not(target_arch = "nvptx64"))]
    masks.fill_by_lanes_with(block, some, (listed, near), |warp, (listed, near), begin| {
        let ranks = warp.per_lane(|lane| first + chosen.get((begin + lane.index()).min(some - 1)));
        let candidates = warp.map(&ranks, |_, rank| candidates(surface.at(item.atoms + rank), n_points));
        let open = exposed::<Here>(warp, (listed, near), &cells, sorted, (&ranks, &candidates), (some - begin).min(32));
        warp.map(&open, |_, open| PointAtom::word_of(kept(*open), open.count_ones()))
    });
    #[cfg(target_arch = "nvptx64")]
    let word = |k: u32| {
        let found = if may_have(k) { masks.get(numbers.get(k) - 1) } else { 0 };
        PointAtom::word_of(kept(found), found.count_ones())
    };
    // A core puts each word where its atom is, once.
    #[cfg(not(target_arch = "nvptx64"))]
    let word = {
        numbers.update(block, count, |k, number| {
            *number = if may_have(k) { masks.get(*number - 1) } else { 0 };
        });
        |k: u32| numbers.get(k)
    };
    let found = |k: u32| PointAtom { first: 0, word: word(k) };
    let begin = points.start();
    let mut begins = chosen;
    let total = begins.exclusive_scan(block, count, 0, |k| found(k).count(), u32::wrapping_add);
    counts.set(block, 0, total);
    point_atoms.fill(block, count, |k| PointAtom { first: begin + begins.get(k), word: word(k) });
    site_atoms.fill(block, count, |k| {
        let owner = structure.ca_offset + owners.at(item.atoms + first + k);
        // Protonation states count as their parent. An unknown residue counts as glycine, which has only a backbone.
        let kind = u32::from(parent_of(residue_types.at(owner)).unwrap_or(GLYCINE));
        let alpha = ca_indices.at(owner);
        let atom = sorted.get(first + k);
        let from_alpha = if alpha == NO_CA {
            f32::INFINITY
        } else {
            let alpha = atoms.at(structure.atom_offset + alpha);
            distance2([atom.x, atom.y, atom.z], [alpha.x, alpha.y, alpha.z])
        };
        let [x, y, z] = shifted([atom.x, atom.y, atom.z]);
        SiteAtom {
            x,
            y,
            z,
            weights: WEIGHTS[kind as usize % KINDS][class(kind, atom.radius, from_alpha) as usize % CLASSES],
        }
    });
    points.update_atomic(block, count, |thread, points, k| {
        let (mut left, mut at) = (found(k).directions(), begins.get(k));
        while left != 0 {
            points.store(thread, at, k << 4 | left.trailing_zeros());
            left &= left - 1;
            at += 1;
        }
    });
}

/// The directions in which an atom may be exposed, as bits; on a device any bits if there is one.
///
/// The model's probe is larger than that of the surface. Where it touches the atom it contains the smaller one, and so it overlaps another
/// atom if the smaller one does.
#[inline(always)]
fn candidates(found: AtomSurface, n_points: u32) -> u32 {
    if n_points != SPIRAL {
        ALL
    } else if cfg!(target_arch = "nvptx64") {
        found.exposed
    } else {
        found.exposed >> 16
    }
}

/// The exposed directions that become points: all, or, if there are more than [`CAPACITY`], as many in even steps.
#[inline(always)]
fn kept(exposed: u32) -> u32 {
    let count = exposed.count_ones();
    if count <= CAPACITY {
        return exposed;
    }
    let (mut left, mut rank, mut next, mut kept) = (exposed, 0, 0, 0);
    while left != 0 {
        if rank == next * count / CAPACITY {
            kept |= left & left.wrapping_neg();
            next += 1;
        }
        left &= left - 1;
        rank += 1;
    }
    kept
}

/// An atom among those around it.
struct Centre {
    atom: Atom,
    reach: f32,
    half: f32,
}

impl Centre {
    #[inline(always)]
    fn new(atom: Atom) -> Self {
        let reach = atom.radius + PROBE;
        Self { atom, reach, half: 0.5 / reach }
    }

    /// Atoms at this distance and beyond cover no point.
    #[inline(always)]
    fn farthest(&self, cells: &Cells) -> f32 {
        self.reach + (cells.frame().largest + PROBE)
    }

    /// The half-space that another atom covers.
    #[inline(always)]
    fn plane(&self, [x, y, z, radius]: [f32; 4], exists: bool) -> Plane {
        let [x, y, z] = [x - self.atom.x, y - self.atom.y, z - self.atom.z];
        let (d2, own) = (math::fma(x, x, math::fma(y, y, z * z)), radius + PROBE);
        let both = self.reach + own;
        // An atom at the same position covers all or nothing; the atom itself is one.
        let touches = exists & (d2 < both * both) & ((d2 > 0.0) | (own > self.reach));
        let least = math::fma(self.reach - own, both, d2) * self.half;
        [x, y, z, if touches { least } else { f32::INFINITY }]
    }
}

/// The coordinates of the lanes' directions.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn directions(warp: &mut Warp) -> [PerLane<f32>; 3] {
    [
        warp.per_lane(|lane| of_direction(lane, 0)),
        warp.per_lane(|lane| of_direction(lane, 1)),
        warp.per_lane(|lane| of_direction(lane, 2)),
    ]
}

/// A coordinate of a lane's direction.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn of_direction(lane: Lane, axis: usize) -> f32 {
    DIRECTIONS[lane.index() as usize % DIRECTIONS.len()][axis]
}

/// The directions in which the atom at index `rank` is exposed, as bits. Two lanes share a direction; each tests every other
/// neighbour.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn exposed<V>(warp: &mut Warp, near: &mut WarpList<Near>, cells: &Cells, sorted: View<Atom>, rank: u32) -> u32 {
    let centre = Centre::new(sorted.get(rank));
    let [x, y, z] = directions(warp);
    let mut covered = warp.per_lane(|_| false);
    let mut listed = 0u32;
    each_near::<V>(warp, cells, &Bounds::of(centre.atom), centre.farthest(cells), |warp, ranks, n| {
        let others = warp.map(ranks, |_, rank| sorted.get(*rank));
        let planes =
            warp.map(&others, |lane, other| centre.plane([other.x, other.y, other.z, other.radius], lane.index() < n));
        if listed > near.capacity() - 32 {
            cover::<[V; 0]>(warp, near, (&x, &y, &z), &mut covered);
            listed = 0;
        }
        listed += warp.count(&planes, |_, [.., least]| *least < f32::INFINITY);
        near.push_where(warp, &planes, &planes, |_, [.., least]| *least < f32::INFINITY);
    });
    cover::<[V; 1]>(warp, near, (&x, &y, &z), &mut covered);
    let open = warp.ballot(&covered, |_, covered| !*covered);
    open & open >> 16 & ALL
}

/// Marks the directions that the half-spaces of a list cover, and empties the list.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn cover<V>(
    warp: &mut Warp,
    near: &mut WarpList<Plane>,
    direction: (&PerLane<f32>, &PerLane<f32>, &PerLane<f32>),
    covered: &mut PerLane<bool>,
) {
    let planes = near.items(warp);
    let mut at = 0u32;
    while at < planes.len() {
        warp.each_with(covered, direction, |lane, covered, (x, y, z)| {
            // If there is none for the upper lanes, they test the last one again.
            let [px, py, pz, least] = planes.get_clamped(at.wrapping_add(lane.index() >> 4));
            *covered |= math::fma(*x, px, math::fma(*y, py, *z * pz)) > least;
        });
        at = at.wrapping_add(2);
        // Every 16, check whether any direction is left.
        if at & 15 == 0 && warp.all(&*covered, |_, covered| *covered) {
            break;
        }
    }
    near.clear(warp);
}

/// Those of their `candidates` in which the atoms at the first `n` of `ranks` are exposed, as bits. Atoms that lie close together
/// share a list of the atoms around, and each selects its own neighbours from it.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn exposed<V>(
    warp: &mut Warp,
    (listed, near): (&mut WarpList<Pick>, &mut WarpList<Near>),
    cells: &Cells,
    sorted: View<Atom>,
    (ranks, candidates): (&PerLane<u32>, &PerLane<u32>),
    n: u32,
) -> PerLane<u32> {
    let sorted = sorted.clamped();
    // No atom covers a point of another one from farther away.
    let farthest = 2.0 * (cells.frame().largest + PROBE);
    let own = warp.map(ranks, |_, rank| sorted.get(*rank));
    let x = warp.map(&own, |_, atom| atom.x);
    let y = warp.map(&own, |_, atom| atom.y);
    let z = warp.map(&own, |_, atom| atom.z);
    let mut found = warp.per_lane(|_| 0u32);
    Group::each::<V>(warp, [&x, &y, &z], n, |warp, Group { mut lanes, bounds: of }| {
        listed.clear(warp);
        near::list::<V, _, _>(warp, listed, near, (cells, &sorted), &of, farthest, |[x, y, z, _]| [x, y, z]);
        listed.pad(warp, FAR);
        let around = listed.items(warp);
        while lanes != 0 {
            let k = lanes.trailing_zeros();
            lanes &= lanes.wrapping_sub(1);
            let centre = Centre::new(warp.broadcast(&own, k));
            let candidates = warp.broadcast(candidates, k);
            let open = open::<V>(warp, &centre, (around, near), cells, sorted, candidates);
            warp.each(&mut found, |lane, found| *found = if lane.index() == k { open } else { *found });
        }
    });
    found
}

/// Those of some directions in which an atom is exposed, as bits.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn open<V>(
    warp: &mut Warp,
    centre: &Centre,
    (around, near): (WarpItems<Pick>, &mut WarpList<Near>),
    cells: &Cells,
    sorted: Clamped<Atom>,
    mut open: u32,
) -> u32 {
    near.clear(warp);
    let mut from = 0u32;
    while from < around.len() {
        let picks = around.picks(warp, &sorted, from);
        let [x, y, z, radius] = picks.words();
        let touches = warp.map(((x, y), (z, radius)), |_, ((x, y), (z, radius))| {
            let both = centre.reach + (radius + PROBE);
            distance2([centre.atom.x, centre.atom.y, centre.atom.z], [*x, *y, *z]) < both * both
        });
        near.push_picks_where(warp, &picks, &touches, |_, touches| *touches);
        from = from.wrapping_add(32);
    }
    near.pad(warp, FAR);
    let touching = near.items(warp);
    if around.is_complete() && touching.is_complete() {
        let mut from = 0u32;
        while from < touching.len() && open != 0 {
            let picks = touching.picks(warp, &sorted, from);
            open = uncovered::<[V; 0]>(warp, centre, picks.words(), u32::MAX, open);
            from = from.wrapping_add(32);
        }
    } else {
        let (of, farthest) = (Bounds::of(centre.atom), centre.farthest(cells));
        each_near::<[V; 1]>(warp, cells, &of, farthest, |warp, ranks, n| {
            let others = warp.map(ranks, |_, rank| sorted.get(*rank));
            let x = warp.map(&others, |_, other| other.x);
            let y = warp.map(&others, |_, other| other.y);
            let z = warp.map(&others, |_, other| other.z);
            let radius = warp.map(&others, |_, other| other.radius);
            open = uncovered::<[V; 2]>(warp, centre, [&x, &y, &z, &radius], n, open);
        });
    }
    open
}

/// Those of the directions `open` that none of the first `n` lanes' atoms covers.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn uncovered<V>(warp: &mut Warp, centre: &Centre, [x, y, z, radius]: [&PerLane<f32>; 4], n: u32, open: u32) -> u32 {
    let px = warp.map(x, |_, x| *x - centre.atom.x);
    let py = warp.map(y, |_, y| *y - centre.atom.y);
    let pz = warp.map(z, |_, z| *z - centre.atom.z);
    let least = warp.map(((x, y), (z, radius)), |lane, ((x, y), (z, radius))| {
        let [.., least] = centre.plane([*x, *y, *z, *radius], lane.index() < n);
        least
    });
    let [covered] = warp.any_of_bits([open], ((&px, &py, &pz), &least), |_, ((px, py, pz), least), k| {
        let [x, y, z] = DIRECTIONS[k as usize % DIRECTIONS.len()];
        math::fma(x, *px, math::fma(y, *py, z * *pz)) > *least
    });
    open & !covered
}
