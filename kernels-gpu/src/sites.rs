//! Ligand-binding sites, and the probability of each residue to line one.
//!
//! [`crate::points`] gives each heavy atom a sum of scores. The peaks of sites are the atoms with the largest sums that are far enough
//! from each other; a site has the points around its peak. Peaks follow from each other, so one block finds those of a structure. It does
//! nothing else. Another kernel scores residues, by the largest sum of their atoms among others.

mod peaks;

use crate::atoms::cells::{Bounds, Cells, Region};
use crate::groups::{FoundSites, ResidueItems, SitePoints, SortedAtoms};
use crate::items::RESIDUES_PER_ITEM;
#[cfg(not(target_arch = "nvptx64"))]
use crate::points::near::{Group, NearPoints};
use crate::points::{PointAtom, Spot, distance2, next_item};
use crate::scratch::{Frame, atoms_per_item};
use bytemuck::{Pod, Zeroable};
use cuda_std::lists::*;
use cuda_std::math::{NAN, exp, fma, ln, to_u32};
use cuda_std::prelude::*;
use shared_types::feature::column;
#[cfg(not(target_arch = "nvptx64"))]
use shared_types::site_model::CAPACITY;
use shared_types::site_model::{
    APART, CLOSE, DIRECTIONS, MOST_SITES, PROBE, RESIDUE_BEST, RESIDUE_BIAS, RESIDUE_CLOSE, RESIDUE_TOP, RESIDUE_WIDE,
    SITE_BIAS, SITE_SLOPE, SUM_UNIT, WIDE,
};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, Site, StructureSummary};

/// No atom.
const NONE: u32 = u32::MAX;
/// Distances are summed up in units of 1 Å divided by this, and areas in units of 1 Å^2 divided by this.
const PART: f32 = 1024.0;
/// Most groups of atoms in a structure. The largest sum of each group is kept.
const GROUPS: usize = 256;
/// Threads of a block of [`fn@site_scores`].
const SCORE_THREADS: usize = 128;
/// Room in a warp's list of points near several residues. A device does not use this list.
const NEAR: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 1024 };

/// Scores the residues of a batch, and finds the site of each. Block `i` takes those of item `i`.
///
/// - `output`: one row per residue; `site_score` is written.
/// - `site_ids`: the residue's site, counted from 0 in its structure, or -1.
/// - `found`: the results of [`fn@crate::site_sums`] and [`fn@binding_sites`].
#[kernel(threads = 128, blocks_per_sm = 8, avx512)]
pub fn site_scores(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    site_ids: &mut Segment<i32>,
    residues: ResidueItems<'_>,
    found: FoundSites<'_>,
    atoms: SortedAtoms<'_>,
    scratch: ResidueScratch<'_>,
    config: MegaFusedConfig,
) {
    enum Here {}
    let ResidueItems { items, descriptors, residue_atoms, .. } = residues;
    let FoundSites { points, summaries, sites } = found;
    let ResidueScratch { frame, peaks, best, scores, near } = scratch;
    let item = items.at(block.index());
    let structure = descriptors.at(item.structure);
    let (n, first, rows) = (structure.n_atoms, structure.atom_offset, site_ids.len());
    let frame = frame.fill(block, 1, |_| atoms.frames.at(item.structure));
    let cells = Cells::of(View::of(atoms.cells.part(first, n).as_flattened()), n, &frame);
    let found = Found::of(&points, &atoms, &cells, structure);
    let count = summaries.at(item.structure).sites;
    let sites = sites.part(item.structure * MOST_SITES as u32, MOST_SITES as u32);
    let peaks = peaks.fill(block, count, |k| {
        let site = sites.at(k);
        Peak { center: site.center, rank: cells.rank.get(site.peak) }
    });
    let best = best.fill(block, rows, |at| {
        let i = item.first + at;
        let begin = residue_atoms.at(structure.ca_offset + i);
        let end = if i + 1 < structure.n_residues { residue_atoms.at(structure.ca_offset + i + 1) } else { n };
        let (mut most, mut rank) = (0, NONE);
        for atom in begin..end {
            let own = cells.rank.get(atom);
            if rank == NONE || found.sums.get(own) > most {
                (most, rank) = (found.sums.get(own), own);
            }
        }
        rank
    });
    let top = if count == 0 { 0 } else { found.sums.get(peaks.get(0).rank) };
    let mut scores = scores.fill(block, rows, |_| NAN);
    #[cfg(target_arch = "nvptx64")]
    let _ = near;
    #[cfg(target_arch = "nvptx64")]
    scores.fill_by_warp(block, rows, |warp, at| {
        let rank = best.get(at);
        if rank == NONE { NAN } else { score(found.sums.get(rank), found.around::<Here>(warp, rank), top) }
    });
    #[cfg(not(target_arch = "nvptx64"))]
    scores.fill_by_lanes_with(block, rows, (near,), |warp, (near,), first| {
        let ranks = warp.per_lane(|lane| best.get((first + lane.index()).min(rows - 1)));
        let [close, wide] = found.around_all::<Here>(warp, near, &ranks, (rows - first).min(32));
        warp.map((&ranks, &close, &wide), |_, (rank, close, wide)| {
            if *rank == NONE { NAN } else { score(found.sums.get(*rank), [*close, *wide], top) }
        })
    });
    output.update(block, rows, |at, row| row.columns[column::SITE_SCORE] = scores.get(at));
    site_ids.fill(block, rows, |at| {
        // A residue without atoms has no score.
        let (rank, is_part) = (best.get(at), scores.get(at) >= config.site_threshold);
        if !is_part {
            return -1;
        }
        let at = found.at(rank);
        (0..count).find(|site| peaks.get(*site).takes(at, rank)).map_or(-1, u32::cast_signed)
    });
}

