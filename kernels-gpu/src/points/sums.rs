//! What atoms have around them: the sum of what points score.

use super::near::{bounds, each_near};
use super::{PointAtom, THREADS, WARPS, distance2, position};
use crate::atoms::cells::Cells;
use crate::scratch::{CellWords, Frame, Item};
use cuda_std::prelude::*;
use shared_types::site_model::{AROUND, CAPACITY, PROBE};
use shared_types::{Atom, BatchStructureDesc};

/// Points near 32 atoms, for which a warp has room at a time.
const NEAR: usize = 160;
const _: () = assert!(THREADS == 256);

/// Adds up the scores of the points within [`AROUND`] of every heavy atom: block `i` takes the atoms of item `i`.
///
/// - `sums`: one element a heavy atom, as they are sorted; what has no room in 32 bits is the largest number.
/// - `scores`: what [`fn@crate::site_point_scores`] found, and what it read.
#[kernel(threads = 256, blocks_per_sm = 3)]
pub fn site_sums(
    block: &mut Block,
    sums: &mut Segment<u32>,
    scores: &[u32],
    point_atoms: &[PointAtom],
    items: &[Item],
    descriptors: &[BatchStructureDesc],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
    near: &mut Shared<[f32; 4], { WARPS * NEAR }>,
) {
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let point_atoms = View::of(point_atoms.part(item.atoms, n));
    let count = sums.len();
    sums.fill_by_lanes_with(block, count, (near,), |warp, (near,), first| {
        // Lanes without an atom have the last one.
        let own = warp.per_lane(|lane| sorted.get(item.first + (first + lane.index()).min(count - 1)));
        let x = warp.map(&own, |_, atom| atom.x);
        let y = warp.map(&own, |_, atom| atom.y);
        let z = warp.map(&own, |_, atom| atom.z);
        let of = bounds(warp, &x, &y, &z);
        let mut sums = warp.per_lane(|_| 0u32);
        let mut listed = 0u32;
        each_near(warp, &cells, &of, AROUND + (cells.frame().largest + PROBE), |warp, at, n| {
            let of_lane = |lane: Lane| at.wrapping_add(lane.index().min(n.wrapping_sub(1)));
            let atoms = warp.per_lane(|lane| sorted.get(of_lane(lane)));
            // Directions that are left of each atom's, and where the next point's score lies.
            let mut left = warp.map(&atoms, |lane, atom| {
                let points = point_atoms.get(of_lane(lane));
                let far = AROUND + (atom.radius + PROBE);
                let is_near = (lane.index() < n) & (of.distance2([atom.x, atom.y, atom.z]) <= far * far);
                [if is_near { points.directions() } else { 0 }, points.first]
            });
            for _ in 0..CAPACITY {
                if !warp.any(&left, |_, [directions, _]| *directions != 0) {
                    break;
                }
                let found = warp.map((&atoms, &left), |_, (atom, [directions, at])| {
                    if *directions == 0 {
                        return [f32::INFINITY, 0.0, 0.0, 0.0];
                    }
                    let [x, y, z] = position(*atom, directions.trailing_zeros());
                    [x, y, z, f32::from_bits(scores.at(*at))]
                });
                let is_near = warp.map(&found, |_, [x, y, z, score]| {
                    (score.to_bits() > 0) & (of.distance2([*x, *y, *z]) <= AROUND * AROUND)
                });
                if listed > near.capacity() - 32 {
                    add(warp, near, (&x, &y, &z), &mut sums);
                    listed = 0;
                }
                listed += warp.count(&is_near, |_, is_near| *is_near);
                near.push_where(warp, &found, &is_near, |_, is_near| *is_near);
                warp.each(&mut left, |_, [directions, at]| {
                    *directions &= directions.wrapping_sub(1);
                    *at = at.wrapping_add(1);
                });
            }
        });
        add(warp, near, (&x, &y, &z), &mut sums);
        sums
    });
}

/// Adds the points of a list to the sums of atoms, and empties the list.
#[inline(always)]
fn add(
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
