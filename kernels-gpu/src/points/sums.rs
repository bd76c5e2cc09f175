//! The sum of scores of the points around each atom.

use super::near::{bounds, runs};
use super::{PointAtom, Spot, THREADS, WARPS, distance2, next_item};
use crate::atoms::cells::Cells;
use crate::scratch::{CellWords, Frame, WorkItem, atoms_per_item};
use cuda_std::prelude::*;
use shared_types::site_model::{AROUND, CAPACITY, PROBE};
use shared_types::{Atom, BatchStructureDesc};

/// Room in a warp's list of points near its 32 atoms.
const NEAR: usize = 160;
const _: () = assert!(THREADS == 256);

/// Adds up the scores of the points within [`AROUND`] of every heavy atom. Block `i` takes the atoms of item `i`.
///
/// - `sums`: one element per heavy atom, in the order of cells. Sums saturate at 2^32 - 1.
/// - `spots`: the result of [`fn@crate::site_point_scores`]; the other inputs are those it read.
#[kernel(threads = 256, blocks_per_sm = 3, avx512)]
pub fn site_sums(
    block: &mut Block,
    sums: &mut Segment<u32>,
    spots: &[Spot],
    point_atoms: &[PointAtom],
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
    near: &mut Shared<[f32; 4], { WARPS * NEAR }>,
) {
    enum Here {}
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let point_atoms = View::of(point_atoms.part(item.atoms, n)).clamped();
    let spots = View::of(spots.part(item.atoms * CAPACITY, n * CAPACITY)).clamped();
    let begin = item.atoms * CAPACITY;
    let per_item = atoms_per_item(n);
    let count = sums.len();
    let reach = AROUND + (cells.frame().largest + PROBE);
    sums.fill_by_lanes_with(block, count, (near,), |warp, (near,), first| {
        // Lanes without an atom take the last one.
        let own = warp.per_lane(|lane| sorted.get(item.first + (first + lane.index()).min(count - 1)));
        let x = warp.map(&own, |_, atom| atom.x);
        let y = warp.map(&own, |_, atom| atom.y);
        let z = warp.map(&own, |_, atom| atom.z);
        let of = bounds::<Here>(warp, &x, &y, &z);
        let region = cells.within(&of, reach);
        let mut sums = warp.per_lane(|_| 0u32);
        let (mut listed, mut row) = (0u32, 0u32);
        while row < region.rows() {
            let mut atoms = runs::<Here>(warp, &cells, region, row, &of, reach);
            // The points of consecutive atoms are contiguous within an item.
            while warp.any(&atoms, |_, [first, end]| first < end) {
                let ranges = warp.map(&atoms, |_, [first, end]| {
                    let last = next_item(*first, per_item).min(*end).wrapping_sub(1);
                    let (from, to) = (point_atoms.get(*first), point_atoms.get(last));
                    let range = [from.first.wrapping_sub(begin), to.first.wrapping_add(to.count()).wrapping_sub(begin)];
                    if first < end { range } else { [0; 2] }
                });
                warp.each(&mut atoms, |_, [first, end]| *first = next_item(*first, per_item).min(*end));
                warp.each_of_ranges(&ranges, |warp, places, n| {
                    let found = warp.map(places, |_, place| {
                        let Spot { x, y, z, score } = spots.get(*place);
                        [x, y, z, f32::from_bits(score)]
                    });
                    let is_near = warp.map(&found, |lane, [x, y, z, score]| {
                        (lane.index() < n) & (score.to_bits() > 0) & (of.distance2([*x, *y, *z]) <= AROUND * AROUND)
                    });
                    if listed > near.capacity() - 32 {
                        add::<[Here; 0]>(warp, near, (&x, &y, &z), &mut sums);
                        listed = 0;
                    }
                    listed += warp.count(&is_near, |_, is_near| *is_near);
                    near.push_where(warp, &found, &is_near, |_, is_near| *is_near);
                });
            }
            row = row.wrapping_add(32);
        }
        add::<[Here; 1]>(warp, near, (&x, &y, &z), &mut sums);
        sums
    });
}

/// Adds the scores of a list's points to the sums of atoms, and empties the list.
#[inline(always)]
fn add<V>(
    warp: &mut Warp,
    near: &mut WarpList<[f32; 4]>,
    atoms: (&PerLane<f32>, &PerLane<f32>, &PerLane<f32>),
    sums: &mut PerLane<u32>,
) {
    let points = near.items(warp);
    for [x, y, z, score] in points.range(0, points.len()) {
        warp.each_with(sums, atoms, |_, sum, (ax, ay, az)| {
            let is_near = distance2([*ax, *ay, *az], [x, y, z]) <= AROUND * AROUND;
            *sum = sum.saturating_add(if is_near { score.to_bits() } else { 0 });
        });
    }
    near.clear(warp);
}
