//! The probability of a point, from the atoms around it.
//!
//! A warp takes some consecutive points. It lists the atoms around those that lie close together once. Then it goes through the list
//! for two points at a time, with one atom per lane.

use super::near::{self, Group, SCRATCH, each_near};
use super::{SiteAtom, Spot, distance2, position, shifted};
use crate::atoms::cells::{Bounds, Cells};
use crate::groups::{AtomItems, SortedAtoms};
use crate::scratch::{ATOMS_PER_ITEM, Frame};
use cuda_std::lists::*;
use cuda_std::math::{exp, fma, larger, sqrt, to_u32};
use cuda_std::prelude::*;
use shared_types::site_model::{
    ATOMS, ATOMS_ONE_SIDED, ATOMS_SQUARED, BIAS, CAPACITY, NEAR, ONE_SIDED, ONE_SIDED_SQUARED, REACH, SUM_UNIT,
    WEIGHT_UNIT,
};

/// The most consecutive points that a warp takes at a time.
const TOGETHER: u32 = 32;
/// Points whose sums are computed at a time.
const AT_A_TIME: usize = 2;
/// Threads of a block. Small blocks wait less for their slowest warp.
const THREADS: usize = 128;
const WARPS: usize = THREADS / 32;
/// Distance in Å within which atoms are listed: slightly more than [`REACH`], since coordinates are rounded.
const LISTED_REACH: f32 = REACH + 0.05;
/// Room in a warp's list of these atoms.
const LISTED: usize = 512;
/// Added to a small number to round it: the low bits of the sum are those of the nearest integer.
const TO_INTEGER: f32 = 12_582_912.0;
/// The most borders of parts of an item's points.
const PARTS: usize = (ATOMS_PER_ITEM * CAPACITY).div_ceil(TOGETHER) as usize + WARPS + 1;
const _: () = assert!(TOGETHER <= 32);

/// The position of a point, as from [`shifted`].
type Point = [f32; 3];

/// Each lane's part of the sums of a point.
struct Around {
    /// Weights, each plus [`TO_INTEGER`], as bits.
    weights: PerLane<u32>,
    atoms: PerLane<u32>,
    /// Coordinates, as bits.
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

    /// Adds each lane's atom, if it is within reach of the point.
    #[inline(always)]
    fn add<V>(&mut self, warp: &mut Warp, [x, y, z, weights]: [&PerLane<f32>; 4], point: Point) {
        let d2 = warp.map((x, y, z), |_, (x, y, z)| distance2(point, [*x, *y, *z]));
        warp.each_with(&mut self.weights, (&d2, weights), |_, sum, (d2, weights)| {
            let (near, far) = (weights.to_bits() & 0xffff_0000, weights.to_bits() << 16);
            let (inner, outer) = (larger(NEAR * NEAR - *d2, 0.0), REACH * REACH - *d2);
            let weight = fma(f32::from_bits(far), outer * outer, f32::from_bits(near) * (inner * inner)) + TO_INTEGER;
            *sum = sum.wrapping_add(if_within(*d2, weight.to_bits()));
        });
        warp.each_with(&mut self.atoms, &d2, |_, sum, d2| {
            *sum = sum.wrapping_add(if_within(*d2, 1));
        });
        // (Written out: an array of three would be in local memory on a device.)
        warp.each_with(&mut self.x, (&d2, x), |_, sum, (d2, at)| *sum = sum.wrapping_add(if_within(*d2, at.to_bits())));
        warp.each_with(&mut self.y, (&d2, y), |_, sum, (d2, at)| *sum = sum.wrapping_add(if_within(*d2, at.to_bits())));
        warp.each_with(&mut self.z, (&d2, z), |_, sum, (d2, at)| *sum = sum.wrapping_add(if_within(*d2, at.to_bits())));
    }
}

/// `bits` if the atom is within reach, else 0.
#[inline(always)]
fn if_within(d2: f32, bits: u32) -> u32 {
    let is_within = d2 < REACH * REACH;
    if cfg!(target_arch = "nvptx64") {
        if is_within { bits } else { 0 }
    } else {
        // A conditional would be a branch for each lane.
        bits & u32::from(is_within).wrapping_neg()
    }
}

/// The sums of some points.
type Some = [Around; AT_A_TIME];

/// The totals over all lanes of one sum of two points: the first half of the lanes gets the first point's.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn totals<V>(warp: &mut Warp, [a, b]: [&PerLane<u32>; AT_A_TIME]) -> PerLane<u32> {
    // Each lane exchanges half of its sums with a partner.
    let given = warp.map((a, b), |lane, (a, b)| if is_first(lane) { *b } else { *a });
    let taken = warp.shuffle_xor(&given, 16);
    let mut all =
        warp.map((&taken, (a, b)), |lane, (taken, (a, b))| taken.wrapping_add(if is_first(lane) { *a } else { *b }));
    let mut distance = 8;
    while distance > 0 {
        let other = warp.shuffle_xor(&all, distance);
        warp.each_with(&mut all, &other, |_, all, other| *all = all.wrapping_add(*other));
        distance /= 2;
    }
    all
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn totals<V>(warp: &mut Warp, of: [&PerLane<u32>; AT_A_TIME]) -> PerLane<u32> {
    let [a, b] = of.map(|of| warp.reduce(of, u32::wrapping_add));
    warp.per_lane(|lane| if is_first(lane) { a } else { b })
}

