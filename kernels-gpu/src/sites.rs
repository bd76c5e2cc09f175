//! Ligand-binding sites: how likely residues are to line one, and where they are.
//!
//! Of each heavy atom [`crate::points`] has a sum. A residue has the largest of its atoms; sites are the atoms with the
//! largest sums that are far enough from each other, with the points around them.

use crate::atoms::cells::{Bounds, Cells, Region};
use crate::points::{PointAtom, Spot, distance2};
use crate::scratch::{CellWords, Frame};
use cuda_std::math::{NAN, exp, fma, ln, to_u32};
use cuda_std::prelude::*;
use shared_types::feature::column;
use shared_types::site_model::{
    APART, AROUND, DIRECTIONS, MOST_SITES, PROBE, RESIDUE_BIAS, RESIDUE_SLOPE, SITE_BIAS, SITE_SLOPE, SUM_UNIT,
};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, Site, StructureSummary};

/// No atom, and no site.
const NONE: u32 = u32::MAX;
/// Distances are added up in this part of 1 Å, and areas in this part of 1 Å^2.
const PART: f32 = 1024.0;
/// Threads that share the atoms of a row of cells.
const THREADS_PER_ROW: u32 = 4;

/// Scores every residue of a batch and finds the sites: block `i` takes structure `i`.
///
/// - `output`: a row of features a residue, of which `site_score` is written.
/// - `site_ids`: the site that the residue is part of, counted from 0 in its structure, or -1.
/// - `summaries`: one a structure, of which `sites` is written.
/// - `sites`: [`MOST_SITES`] a structure, by falling score; those that are not there are zero.
/// - `labels`: scratch, one element a heavy atom.
/// - `best`: scratch, one element a residue.
/// - `sums`: what [`fn@crate::points::site_sums`] found, and what it read.
/// - `residue_atoms`: as in [`fn@crate::atom_cells`].
#[kernel(threads = 128, blocks_per_sm = 6)]
pub fn binding_sites(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    site_ids: &mut Segment<i32>,
    summaries: &mut Segment<StructureSummary>,
    sites: &mut Segment<Site>,
    labels: &mut Segment<u32>,
    best: &mut Segment<u32>,
    sums: &[u32],
    spots: &[Spot],
    point_atoms: &[PointAtom],
    descriptors: &[BatchStructureDesc],
    residue_atoms: &[u32],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
    config: MegaFusedConfig,
) {
    enum Here {}
    let index = block.index();
    let structure = descriptors.at(index);
    let (n, rows, first) = (structure.n_atoms, structure.n_residues, labels.start());
    let frame = frame.fill(block, 1, |_| frames.at(index));
    let cells = Cells::of(View::of(cells.part(first, n).as_flattened()), n, &frame);
    let found = Found {
        sums: View::of(sums.part(first, n)),
        point_atoms: View::of(point_atoms.part(first, n)),
        sorted: View::of(sorted.part(first, n)),
        cells: &cells,
        spots,
    };
    best.fill(block, rows, |i| {
        let begin = residue_atoms.at(structure.ca_offset + i);
        let end = if i + 1 < rows { residue_atoms.at(structure.ca_offset + i + 1) } else { n };
        let (mut most, mut place) = (0, NONE);
        for atom in begin..end {
            let own = cells.place.get(atom);
            if place == NONE || found.sums.get(own) > most {
                (most, place) = (found.sums.get(own), own);
            }
        }
        place
    });
    output.update(block, rows, |i, row| {
        let place = best.get(i);
        row.columns[column::SITE_SCORE] =
            if place == NONE { NAN } else { logistic(RESIDUE_SLOPE, RESIDUE_BIAS, found.sums.get(place)) };
    });
    let count = find::<Here>(block, n, &found, labels, sites);
    summaries.update(block, 1, |_, summary| summary.sites = count);
    site_ids.fill(block, rows, |i| {
        let place = best.get(i);
        // (NaN is below any threshold.)
        let is_part = output.get(i).columns[column::SITE_SCORE] >= config.site_threshold;
        // No site is -1.
        if is_part && place != NONE { labels.get(place) as i32 } else { -1 }
    });
}

/// The probability of which the logit is linear in the logarithm of a sum.
#[inline(always)]
fn logistic(slope: f32, bias: f32, sum: u32) -> f32 {
    let logit = fma(slope, ln((sum as f32 + 1.0) / SUM_UNIT), bias);
    1.0 / (1.0 + exp(-logit))
}

/// What is known of a structure's heavy atoms, in the order of cells.
struct Found<'a> {
    sums: View<'a, u32>,
    point_atoms: View<'a, PointAtom>,
    sorted: View<'a, Atom>,
    cells: &'a Cells<'a>,
    /// The batch's points.
    spots: &'a [Spot],
}

impl Found<'_> {
    /// Larger for a larger sum, and of equal ones for the atom that comes first.
    #[inline(always)]
    fn key(&self, k: u32) -> u64 {
        u64::from(self.sums.get(k)) << 32 | u64::from(!self.cells.order.get(k))
    }

    /// Calls `f` with position and score of those points of an atom that are within [`AROUND`] of a peak.
    #[inline(always)]
    fn each_point(&self, k: u32, peak: [f32; 3], mut f: impl FnMut([f32; 3], u32)) {
        let (points, atom) = (self.point_atoms.get(k), self.sorted.get(k));
        let far = AROUND + (atom.radius + PROBE) + 0.01;
        if points.directions() == 0 || unfused(peak, self.at(k)) > far * far {
            return;
        }
        for k in 0..points.count() {
            let spot = self.spots.at(points.first + k);
            if distance2(peak, spot.at()) <= AROUND * AROUND {
                f(spot.at(), spot.score);
            }
        }
    }

    /// The area that each point of an atom stands for, in [`PART`]: those that there was no room for are shared out.
    #[inline(always)]
    fn area_per_point(&self, k: u32) -> u64 {
        let (points, reach) = (self.point_atoms.get(k), self.sorted.get(k).radius + PROBE);
        let count = points.count();
        if count == 0 {
            return 0;
        }
        let share = points.exposed() as f32 / (count as f32 * DIRECTIONS.len() as f32);
        u64::from(to_u32(4.0 * core::f32::consts::PI * reach * reach * share * PART))
    }

    #[inline(always)]
    fn at(&self, k: u32) -> [f32; 3] {
        let atom = self.sorted.get(k);
        [atom.x, atom.y, atom.z]
    }
}

