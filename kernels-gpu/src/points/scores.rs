//! What lies around a point, and how likely it is a ligand's.

use super::kinds::CLASSES_PER_KIND;
use super::near::{bounds, each_near};
use super::{PointAtom, THREADS, WARPS, distance2, position};
use crate::atoms::cells::Cells;
use crate::scratch::{CellWords, Frame, Item};
use cuda_std::math::{exp, fma, sqrt, to_u32};
use cuda_std::prelude::*;
use shared_types::site_model::{
    BIAS, BINS, CLASS_WEIGHTS, CLASSES, KIND_WEIGHTS, KINDS, ONE_SIDED, PER_DISTANCE, REACH, SUM_UNIT, WEIGHT_UNIT,
};
use shared_types::{Atom, BatchStructureDesc};

/// Atoms near 32 points, for which a warp has room at a time.
const NEAR: usize = 96;
/// Rows of weights.
const ROWS: usize = KINDS * CLASSES_PER_KIND as usize;
/// Unit vectors are added up in this part of 1.
const PART: f32 = 4096.0;
/// With this added, a small number's bits are those of the nearest integer, and of this.
const TO_INTEGER: f32 = 12_582_912.0;
const _: () = assert!(THREADS == 256 && BINS == 32);

/// What is summed up for a point.
#[derive(Clone, Copy, Default)]
struct Around {
    weights: i32,
    atoms: u32,
    /// Unit vectors to the atoms, in [`PART`].
    towards: [i32; 3],
}

/// Scores the points of every item: block `i` takes those of item `i`.
///
/// - `scores`: one element a point, where `points` has it: the square of its probability, in parts of 1 of
///   [`SUM_UNIT`].
/// - `points`, `counts`, `point_atoms`: what [`fn@crate::site_points`] found, and what it read.
#[kernel(threads = 256, blocks_per_sm = 3)]
pub fn site_point_scores(
    block: &mut Block,
    scores: &mut Segment<u32>,
    points: &[u32],
    counts: &[u32],
    point_atoms: &[PointAtom],
    items: &[Item],
    descriptors: &[BatchStructureDesc],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
    weights: &mut Shared<i16, { ROWS * BINS }>,
    near: &mut Shared<[f32; 4], { WARPS * NEAR }>,
) {
    let count = counts.at(block.index());
    if count == 0 {
        return;
    }
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let weights = weights.fill(block, (ROWS * BINS) as u32, |i| {
        let (row, bin) = (i / BINS as u32, (i % BINS as u32) as usize);
        let (kind, class) = ((row / CLASSES_PER_KIND) as usize, (row % CLASSES_PER_KIND) as usize);
        if class < CLASSES { CLASS_WEIGHTS[class][bin] + KIND_WEIGHTS[kind][bin] } else { 0 }
    });
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let point_atoms = View::of(point_atoms.part(item.atoms, n));
    let points = View::of(points.part(scores.start(), count));
    scores.fill_by_lanes_with(block, count, (near,), |warp, (near,), first| {
        let place = warp.per_lane(|lane| {
            // Lanes without a point have the last one.
            let point = points.get((first + lane.index()).min(count - 1));
            position(sorted.get(item.first + (point >> 4)), point & 15)
        });
        let x = warp.map(&place, |_, place| place[0]);
        let y = warp.map(&place, |_, place| place[1]);
        let z = warp.map(&place, |_, place| place[2]);
        let of = bounds(warp, &x, &y, &z);
        let mut around = warp.per_lane(|_| Around::default());
        let mut listed = 0u32;
        each_near(warp, &cells, &of, REACH, |warp, at, n| {
            let of_lane = |lane: Lane| at.wrapping_add(lane.index().min(n.wrapping_sub(1)));
            let atoms = warp.per_lane(|lane| sorted.get(of_lane(lane)));
            let is_near = warp.map(&atoms, |lane, atom| {
                (lane.index() < n) & (of.distance2([atom.x, atom.y, atom.z]) <= REACH * REACH)
            });
            let rows = warp.per_lane(|lane| point_atoms.get(of_lane(lane)).row());
            let values = warp.map((&atoms, &rows), |_, (atom, row)| [atom.x, atom.y, atom.z, f32::from_bits(*row)]);
            if listed > near.capacity() - 32 {
                add(warp, near, (&x, &y, &z), &mut around, &weights);
                listed = 0;
            }
            listed += warp.count(&is_near, |_, is_near| *is_near);
            near.push_where(warp, &values, &is_near, |_, is_near| *is_near);
        });
        add(warp, near, (&x, &y, &z), &mut around, &weights);
        warp.map(&around, |_, around| score(around))
    });
}

/// Adds the atoms of a list to what is around each point, and empties the list.
#[inline(always)]
fn add(
    warp: &mut Warp,
    near: &mut WarpList<[f32; 4]>,
    points: (&PerLane<f32>, &PerLane<f32>, &PerLane<f32>),
    around: &mut PerLane<Around>,
    weights: &Tile<i16>,
) {
    let atoms = near.items(warp);
    for [x, y, z, row] in atoms.range(0, atoms.len()) {
        let row = row.to_bits().wrapping_mul(BINS as u32);
        warp.each_with(around, points, |_, around, (px, py, pz)| {
            let d2 = distance2([*px, *py, *pz], [x, y, z]);
            if d2 < REACH * REACH {
                let bin = to_u32(d2 * (BINS as f32 / (REACH * REACH))).min(BINS as u32 - 1);
                around.weights = around.weights.wrapping_add(i32::from(weights.get(row.wrapping_add(bin))));
                around.atoms = around.atoms.wrapping_add(1);
                let scale = PER_DISTANCE[bin as usize % BINS] * PART;
                for (sum, along) in around.towards.iter_mut().zip([x - *px, y - *py, z - *pz]) {
                    *sum = sum.wrapping_add(integer(along, scale));
                }
            }
        });
    }
    near.clear(warp);
}

/// The integer nearest to a product below 2^22.
#[inline(always)]
fn integer(a: f32, b: f32) -> i32 {
    (fma(a, b, TO_INTEGER).to_bits() as i32).wrapping_sub(TO_INTEGER.to_bits() as i32)
}

/// The square of a point's probability, in parts of 1.
#[inline(always)]
fn score(around: &Around) -> u32 {
    let [x, y, z] = around.towards.map(|sum| sum as f32);
    let length = sqrt(fma(x, x, fma(y, y, z * z))) / (PART * around.atoms as f32);
    let logit = fma(ONE_SIDED, length, fma(around.weights as f32, WEIGHT_UNIT, BIAS));
    let probability = 1.0 / (1.0 + exp(-logit));
    to_u32(probability * probability * SUM_UNIT)
}