/// The probability of a residue to line a site, from the sum of its best atom, from the sums of a closer and of a wider neighbourhood
/// of this atom, and from the largest sum in the structure.
#[inline(always)]
fn score(best: u32, [close, wide]: [u32; 2], top: u32) -> f32 {
    let of_wide = fma(RESIDUE_WIDE, log(wide), fma(RESIDUE_TOP, log(top), RESIDUE_BIAS));
    logistic(fma(RESIDUE_BEST, log(best), fma(RESIDUE_CLOSE, log(close), of_wide)))
}

/// What a block of [`fn@site_scores`] works in.
#[derive(Arguments)]
pub struct ResidueScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// The structure's sites.
    peaks: &'a mut Shared<Peak, MOST_SITES>,
    /// The place of each residue's best atom.
    best: &'a mut Shared<u32, { RESIDUES_PER_ITEM as usize }>,
    /// The score of each residue.
    scores: &'a mut Shared<f32, { RESIDUES_PER_ITEM as usize }>,
    /// On CPU cores: points around, of each warp.
    near: &'a mut Shared<Pick, { SCORE_THREADS / 32 * NEAR }>,
}

/// What a block of [`fn@binding_sites`] works in.
#[derive(Arguments)]
pub struct SiteScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// The best atoms of each group of threads.
    tops: &'a mut Shared<Top, GROUPS>,
    /// The sites' centres.
    peaks: &'a mut Shared<Peak, MOST_SITES>,
}

/// Finds the sites: block `i` takes structure `i`.
///
/// - `summaries`: one per structure; `sites` is written.
/// - `sites`: [`MOST_SITES`] per structure, by decreasing score; unused ones are zero.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
pub fn binding_sites(
    block: &mut Block,
    summaries: &mut Segment<StructureSummary>,
    sites: &mut Segment<Site>,
    points: SitePoints<'_>,
    descriptors: &[BatchStructureDesc],
    atoms: SortedAtoms<'_>,
    scratch: SiteScratch<'_>,
) {
    enum Here {}
    let SiteScratch { frame, tops, peaks } = scratch;
    let index = block.index();
    let structure = descriptors.at(index);
    let n = structure.n_atoms;
    let frame = frame.fill(block, 1, |_| atoms.frames.at(index));
    let cells = Cells::of(View::of(atoms.cells.part(structure.atom_offset, n).as_flattened()), n, &frame);
    let found = Found::of(&points, &atoms, &cells, structure);
    let mut peaks = peaks.fill(block, MOST_SITES as u32, |_| Peak::default());
    #[cfg(target_arch = "nvptx64")]
    let count = peaks::find::<Here>(block, n, &found, tops, &mut peaks);
    #[cfg(target_arch = "nvptx64")]
    sites.fill_by_warp(block, MOST_SITES as u32, |warp, i| {
        if i < count { peaks::site::<Here>(warp, &found, peaks.get(i)) } else { Site::default() }
    });
    #[cfg(not(target_arch = "nvptx64"))]
    sites.fill(block, MOST_SITES as u32, |_| Site::default());
    #[cfg(not(target_arch = "nvptx64"))]
    let count = peaks::find::<Here>(block, n, &found, tops, &mut peaks, sites);
    summaries.update(block, 1, |_, summary| summary.sites = count);
}

#[inline(always)]
fn position(atom: Atom) -> [f32; 3] {
    [atom.x, atom.y, atom.z]
}

/// The logarithm of a sum. It is finite for 0, too.
#[inline(always)]
fn log(sum: u32) -> f32 {
    ln((sum as f32 + 1.0) / SUM_UNIT)
}

#[inline(always)]
fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + exp(-logit))
}

/// The peak of a site, and the centre of the points around it.
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Peak {
    center: [f32; 3],
    rank: u32,
}