/// The square of a distance, for what looks at all atoms: where closures have no fused operation, a core would call one.
#[inline(always)]
fn unfused(a: [f32; 3], b: [f32; 3]) -> f32 {
    let (x, y, z) = (b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    x * x + y * y + z * z
}

/// Finds sites until there are enough, or no atom with a sum is left. Labels each atom with the first site that it is near,
/// or [`NONE`]. Returns how many there are.
#[inline(always)]
fn find<V>(block: &mut Block, n: u32, found: &Found, labels: &mut Segment<u32>, sites: &mut Segment<Site>) -> u32 {
    let larger = |a: u64, b: u64| if a > b { a } else { b };
    sites.fill(block, MOST_SITES as u32, |_| Site::default());
    let mut most = labels.fill_reduce(block, n, 0u64, |k| (NONE, found.key(k)), larger);
    let mut count = 0;
    while count < MOST_SITES as u32 && most >> 32 > 0 {
        let peak = !(most as u32);
        let place = found.cells.place.get(peak);
        let center = found.at(place);
        let site = Site { peak, ..site_of(around(block, found, center), center, (most >> 32) as u32) };
        sites.set(block, count, site);
        most = labels.update_reduce(
            block,
            n,
            0u64,
            |k, label| {
                // (Asked first, since most atoms soon have one, and nothing more is read of those.)
                if *label != NONE {
                    return 0;
                }
                if (unfused(site.center, found.at(k)) <= APART * APART) | (k == place) {
                    *label = count;
                    return 0;
                }
                found.key(k)
            },
            larger,
        );
        count += 1;
    }
    sites.update_by_warp(block, count, |warp, _, site| counted::<V>(warp, found, site));
    count
}

/// What the points around a peak add up to: positions from the peak in [`PART`] weighted by scores, and scores.
struct Sums {
    from_peak: [i64; 3],
    score: i64,
}

/// The atoms that may have points around a peak: some rows of cells.
struct Rows<'a> {
    cells: &'a Cells<'a>,
    of: Bounds,
    reach: f32,
    region: Region,
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn around(found: &Found<'a>, center: [f32; 3]) -> Self {
        let (of, reach) = (Bounds::at(center), AROUND + (found.cells.frame().largest + PROBE));
        Self { cells: found.cells, of, reach, region: found.cells.within(&of, reach) }
    }

    /// The atoms of row `k`; none behind the last.
    #[inline(always)]
    fn run(&self, k: u32) -> [u32; 2] {
        self.cells.run_within(self.region, k, &self.of, self.reach).ends()
    }
}

#[inline(always)]
fn around(block: &mut Block, found: &Found, center: [f32; 3]) -> Sums {
    let rows = Rows::around(found, center);
    let weighted = |part: u32| {
        let mut sums = [0i64; 4];
        let [first, end] = rows.run(part / THREADS_PER_ROW);
        let mut k = first + part % THREADS_PER_ROW;
        while k < end {
            found.each_point(k, center, |point, score| {
                for (sum, (at, from)) in sums.iter_mut().zip(point.into_iter().zip(center)) {
                    // Within 6 Å: not negative with 8 Å more.
                    let away = i64::from(to_u32((at - from + 8.0) * PART)) - 8 * PART as i64;
                    *sum += away * i64::from(score);
                }
                sums[3] += i64::from(score);
            });
            k += THREADS_PER_ROW;
        }
        sums
    };
    let parts = rows.region.rows() * THREADS_PER_ROW;
    let [x, y, z, score] = block.reduce(parts, [0i64; 4], weighted, |a, b| core::array::from_fn(|i| a[i] + b[i]));
    Sums { from_peak: [x, y, z], score }
}

/// The same site with what a warp counts around its peak: the points, and the area that they stand for.
#[inline(always)]
fn counted<V>(warp: &mut Warp, found: &Found, site: Site) -> Site {
    let center = found.at(found.cells.place.get(site.peak));
    let rows = Rows::around(found, center);
    let own = warp.per_lane(|lane| {
        let (mut sums, mut row) = ([0u64; 2], lane.index());
        while row < rows.region.rows() {
            let [first, end] = rows.run(row);
            for k in first..end {
                let mut points = 0u64;
                found.each_point(k, center, |_, _| points += 1);
                if points > 0 {
                    sums = [sums[0] + found.area_per_point(k) * points, sums[1] + points];
                }
            }
            row += 32;
        }
        sums
    });
    let [area, points] = warp.reduce(&own, |a, b| [a[0] + b[0], a[1] + b[1]]);
    Site { area: area as f32 / PART, points: points as u32, ..site }
}

#[inline(always)]
fn site_of(found: Sums, center: [f32; 3], sum: u32) -> Site {
    let scale = found.score as f32 * PART;
    Site {
        center: core::array::from_fn(|axis| center[axis] + found.from_peak[axis] as f32 / scale),
        score: sum as f32 / SUM_UNIT,
        probability: logistic(SITE_SLOPE, SITE_BIAS, sum),
        area: 0.0,
        peak: 0,
        points: 0,
    }
}
