//! What lies around a point, and how likely it is a ligand's.
//!
//! Points that follow each other in a list lie near each other. A warp takes 32 of them, some together: it lists the atoms
//! around those once, and then goes through the list for two points at a time, 32 atoms in its lanes.

use super::near::{bounds_of, each, runs};
use super::{SiteAtom, Spot, THREADS, WARPS, distance2, place, position};
use crate::atoms::cells::Cells;
use crate::scratch::{CellWords, Frame, WorkItem};
use cuda_std::math::{exp, fma, larger, sqrt, to_u32};
use cuda_std::prelude::*;
use shared_types::site_model::{
    ATOMS, ATOMS_ONE_SIDED, ATOMS_SQUARED, BIAS, NEAR, ONE_SIDED, ONE_SIDED_SQUARED, REACH, SUM_UNIT, WEIGHT_UNIT,
};
use shared_types::{Atom, BatchStructureDesc};

/// Points that have a list of atoms together.
const TOGETHER: u32 = 8;
/// How far around those atoms are listed: a bit more than counts, for coordinates are rounded.
const LISTED_REACH: f32 = REACH + 0.05;
/// Atoms around those, for which a warp has room.
const LISTED: usize = 1024;
/// With this added, a small number's bits are those of the nearest integer, and of this.
const TO_INTEGER: f32 = 12_582_912.0;
const _: () = assert!(THREADS == 256 && 32 % TOGETHER == 0 && TOGETHER.is_multiple_of(2));

/// Where a point is, as [`place`] says it.
type Place = [f32; 3];

/// What is summed up for a point, as far as each lane has seen it.
struct Around {
    /// Weights, each with [`TO_INTEGER`]'s bits.
    weights: PerLane<u32>,
    atoms: PerLane<u32>,
    /// Bits of coordinates.
    x: PerLane<u32>,
    y: PerLane<u32>,
    z: PerLane<u32>,
}

impl Around {
    #[inline(always)]
    fn nothing(warp: &mut Warp) -> Self {
        Self {
            weights: warp.per_lane(|_| 0),
            atoms: warp.per_lane(|_| 0),
            x: warp.per_lane(|_| 0),
            y: warp.per_lane(|_| 0),
            z: warp.per_lane(|_| 0),
        }
    }

    /// Adds an atom a lane, for the first `n` lanes, as far as they are within reach of a point.
    #[inline(always)]
    fn add(&mut self, warp: &mut Warp, [x, y, z, weights]: [&PerLane<f32>; 4], n: u32, point: Place) {
        let d2 = warp.map((x, y, z), |lane, (x, y, z)| {
            let d2 = distance2(point, [*x, *y, *z]);
            if lane.index() < n { d2 } else { f32::INFINITY }
        });
        warp.each_with(&mut self.weights, (&d2, weights), |_, sum, (d2, weights)| {
            let (near, far) = (weights.to_bits() & 0xffff_0000, weights.to_bits() << 16);
            let (inner, outer) = (larger(NEAR * NEAR - *d2, 0.0), REACH * REACH - *d2);
            let weight = fma(f32::from_bits(far), outer * outer, f32::from_bits(near) * (inner * inner)) + TO_INTEGER;
            *sum = sum.wrapping_add(if *d2 < REACH * REACH { weight.to_bits() } else { 0 });
        });
        warp.each_with(&mut self.atoms, &d2, |_, sum, d2| {
            *sum = sum.wrapping_add(if *d2 < REACH * REACH { 1 } else { 0 });
        });
        for (sum, at) in [(&mut self.x, x), (&mut self.y, y), (&mut self.z, z)] {
            warp.each_with(sum, (&d2, at), |_, sum, (d2, at)| {
                *sum = sum.wrapping_add(if *d2 < REACH * REACH { at.to_bits() } else { 0 });
            });
        }
    }

    /// The square of a point's probability, in parts of 1 of [`SUM_UNIT`].
    #[inline(always)]
    fn score(&self, warp: &mut Warp, point: Place) -> u32 {
        let mut sum = |of: &PerLane<u32>| warp.reduce(of, u32::wrapping_add);
        let (atoms, weights) = (sum(&self.atoms), sum(&self.weights));
        let weights = weights.wrapping_sub(atoms.wrapping_mul(TO_INTEGER.to_bits())) as i32;
        let from_point = |sum: u32, at: f32| sum.wrapping_sub(atoms.wrapping_mul(at.to_bits())) as i32 as f32;
        let x = from_point(sum(&self.x), point[0]);
        let y = from_point(sum(&self.y), point[1]);
        let z = from_point(sum(&self.z), point[2]);
        let away = sqrt(fma(x, x, fma(y, y, z * z))) / (super::PER_ANGSTROM * atoms as f32);
        let atoms = atoms as f32;
        let of_atoms = fma(atoms, fma(away, ATOMS_ONE_SIDED, fma(atoms, ATOMS_SQUARED, ATOMS)), BIAS);
        let of_sides = fma(away, fma(away, ONE_SIDED_SQUARED, ONE_SIDED), of_atoms);
        let logit = fma(weights as f32, WEIGHT_UNIT, of_sides);
        let probability = 1.0 / (1.0 + exp(-logit));
        to_u32(probability * probability * SUM_UNIT)
    }
}

