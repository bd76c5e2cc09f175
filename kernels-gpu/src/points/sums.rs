//! The sum of scores of the points around each atom.

use super::near::{NearPoints, SCRATCH, bounds};
use super::{PointAtom, Spot, THREADS, WARPS, distance2};
use crate::atoms::cells::Cells;
use crate::groups::{AtomItems, SortedAtoms};
use crate::scratch::{Frame, atoms_per_item};
use cuda_std::lists::*;
use cuda_std::prelude::*;
use shared_types::site_model::{AROUND, CAPACITY};

/// A warp's list of points near its 32 atoms, and its room. A device adds up the points when the list is full.
#[cfg(target_arch = "nvptx64")]
type Near = [f32; 4];
#[cfg(target_arch = "nvptx64")]
const NEAR: usize = 144;
/// On a core, coordinates of several points lie together, and the list has room for all. Real structures have up to 300.
#[cfg(not(target_arch = "nvptx64"))]
type Near = Pick;
#[cfg(not(target_arch = "nvptx64"))]
const NEAR: usize = 1024;
const _: () = assert!(THREADS == 256);

/// What a block of [`fn@site_sums`] works in.
#[derive(Arguments)]
pub struct SumScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Points around, of each warp.
    near: &'a mut Shared<Near, { WARPS * NEAR }>,
    /// Ranges of points, of each warp.
    scratch: &'a mut Shared<u32, { WARPS * SCRATCH }>,
}

/// Adds up the scores of the points within [`AROUND`] of every heavy atom. Block `i` takes the atoms of item `i`.
///
/// - `sums`: one element per heavy atom, in the order of cells. Sums saturate at 2^32 - 1.
/// - `spots`, `point_atoms`: results of [`fn@crate::site_point_scores`] and [`fn@crate::site_points`].
#[kernel(threads = 256, blocks_per_sm = 3, avx512)]
pub fn site_sums(
    block: &mut Block,
    sums: &mut Segment<u32>,
    spots: &[Spot],
    point_atoms: &[PointAtom],
    atoms: AtomItems<'_>,
    scratch: SumScratch<'_>,
) {
    enum Here {}
    let AtomItems { items, descriptors, atoms: SortedAtoms { sorted, cells, frames } } = atoms;
    let SumScratch { frame, near, scratch } = scratch;
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let point_atoms = View::of(point_atoms.part(item.atoms, n)).clamped();
    let spots = View::of(spots.part(item.atoms * CAPACITY, n * CAPACITY)).clamped();
    let (begin, per_item) = (item.atoms * CAPACITY, atoms_per_item(n));
    let count = sums.len();
    sums.fill_by_lanes_with(block, count, (near, scratch), |warp, (near, scratch), first| {
        // Lanes without an atom take the last one.
        let own = warp.per_lane(|lane| sorted.get(item.first + (first + lane.index()).min(count - 1)));
        let x = warp.map(&own, |_, atom| atom.x);
        let y = warp.map(&own, |_, atom| atom.y);
        let z = warp.map(&own, |_, atom| atom.z);
        let of = bounds::<Here>(warp, [&x, &y, &z]);
        let mut sums = warp.per_lane(|_| 0u32);
        let around = NearPoints { cells: &cells, of, distance: AROUND, point_atoms, per_item, begin };
        #[cfg(target_arch = "nvptx64")]
        {
            let mut listed = 0u32;
            around.each_ranges::<Here>(warp, |warp, ranges| {
                warp.each_of_ranges_with(scratch, ranges, |warp, ranks, n| {
                    let found = warp.map(ranks, |_, rank| {
                        let Spot { x, y, z, score } = spots.get(*rank);
                        [x, y, z, f32::from_bits(score)]
                    });
                    let is_near = warp.map(&found, |lane, point| (lane.index() < n) & around.may_count(*point));
                    if listed > near.capacity() - 32 {
                        add::<[Here; 0]>(warp, near, (&x, &y, &z), &mut sums);
                        listed = 0;
                    }
                    listed += warp.count(&is_near, |_, is_near| *is_near);
                    near.push_where(warp, &found, &is_near, |_, is_near| *is_near);
                });
            });
            add::<[Here; 1]>(warp, near, (&x, &y, &z), &mut sums);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            near.clear(warp);
            around.each_ranges::<[Here; 0]>(warp, |warp, ranges| {
                near.push_ranges_with(warp, scratch, &spots, ranges, |_, point| around.may_count(point));
            });
            let points = near.items(warp);
            if points.is_complete() {
                let mut from = 0u32;
                while from < points.len() {
                    let picks = points.picks(warp, &spots, from);
                    let n = points.len().wrapping_sub(from).min(32);
                    add::<[Here; 0]>(warp, picks.words(), n, (&x, &y, &z), &mut sums);
                    from = from.wrapping_add(32);
                }
            } else {
                around.each_ranges::<[Here; 1]>(warp, |warp, ranges| {
                    warp.each_of_ranges(ranges, |warp, ranks, n| {
                        let found = warp.map(ranks, |_, rank| spots.get(*rank));
                        let px = warp.map(&found, |_, point| point.x);
                        let py = warp.map(&found, |_, point| point.y);
                        let pz = warp.map(&found, |_, point| point.z);
                        let score = warp.map(&found, |_, point| f32::from_bits(point.score));
                        add::<[Here; 1]>(warp, [&px, &py, &pz, &score], n, (&x, &y, &z), &mut sums);
                    });
                });
            }
        }
        sums
    });
}

/// Adds the scores of a list's points to the sums of atoms, and empties the list.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn add<V>(
    warp: &mut Warp,
    near: &mut WarpList<Near>,
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

/// Adds the scores of the points of the first `n` lanes to the sums of atoms.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn add<V>(
    warp: &mut Warp,
    [x, y, z, scores]: [&PerLane<f32>; 4],
    n: u32,
    atoms: (&PerLane<f32>, &PerLane<f32>, &PerLane<f32>),
    sums: &mut PerLane<u32>,
) {
    for k in 0..n {
        let point = [warp.broadcast(x, k), warp.broadcast(y, k), warp.broadcast(z, k)];
        let score = warp.broadcast(scores, k).to_bits();
        warp.each_with(sums, atoms, |_, sum, (ax, ay, az)| {
            let is_near = distance2([*ax, *ay, *az], point) <= AROUND * AROUND;
            *sum = sum.saturating_add(if is_near { score } else { 0 });
        });
    }
}