/// Whether a lane has the first of two points.
#[inline(always)]
fn is_first(lane: Lane) -> bool {
    lane.index() < 16
}

/// The weights of two points, times [`SUM_UNIT`]: in the first half of the lanes, and in the second. A weight is a probability to the
/// power of 1.5.
#[inline(always)]
fn scores<V>(warp: &mut Warp, [a, b]: &Some, points: [Point; AT_A_TIME]) -> PerLane<u32> {
    let weights = totals::<V>(warp, [&a.weights, &b.weights]);
    let atoms = totals::<V>(warp, [&a.atoms, &b.atoms]);
    let x = totals::<V>(warp, [&a.x, &b.x]);
    let y = totals::<V>(warp, [&a.y, &b.y]);
    let z = totals::<V>(warp, [&a.z, &b.z]);
    warp.map(((&weights, &atoms), (&x, &y, &z)), |lane, ((weights, atoms), (x, y, z))| {
        let point = if is_first(lane) { points[0] } else { points[1] };
        let atoms = *atoms;
        let weights = weights.wrapping_sub(atoms.wrapping_mul(TO_INTEGER.to_bits())).cast_signed();
        let from_point = |sum: u32, at: f32| sum.wrapping_sub(atoms.wrapping_mul(at.to_bits())).cast_signed() as f32;
        let x = from_point(*x, point[0]);
        let y = from_point(*y, point[1]);
        let z = from_point(*z, point[2]);
        let away = sqrt(fma(x, x, fma(y, y, z * z))) / (super::PER_ANGSTROM * atoms as f32);
        let atoms = atoms as f32;
        let of_atoms = fma(atoms, fma(away, ATOMS_ONE_SIDED, fma(atoms, ATOMS_SQUARED, ATOMS)), BIAS);
        let of_sides = fma(away, fma(away, ONE_SIDED_SQUARED, ONE_SIDED), of_atoms);
        let logit = fma(weights as f32, WEIGHT_UNIT, of_sides);
        let probability = 1.0 / (1.0 + exp(-logit));
        to_u32(probability * sqrt(probability) * SUM_UNIT)
    })
}

/// What a block of [`fn@site_point_scores`] works in.
#[derive(Arguments)]
pub struct ScoreScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Where each warp's points begin.
    starts: &'a mut Shared<u32, { PARTS }>,
    /// Atoms around, of each warp.
    near: &'a mut Shared<Pick, { WARPS * LISTED }>,
    /// Ranges of atoms, of each warp.
    scratch: &'a mut Shared<u32, { WARPS * SCRATCH }>,
}