impl Peak {
    /// Whether an atom is too near to be a further peak.
    #[inline(always)]
    fn takes(&self, at: [f32; 3], rank: u32) -> bool {
        (unfused(self.center, at) <= APART * APART) | (rank == self.rank)
    }
}

/// The candidate of a group of atoms for the next peak.
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(C, align(8))]
pub struct Top {
    /// 0 if the group has no candidate.
    key: u64,
    at: [f32; 3],
    rank: u32,
}

/// Results for a structure's heavy atoms, in the order of cells.
struct Found<'a> {
    sums: View<'a, u32>,
    point_atoms: View<'a, PointAtom>,
    sorted: View<'a, Atom>,
    cells: &'a Cells<'a>,
    /// The points of the whole batch.
    spots: &'a [Spot],
    /// Atoms of an item. The points of an item are contiguous.
    per_item: u32,
    /// The index in the batch of the structure's first atom.
    #[cfg(not(target_arch = "nvptx64"))]
    first: u32,
}

impl<'a> Found<'a> {
    #[inline(always)]
    fn of(points: &SitePoints<'a>, atoms: &SortedAtoms<'a>, cells: &'a Cells<'a>, of: BatchStructureDesc) -> Self {
        let (n, first) = (of.n_atoms, of.atom_offset);
        Self {
            sums: View::of(points.sums.part(first, n)),
            point_atoms: View::of(points.point_atoms.part(first, n)),
            sorted: View::of(atoms.sorted.part(first, n)),
            cells,
            spots: points.spots,
            per_item: atoms_per_item(n),
            #[cfg(not(target_arch = "nvptx64"))]
            first,
        }
    }

    /// Orders atoms by their sums, and equal sums by the order of the file: the largest key is the next peak. 0 without a
    /// sum.
    #[inline(always)]
    #[cfg(target_arch = "nvptx64")]
    fn key(&self, k: u32) -> u64 {
        let sum = self.sums.get(k);
        if sum == 0 { 0 } else { u64::from(sum) << 32 | u64::from(!self.cells.order.get(k)) }
    }

    /// Calls `f` with position and score of the points of atoms `at .. end` that are within `reach` of `center`. Of
    /// all points it looks at every `step`-th one from number `first` on.
    #[inline(always)]
    fn each_point_of(
        &self,
        [mut at, end]: [u32; 2],
        [first, step]: [u32; 2],
        (center, reach): ([f32; 3], f32),
        mut f: impl FnMut([f32; 3], u32),
    ) {
        while at < end {
            // The points of consecutive atoms are contiguous within an item.
            let behind = end.min(next_item(at, self.per_item));
            let (from, to) = (self.point_atoms.get(at), self.point_atoms.get(behind - 1));
            let mut k = from.first + first;
            while k < to.first + to.count() {
                let spot = self.spots.at(k);
                if is_within(reach, center, spot.at()) {
                    f(spot.at(), spot.score);
                }
                k += step;
            }
            at = behind;
        }
    }

