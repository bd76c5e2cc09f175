//! Positions of points: the directions in which atoms are exposed.

use super::kinds::class;
use super::near::each_near;
use super::{PointAtom, SiteAtom, THREADS, WARPS, distance2, place};
use crate::atoms::cells::{Bounds, Cells};
use crate::scratch::{ATOMS_PER_ITEM, AtomSurface, CellWords, Frame, WorkItem};
use cuda_std::prelude::*;
use shared_types::residue::{GLYCINE, parent_of};
use shared_types::site_model::{CAPACITY, CLASSES, DIRECTIONS, KINDS, LEAST_CROWD, PROBE, SPIRAL, WEIGHTS};
use shared_types::{Atom, BatchStructureDesc, NO_CA};

/// Room in a warp's list of atoms that may cover an atom's points.
const NEAR: usize = 96;
/// All directions, as bits.
const ALL: u32 = (1 << DIRECTIONS.len()) - 1;
const _: () = assert!(DIRECTIONS.len() == 16 && THREADS == 256);

/// A half-space, as for surfaces: a direction is covered when its scalar product with the first three numbers exceeds the
/// last.
type Plane = [f32; 4];

/// Finds the points of every heavy atom. Block `i` takes the atoms of item `i`, in the order of cells. An atom with fewer
/// than [`LEAST_CROWD`] atoms around it stands out too far and has none.
///
/// - `point_atoms`, `site_atoms`: one element per heavy atom.
/// - `points`: [`CAPACITY`] elements per heavy atom. The item's points come first in its part, each with its atom in the
///   item and, in the lowest four bits, its direction.
/// - `counts`: one element per item, the number of its points.
/// - `items`, `atoms`, `descriptors`, `residue_types`, `ca_indices`: as in the fused kernel.
/// - `sorted`, `cells`, `owners`, `frames`: results of [`fn@crate::atom_cells`].
/// - `surface`: the result of [`fn@crate::atom_surfaces`] with `n_points` test points. If the model's directions are
///   among the test points, atoms without accessible area are skipped: they have no point.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
pub fn site_points(
    block: &mut Block,
    point_atoms: &mut Segment<PointAtom>,
    site_atoms: &mut Segment<SiteAtom>,
    points: &mut Segment<u32>,
    counts: &mut Segment<u32>,
    items: &[WorkItem],
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    ca_indices: &[u32],
    sorted: &[Atom],
    cells: &[CellWords],
    owners: &[u32],
    frames: &[Frame],
    surface: &[AtomSurface],
    n_points: u32,
    frame: &mut Shared<Frame, 1>,
    numbers: &mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    chosen: &mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    masks: &mut Shared<u32, { ATOMS_PER_ITEM as usize }>,
    near: &mut Shared<Plane, { WARPS * NEAR }>,
) {
    enum Here {}
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
        (found.crowd >= LEAST_CROWD) & ((n_points != SPIRAL) | (found.exposed > 0))
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
    masks.fill_by_warp_with(block, some, (near,), |warp, (near,), i| {
        exposed::<Here>(warp, near, &cells, sorted, first + chosen.get(i))
    });
    let found = |k: u32| if may_have(k) { masks.get(numbers.get(k) - 1) } else { 0 };
    let begin = points.start();
    let mut begins = chosen;
    let total = begins.exclusive_scan(block, count, 0, |k| kept(found(k)).count_ones(), u32::wrapping_add);
    counts.set(block, 0, total);
    point_atoms.fill(block, count, |k| PointAtom::new(begin + begins.get(k), kept(found(k)), found(k).count_ones()));
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
        let [x, y, z] = place([atom.x, atom.y, atom.z]);
        SiteAtom {
            x,
            y,
            z,
            weights: WEIGHTS[kind as usize % KINDS][class(kind, atom.radius, from_alpha) as usize % CLASSES],
        }
    });
    points.update_atomic(block, count, |thread, points, k| {
        let (mut left, mut at) = (kept(found(k)), begins.get(k));
        while left != 0 {
            points.store(thread, at, k << 4 | left.trailing_zeros());
            left &= left - 1;
            at += 1;
        }
    });
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

/// The directions in which the atom in a place is exposed, as bits. Two lanes share a direction; each tests every other
/// neighbour.
#[inline(always)]
fn exposed<V>(warp: &mut Warp, near: &mut WarpList<Plane>, cells: &Cells, sorted: View<Atom>, place: u32) -> u32 {
    let atom = sorted.get(place);
    let reach = atom.radius + PROBE;
    let half = 0.5 / reach;
    let x = warp.per_lane(|lane| of_direction(lane, 0));
    let y = warp.per_lane(|lane| of_direction(lane, 1));
    let z = warp.per_lane(|lane| of_direction(lane, 2));
    let mut covered = warp.per_lane(|_| false);
    let mut listed = 0u32;
    each_near::<V>(warp, cells, &Bounds::of(atom), reach + (cells.frame().largest + PROBE), |warp, places, n| {
        let others = warp.map(places, |_, place| sorted.get(*place));
        let planes = warp.map(&others, |lane, other| {
            let [x, y, z] = [other.x - atom.x, other.y - atom.y, other.z - atom.z];
            let (d2, own) = (math::fma(x, x, math::fma(y, y, z * z)), other.radius + PROBE);
            let both = reach + own;
            // An atom at the same position covers all or nothing; the atom itself is one.
            let touches = (lane.index() < n) & (d2 < both * both) & ((d2 > 0.0) | (own > reach));
            let least = math::fma(reach - own, both, d2) * half;
            [x, y, z, if touches { least } else { f32::INFINITY }]
        });
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

/// A coordinate of a lane's direction.
#[inline(always)]
fn of_direction(lane: Lane, axis: usize) -> f32 {
    DIRECTIONS[lane.index() as usize % DIRECTIONS.len()][axis]
}

/// Marks the directions that the half-spaces of a list cover, and empties the list.
#[inline(always)]
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