/// Scores the points of every item. Block `i` takes those of item `i`.
///
/// - `spots`: one element per point, at the index that it has in `points`.
/// - `points`, `counts`, `site_atoms`: results of [`fn@crate::site_points`].
#[kernel(threads = 128, blocks_per_sm = 5, avx512)]
pub fn site_point_scores(
    block: &mut Block,
    spots: &mut Segment<Spot>,
    points: &[u32],
    counts: &[u32],
    site_atoms: &[SiteAtom],
    atoms: AtomItems<'_>,
    scratch: ScoreScratch<'_>,
) {
    enum Here {}
    let AtomItems { items, descriptors, atoms: SortedAtoms { sorted, cells, frames } } = atoms;
    let ScoreScratch { frame, starts, near, scratch } = scratch;
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
    // The warps of a device's block take as many points each. A core groups more of them together.
    let warps = if cfg!(target_arch = "nvptx64") { WARPS as u32 } else { 1 };
    let together = count.div_ceil(warps * count.div_ceil(warps * TOGETHER));
    let parts = count.div_ceil(together);
    let starts = starts.fill(block, parts + 1, |part| (part * together).min(count));
    spots.write_parts_by_warp_with(block, &starts, (near, scratch), |warp, (near, scratch), part| {
        let (first, n) = (part.start(), part.len());
        let at = warp.per_lane(|lane| {
            // Lanes without a point take the last one.
            let point = points.get(first.wrapping_add(lane.index().min(n.wrapping_sub(1))));
            position(sorted.get(item.first + (point >> 4)), point & 15)
        });
        let x = warp.map(&at, |_, at| at[0]);
        let y = warp.map(&at, |_, at| at[1]);
        let z = warp.map(&at, |_, at| at[2]);
        let mut scored = warp.per_lane(|_| 0);
        Group::each::<Here>(warp, [&x, &y, &z], n, |warp, Group { mut lanes, bounds: of }| {
            near.clear(warp);
            let words_at = |[x, y, z, _]: [f32; 4]| [x, y, z].map(super::along);
            near::list::<Here, _, _>(warp, near, scratch, (&cells, &site_atoms), &of, LISTED_REACH, words_at);
            // Lanes without an atom get one that is far from all points.
            #[cfg(not(target_arch = "nvptx64"))]
            near.pad(warp, [f32::INFINITY, 0.0, 0.0, 0.0]);
            let listed = near.items(warp);
            while lanes != 0 {
                let first = lanes.trailing_zeros();
                lanes &= lanes.wrapping_sub(1);
                // If there is only one left, the same again.
                let second = if lanes == 0 { first } else { lanes.trailing_zeros() };
                lanes &= lanes.wrapping_sub(1);
                let points = [first, second].map(|lane| shifted(warp.broadcast(&at, lane)));
                let mut sums = [0; AT_A_TIME].map(|_| Around::nothing(warp));
                if listed.is_complete() {
                    add_listed::<[Here; 0]>(warp, &mut sums, listed, &site_atoms, points);
                } else {
                    // The list has no room for all.
                    let at = |point: Point| Bounds::at(point.map(super::along));
                    let of = at(points[0]).and(at(points[1]));
                    each_near::<[Here; 1]>(warp, &cells, &of, LISTED_REACH, |warp, ranks, n| {
                        let atoms = warp.map(ranks, |_, rank| site_atoms.get(*rank));
                        let x = warp.map(&atoms, |_, atom| atom.x);
                        let y = warp.map(&atoms, |_, atom| atom.y);
                        let z = warp.map(&atoms, |_, atom| atom.z);
                        let weights = warp.map(&atoms, |_, atom| f32::from_bits(atom.weights));
                        add_to_some::<[Here; 2]>(warp, &mut sums, [&x, &y, &z, &weights], n, points);
                    });
                }
                let both = scores::<Here>(warp, &sums, points);
                let [of_first, of_second] = [0, 16].map(|lane| warp.broadcast(&both, lane));
                warp.each(&mut scored, |lane, own| {
                    *own = if lane.index() == first { of_first } else { *own };
                    *own = if lane.index() == second { of_second } else { *own };
                });
            }
        });
        let spots = warp.map((&at, &scored), |_, ([x, y, z], score)| Spot { x: *x, y: *y, z: *z, score: *score });
        part.set_by_lane(warp, 0, &spots);
    });
}

/// Adds the atoms of a list to the sums of two points.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn add_listed<V>(
    warp: &mut Warp,
    sums: &mut Some,
    listed: WarpItems<Pick>,
    site_atoms: &Clamped<SiteAtom>,
    points: [Point; AT_A_TIME],
) {
    let mut from = 0u32;
    while from < listed.len() {
        let picks = listed.picks(warp, site_atoms, from);
        let left = listed.len().wrapping_sub(from);
        add_to_some::<V>(warp, sums, picks.words(), left, points);
        from = from.wrapping_add(32);
    }
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn add_listed<V>(
    warp: &mut Warp,
    [to_a, to_b]: &mut Some,
    listed: WarpItems<Pick>,
    site_atoms: &Clamped<SiteAtom>,
    points: [Point; AT_A_TIME],
) {
    // In variables of their own, the sums stay in a core's registers.
    let (mut a, mut b) = (Around::nothing(warp), Around::nothing(warp));
    let mut from = 0u32;
    while from < listed.len() {
        let picks = listed.picks(warp, site_atoms, from);
        let [x, y, z, weights] = picks.words();
        let (x, y) = (warp.map(x, |_, x| *x), warp.map(y, |_, y| *y));
        let (z, weights) = (warp.map(z, |_, z| *z), warp.map(weights, |_, weights| *weights));
        a.add::<[V; 0]>(warp, [&x, &y, &z, &weights], points[0]);
        b.add::<[V; 1]>(warp, [&x, &y, &z, &weights], points[1]);
        from = from.wrapping_add(32);
    }
    (*to_a, *to_b) = (a, b);
}

/// Adds the atoms of the first `n` lanes to the sums of two points.
#[inline(always)]
fn add_to_some<V>(
    warp: &mut Warp,
    [a, b]: &mut Some,
    [x, y, z, weights]: [&PerLane<f32>; 4],
    n: u32,
    points: [Point; AT_A_TIME],
) {
    // Lanes without an atom get one that is far from all points.
    let x = warp.map(x, |lane, x| if lane.index() < n { *x } else { f32::INFINITY });
    // Copies, which are registers on a device: on a CPU they show the compiler that no sum lies in the list, so that it
    // processes several lanes at a time.
    let [y, z, weights] = [y, z, weights].map(|word| warp.map(word, |_, word| *word));
    a.add::<V>(warp, [&x, &y, &z, &weights], points[0]);
    b.add::<V>(warp, [&x, &y, &z, &weights], points[1]);
}