    /// The area that each point of an atom stands for, in the unit of [`PART`]. Kept points share the area of dropped ones.
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
        position(self.sorted.get(k))
    }

    /// The site of a peak, from the area and the number of the points around it.
    #[inline(always)]
    fn site(&self, peak: Peak, [area, points]: [u64; 2]) -> Site {
        let sum = self.sums.get(peak.rank);
        Site {
            center: peak.center,
            score: sum as f32 / SUM_UNIT,
            probability: logistic(fma(SITE_SLOPE, log(sum), SITE_BIAS)),
            area: area as f32 / PART,
            peak: self.cells.order.get(peak.rank),
            points: points as u32,
        }
    }

    /// The sums of the scores of the points within [`CLOSE`] and within [`WIDE`] of an atom. They saturate at 2^32 - 1.
    #[inline(always)]
    fn around<V>(&self, warp: &mut Warp, k: u32) -> [u32; 2] {
        let at = self.at(k);
        let rows = Rows::within(self, WIDE, at);
        let own = warp.per_lane(|lane| {
            let (mut close, mut wide, mut row) = (0u32, 0u32, lane.index());
            while row < rows.region.rows() {
                self.each_point_of(rows.run(row), [0, 1], (at, WIDE), |point, score| {
                    close = close.saturating_add(if is_close(at, point) { score } else { 0 });
                    wide = wide.saturating_add(score);
                });
                row += 32;
            }
            [close, wide]
        });
        warp.reduce(&own, |a, b| [a[0].saturating_add(b[0]), a[1].saturating_add(b[1])])
    }

    /// The same for the atoms of the first `n` lanes, which may be [`NONE`]. Those that lie close together share a list of the points
    /// around.
    #[inline(always)]
    #[cfg(not(target_arch = "nvptx64"))]
    fn around_all<V>(
        &self,
        warp: &mut Warp,
        near: &mut WarpList<Pick>,
        ranks: &PerLane<u32>,
        n: u32,
    ) -> [PerLane<u32>; 2] {
        let (mut all_close, mut all_wide) = (warp.per_lane(|_| 0u32), warp.per_lane(|_| 0u32));
        if self.sorted.is_empty() {
            return [all_close, all_wide];
        }
        let begin = CAPACITY * self.first;
        let (sorted, point_atoms) = (self.sorted.clamped(), self.point_atoms.clamped());
        let spots = View::of(self.spots.part(begin, CAPACITY * self.sorted.len())).clamped();
        let at = warp.map(ranks, |_, rank| sorted.get(*rank));
        let x = warp.map(&at, |_, atom| atom.x);
        let y = warp.map(&at, |_, atom| atom.y);
        let z = warp.map(&at, |_, atom| atom.z);
        Group::each::<V>(warp, [&x, &y, &z], n, |warp, Group { mut lanes, bounds: of }| {
            near.clear(warp);
            let (cells, per_item) = (self.cells, self.per_item);
            let around = NearPoints { cells, of, distance: WIDE, point_atoms, per_item, begin };
            around.each_ranges::<V>(warp, |warp, ranges| {
                near.push_ranges_where(warp, &spots, ranges, |_, point| around.may_count(point));
            });
            // A point that is far from all atoms, for lanes without one.
            near.pad(warp, [f32::INFINITY, 0.0, 0.0, 0.0]);
            let points = near.items(warp);
            while lanes != 0 {
                let k = lanes.trailing_zeros();
                lanes &= lanes.wrapping_sub(1);
                let center = [&x, &y, &z].map(|at| warp.broadcast(at, k));
                let [close, wide] = if points.is_complete() {
                    let (mut close, mut wide) = (warp.per_lane(|_| 0u32), warp.per_lane(|_| 0u32));
                    let mut from = 0u32;
                    while from < points.len() {
                        let picks = points.picks(warp, &spots, from);
                        let [px, py, pz, score] = picks.words();
                        warp.each_with(&mut close, ((px, py), (pz, score)), |_, sum, ((px, py), (pz, score))| {
                            let is_close = is_close(center, [*px, *py, *pz]);
                            *sum = sum.saturating_add(if is_close { score.to_bits() } else { 0 });
                        });
                        warp.each_with(&mut wide, ((px, py), (pz, score)), |_, sum, ((px, py), (pz, score))| {
                            let is_near = distance2(center, [*px, *py, *pz]) <= WIDE * WIDE;
                            *sum = sum.saturating_add(if is_near { score.to_bits() } else { 0 });
                        });
                        from = from.wrapping_add(32);
                    }
                    [warp.reduce(&close, u32::saturating_add), warp.reduce(&wide, u32::saturating_add)]
                } else {
                    // The list has no room for all.
                    let rank = warp.broadcast(ranks, k);
                    if rank == NONE { [0; 2] } else { self.around::<V>(warp, rank) }
                };
                warp.each(&mut all_close, |lane, own| *own = if lane.index() == k { close } else { *own });
                warp.each(&mut all_wide, |lane, own| *own = if lane.index() == k { wide } else { *own });
            }
        });
        [all_close, all_wide]
    }
}

/// The squared distance, for loops over many atoms. On CPU cores, closures here have no fused instruction and would call a
/// function for it.
#[inline(always)]
fn unfused(a: [f32; 3], b: [f32; 3]) -> f32 {
    let (x, y, z) = (b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    x * x + y * y + z * z
}

/// Whether a point is within [`CLOSE`] of an atom.
#[inline(always)]
fn is_close(atom: [f32; 3], point: [f32; 3]) -> bool {
    distance2(atom, point) <= CLOSE * CLOSE
}

/// Whether a point is within `reach` of a centre. Most are not, and need no fused operation.
#[inline(always)]
fn is_within(reach: f32, center: [f32; 3], point: [f32; 3]) -> bool {
    unfused(center, point) <= reach * reach + 0.01 && distance2(center, point) <= reach * reach
}

/// The rows of cells whose atoms may have points within a distance of a place.
struct Rows<'a> {
    cells: &'a Cells<'a>,
    of: Bounds,
    reach: f32,
    region: Region,
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn within(found: &Found<'a>, distance: f32, of: [f32; 3]) -> Self {
        let (of, reach) = (Bounds::at(of), distance + (found.cells.frame().largest + PROBE));
        Self { cells: found.cells, of, reach, region: found.cells.within(&of, reach) }
    }

    /// The range of atoms in row `k`; empty after the last row.
    #[inline(always)]
    fn run(&self, k: u32) -> [u32; 2] {
        self.cells.run_within(self.region, k, &self.of, self.reach).ends()
    }
}