/// Scores the points of every item: block `i` takes those of item `i`.
///
/// - `spots`: one element a point, where `points` has it.
/// - `points`, `counts`, `site_atoms`: what [`fn@crate::site_points`] found, and what it read.
#[kernel(threads = 256, blocks_per_sm = 2)]
pub fn site_point_scores(
    block: &mut Block,
    spots: &mut Segment<Spot>,
    points: &[u32],
    counts: &[u32],
    site_atoms: &[SiteAtom],
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
    near: &mut Shared<Pick, { WARPS * LISTED }>,
) {
    let count = counts.at(block.index());
    if count == 0 {
        return;
    }
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let site_atoms = View::of(site_atoms.part(item.atoms, n)).clamped();
    let points = View::of(points.part(spots.start(), count));
    spots.fill_by_lanes_with(block, count, (near,), |warp, (near,), first| {
        let at = warp.per_lane(|lane| {
            // Lanes without a point have the last one.
            let point = points.get(first.wrapping_add(lane.index()).min(count.wrapping_sub(1)));
            position(sorted.get(item.first + (point >> 4)), point & 15)
        });
        let x = warp.map(&at, |_, at| at[0]);
        let y = warp.map(&at, |_, at| at[1]);
        let z = warp.map(&at, |_, at| at[2]);
        let places = warp.map(&at, |_, at| place(*at));
        let mut scores = warp.per_lane(|_| 0u32);
        let all = count.wrapping_sub(first).min(32);
        let mut begin = 0u32;
        while begin < all {
            let end = begin.wrapping_add(TOGETHER).min(all);
            let of = bounds_of(warp, [&x, &y, &z], begin, end);
            let region = cells.within(&of, LISTED_REACH);
            // All atoms within reach of one of these, if there is room for them.
            near.clear(warp);
            let mut row = 0u32;
            while row < region.rows() {
                let ranges = runs(warp, &cells, region, row, &of, LISTED_REACH);
                near.push_ranges_where(warp, &site_atoms, &ranges, |[x, y, z, _]| {
                    of.distance2([super::along(x), super::along(y), super::along(z)]) <= LISTED_REACH * LISTED_REACH
                });
                row = row.wrapping_add(32);
            }
            let listed = near.items(warp);
            let mut k = begin;
            while k < end {
                // Two at a time; where there is one, that one twice.
                let next = k.wrapping_add(1);
                let (a, b) = (warp.broadcast(&places, k), warp.broadcast(&places, next.min(end.wrapping_sub(1))));
                let (mut around_a, mut around_b) = (Around::nothing(warp), Around::nothing(warp));
                if listed.is_complete() {
                    let mut from = 0u32;
                    while from < listed.len() {
                        let picks = listed.picks(warp, &site_atoms, from);
                        let left = listed.len().wrapping_sub(from);
                        around_a.add(warp, picks.words(), left, a);
                        around_b.add(warp, picks.words(), left, b);
                        from = from.wrapping_add(32);
                    }
                } else {
                    let mut row = 0u32;
                    while row < region.rows() {
                        let ranges = runs(warp, &cells, region, row, &of, LISTED_REACH);
                        each(warp, &ranges, |warp, at, n| {
                            let atoms = warp.per_lane(|lane| site_atoms.get(at.wrapping_add(lane.index())));
                            let x = warp.map(&atoms, |_, atom| atom.x);
                            let y = warp.map(&atoms, |_, atom| atom.y);
                            let z = warp.map(&atoms, |_, atom| atom.z);
                            let weights = warp.map(&atoms, |_, atom| f32::from_bits(atom.weights));
                            around_a.add(warp, [&x, &y, &z, &weights], n, a);
                            around_b.add(warp, [&x, &y, &z, &weights], n, b);
                        });
                        row = row.wrapping_add(32);
                    }
                }
                let (of_a, of_b) = (around_a.score(warp, a), around_b.score(warp, b));
                warp.each(&mut scores, |lane, score| {
                    if lane.index() == k {
                        *score = of_a;
                    } else if lane.index() == next {
                        *score = of_b;
                    }
                });
                k = k.wrapping_add(2);
            }
            begin = end;
        }
        warp.map((&at, &scores), |_, ([x, y, z], score)| Spot { x: *x, y: *y, z: *z, score: *score })
    });
}
