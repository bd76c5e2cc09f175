//! Sums of a residue over others: those within 18 Å, and for `wcn` all of them.
//!
//! A block that computes a small structure passes over all pairs once. In a large structure, [`near_rows`] walks to those that are
//! near, and [`weighted_contacts`] passes over all pairs. Both ways add in the same order, so they give the same bits.

use super::alpha_carbons::linked;
use super::{Rows, TEAM};
use crate::boxes::{Boxes, FAN};
use crate::scratch::{AlphaCarbon, Traits};
use crate::vector::Vector;
use cuda_std::math::{NAN, canonical, exp_bounded, reciprocal_bounded};
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::{ROW_WIDTH, column};
use shared_types::residue::{CHARGE, HYDROPATHY, VOLUME};

/// Atoms closer than 1e-15 Å, squared, are at one position.
const COINCIDENT2: f32 = 1e-30;
/// Reach of the Gaussian weights, 18 Å, squared.
const LOCAL2: f32 = 18.0 * 18.0;
/// Radius of the half spheres, 12 Å, squared.
const HALF_SPHERE2: f32 = 12.0 * 12.0;
/// Reach of the charges, 10 Å, squared.
const CHARGE2: f32 = 10.0 * 10.0;
/// -1 / (2 s^2) with s = 6 Å.
const FALL_OFF: f32 = -1.0 / 72.0;

// A residue's sums over the others. Counts are exact up to 2^24; a mean is a sum with its weight after it.
const WCN: usize = 0;
const HALF_SPHERES: usize = 1;
const UPPER: usize = 2;
const CHARGES: usize = 3;
const HYDROPATHIES: usize = 4;
const CONSERVATIONS: usize = 6;
const FREQS: usize = 8;
const VELOCITIES: usize = 10;

/// Number of sums without those over annotations, which most structures do not have.
const WITHOUT_ANNOTATION: usize = CONSERVATIONS;
/// Number of sums with those over annotations.
const WITH_ANNOTATION: usize = VELOCITIES + 2;

/// The direction of residue `i`'s side chain as the half-sphere exposure sees it (Hamelryck 2005): the sum of the
/// unit vectors from both neighbours; NaN unless both are linked.
#[inline(always)]
pub fn side_chain_axis(alpha_carbons: View<AlphaCarbon>, n: u32, i: u32) -> [f32; 3] {
    if i == 0 || i + 1 >= n {
        return [NAN; 3];
    }
    let (before, here, after) = (alpha_carbons.get(i - 1), alpha_carbons.get(i), alpha_carbons.get(i + 1));
    if linked(before, here) && linked(here, after) {
        let Vector { x, y, z } = before.to(here).unit().plus(after.to(here).unit());
        [x, y, z]
    } else {
        [NAN; 3]
    }
}

/// What a residue reads of its structure.
pub struct Others<'a> {
    pub alpha_carbons: View<'a, AlphaCarbon>,
    pub traits: View<'a, Traits>,
    /// Each residue's [`side_chain_axis`].
    pub axes: View<'a, [f32; 3]>,
}

/// Writes rows with the columns from pairs and tables. `kind` gives a residue's type.
#[inline(always)]
pub fn rows(
    block: &mut Block,
    rows: Rows,
    kind: impl Fn(u32) -> u32 + Sync,
    annotated: bool,
    others: &Others,
    output: &mut Segment<FeatureRow>,
) {
    if annotated {
        rows_with::<WITH_ANNOTATION>(block, rows, kind, others, output);
    } else {
        rows_with::<WITHOUT_ANNOTATION>(block, rows, kind, others, output);
    }
}

/// Writes rows with the columns from tables and inputs, for requests without pairs.
#[inline(always)]
pub fn rows_without(
    block: &mut Block,
    rows: Rows,
    kind: impl Fn(u32) -> u32 + Sync,
    traits: View<Traits>,
    output: &mut Segment<FeatureRow>,
) {
    output.fill(block, rows.count, |at| {
        let i = rows.row(at);
        FeatureRow { columns: given(kind(i), traits.get(i)) }
    });
}

/// The values of a residue from tables and inputs.
#[inline(always)]
fn given(kind: u32, given: Traits) -> [f32; ROW_WIDTH] {
    let mut columns = [0.0; ROW_WIDTH];
    columns[column::HYDROPATHY] = canonical(HYDROPATHY.at(kind));
    columns[column::CHARGE] = canonical(CHARGE.at(kind));
    columns[column::VOLUME] = canonical(VOLUME.at(kind));
    columns[column::CONSERVATION] = canonical(given.conservation);
    columns[column::GISAID_FREQ] = canonical(given.freq);
    columns[column::GISAID_VELOCITY] = canonical(given.velocity);
    columns
}

#[inline(always)]
fn rows_with<const SUMS: usize>(
    block: &mut Block,
    rows: Rows,
    kind: impl Fn(u32) -> u32 + Sync,
    &Others { alpha_carbons, traits, axes }: &Others,
    output: &mut Segment<FeatureRow>,
) {
    output.fill_by_team::<TEAM>(block, rows.count, |team, at| {
        let i = rows.row(at);
        let carbon = alpha_carbons.get(i);
        let [x, y, z] = axes.get(i);
        let axis = Vector { x, y, z };
        let plus = |a: [f32; SUMS], b: [f32; SUMS]| core::array::from_fn(|at| a[at] + b[at]);
        let sums = if cfg!(target_arch = "nvptx64") {
            let step = |sums, j| step(sums, carbon, axis, i, j, alpha_carbons, traits);
            team.reduce(rows.all, [0.0; SUMS], step, plus)
        } else {
            let of_all = |_, other| {
                let d2 = carbon.to(other).norm2();
                (d2 < LOCAL2, [weighted_contact(d2)])
            };
            let add_of_all = |mut sums: [f32; SUMS], [contact]: [f32; 1]| {
                sums[WCN] += contact;
                sums
            };
            let parts = |j, other, traits| parts::<SUMS>(carbon, axis, i, j, other, traits);
            let others = (alpha_carbons, traits);
            team.reduce_near_parts(rows.all, others, [0.0; SUMS], (of_all, add_of_all), (parts, add), plus)
        };
        row_of(kind(i), traits.get(i), carbon, axis, sums)
    });
}

/// As [`rows`] except for column `wcn`, in a structure with a tree of boxes. Its work grows with the number of rows.
#[inline(always)]
pub fn near_rows<V>(
    block: &mut Block,
    rows: Rows,
    kind: impl Fn(u32) -> u32 + Sync,
    annotated: bool,
    (others, boxes): (&Others, Boxes),
    output: &mut Segment<FeatureRow>,
) {
    if annotated {
        near_rows_with::<V, WITH_ANNOTATION>(block, rows, kind, others, boxes, output);
    } else {
        near_rows_with::<V, WITHOUT_ANNOTATION>(block, rows, kind, others, boxes, output);
    }
}

#[inline(always)]
fn near_rows_with<V, const SUMS: usize>(
    block: &mut Block,
    rows: Rows,
    kind: impl Fn(u32) -> u32 + Sync,
    &Others { alpha_carbons, traits, axes }: &Others,
    boxes: Boxes,
    output: &mut Segment<FeatureRow>,
) {
    let (all, of_all) = (alpha_carbons.clamped(), traits.clamped());
    output.fill_by_team::<TEAM>(block, rows.count, |team, at| {
        let i = rows.row(at);
        let carbon = alpha_carbons.get(i);
        let [x, y, z] = axes.get(i);
        let axis = Vector { x, y, z };
        let mut near = boxes.near::<V>(team, carbon.position(), LOCAL2);
        #[cfg(target_arch = "nvptx64")]
        let sums = {
            let mut sums = team.per_member(|_| [0.0; SUMS]);
            while let Some(leaf) = near.next::<V>(team) {
                team.each(&mut sums, |k, sums| {
                    let j = FAN.wrapping_mul(leaf).wrapping_add(k);
                    if j < rows.all {
                        *sums = near_step(*sums, carbon, axis, i, j, all.get(j), || of_all.get(j));
                    }
                });
            }
            sums
        };
        #[cfg(not(target_arch = "nvptx64"))]
        let sums = {
            // Equal words lie together, so that a core computes several residues at a time.
            let mut sums = [[0.0; FAN as usize]; SUMS];
            while let Some(leaf) = near.next::<V>(team) {
                if boxes.nearer::<V>(team, leaf, carbon.position(), LOCAL2) == 0 {
                    continue;
                }
                let mut words = [[0.0; FAN as usize]; SUMS];
                for k in 0..FAN {
                    let j = FAN.wrapping_mul(leaf).wrapping_add(k);
                    let other = if j < rows.all { all.get(j) } else { AlphaCarbon::NOWHERE };
                    let own = parts::<SUMS>(carbon, axis, i, j, other, of_all.get(j));
                    for word in 0..SUMS {
                        words[word][k as usize] = own[word];
                    }
                }
                for k in 0..FAN as usize {
                    let (mut own, mut parts) = ([0.0; SUMS], [0.0; SUMS]);
                    for word in 0..SUMS {
                        (own[word], parts[word]) = (sums[word][k], words[word][k]);
                    }
                    own = add(own, parts);
                    for word in 0..SUMS {
                        sums[word][k] = own[word];
                    }
                }
            }
            team.per_member(|k| core::array::from_fn(|word| sums[word][k as usize]))
        };
        let plus = |a: [f32; SUMS], b: [f32; SUMS]| core::array::from_fn(|at| a[at] + b[at]);
        row_of(kind(i), traits.get(i), carbon, axis, team.combine(&sums, plus))
    });
}

/// Column `wcn` of rows that are there, from all pairs; undefined unless it `is_wanted`.
#[inline(always)]
pub fn weighted_contacts<V>(
    block: &mut Block,
    rows: Rows,
    alpha_carbons: View<AlphaCarbon>,
    is_wanted: bool,
    output: &mut Segment<FeatureRow>,
) {
    let others = if is_wanted { rows.all } else { 0 };
    output.update_by_team::<TEAM, _>(
        block,
        rows.count,
        |team, at| {
            let carbon = alpha_carbons.get(rows.row(at));
            let part = |_, other, _: AlphaCarbon| [weighted_contact(carbon.to(other).norm2())];
            let both = (alpha_carbons, alpha_carbons);
            let plus = |[a]: [f32; 1], [b]: [f32; 1]| [a + b];
            let [sum] = team.reduce_parts(others, both, [0.0], part, plus, plus);
            if is_wanted && carbon.exists() { sum } else { NAN }
        },
        |sum, row| row.columns[column::WCN] = sum,
    );
}

/// A residue's row, from tables and its sums.
#[inline(always)]
fn row_of<const SUMS: usize>(
    kind: u32,
    given: Traits,
    carbon: AlphaCarbon,
    axis: Vector,
    sums: [f32; SUMS],
) -> FeatureRow {
    let mean = |at: usize| if at < SUMS { canonical(sums[at] / sums[at + 1]) } else { NAN };
    let known = |x: f32| if carbon.exists() { x } else { NAN };
    let exposed = |x: f32| if axis.x.is_nan() { NAN } else { x };
    let mut columns = [0.0; ROW_WIDTH];
    columns[column::WCN] = known(sums[WCN]);
    columns[column::HSE_UP] = exposed(sums[UPPER]);
    columns[column::HSE_DOWN] = exposed(sums[HALF_SPHERES] - sums[UPPER]);
    columns[column::HYDROPATHY] = HYDROPATHY.at(kind);
    columns[column::HYDROPATHY_LOCAL] = mean(HYDROPATHIES);
    columns[column::CHARGE] = CHARGE.at(kind);
    columns[column::CHARGE_LOCAL] = known(sums[CHARGES]);
    columns[column::VOLUME] = VOLUME.at(kind);
    columns[column::CONSERVATION] = canonical(given.conservation);
    columns[column::CONSERVATION_LOCAL] = mean(CONSERVATIONS);
    columns[column::GISAID_FREQ] = canonical(given.freq);
    columns[column::GISAID_VELOCITY] = canonical(given.velocity);
    columns[column::FREQ_LOCAL] = mean(FREQS);
    columns[column::VELOCITY_LOCAL] = mean(VELOCITIES);
    FeatureRow { columns }
}

/// Adds residue `j` to the sums of residue `i`. This is for devices: a warp skips what none of its pairs needs.
#[inline(always)]
fn step<const SUMS: usize>(
    mut sums: [f32; SUMS],
    carbon: AlphaCarbon,
    axis: Vector,
    i: u32,
    j: u32,
    alpha_carbons: View<AlphaCarbon>,
    traits: View<Traits>,
) -> [f32; SUMS] {
    let other = alpha_carbons.get(j);
    sums[WCN] += weighted_contact(carbon.to(other).norm2());
    near_step(sums, carbon, axis, i, j, other, || traits.get(j))
}

/// Adds residue `j` to the sums of residue `i` except that of contacts.
#[inline(always)]
fn near_step<const SUMS: usize>(
    mut sums: [f32; SUMS],
    carbon: AlphaCarbon,
    axis: Vector,
    i: u32,
    j: u32,
    other: AlphaCarbon,
    traits: impl Fn() -> Traits,
) -> [f32; SUMS] {
    let to = carbon.to(other);
    let d2 = to.norm2();
    if d2 < LOCAL2 {
        let weight = exp_bounded(d2 * FALL_OFF);
        let traits = traits();
        let mut add = |at: usize, value: f32| {
            if !value.is_nan() {
                sums[at] = math::fma(weight, value, sums[at]);
                sums[at + 1] += weight;
            }
        };
        add(HYDROPATHIES, traits.hydropathy);
        if SUMS == WITH_ANNOTATION {
            add(CONSERVATIONS, traits.conservation);
            add(FREQS, traits.freq);
            add(VELOCITIES, traits.velocity);
        }
        if d2 < HALF_SPHERE2 && i != j && other.in_fragment() {
            sums[HALF_SPHERES] += 1.0;
            if to.dot(axis) > 0.0 {
                sums[UPPER] += 1.0;
            }
        }
        if d2 <= CHARGE2 {
            sums[CHARGES] += other.charge();
        }
    }
    sums
}

/// A pair's part of `wcn`. The residue itself and coinciding atoms are at distance 0, a missing atom at NaN.
#[inline(always)]
fn weighted_contact(d2: f32) -> f32 {
    if d2 > COINCIDENT2 { reciprocal_bounded(d2) } else { 0.0 }
}

/// What sums take for nothing: adding it keeps the bits of every number, and so does adding its product with a weight of 0.
const NOTHING: f32 = -0.0;

/// What residue `j` adds to the sums of residue `i` except that of contacts, for cores: in place of a mean's sum its value, before the
/// weight. A residue that is not within [`LOCAL2`] changes no sum. There is no branch, so a core computes several pairs at a time. With
/// [`add`], the bits are those of [`step`].
#[inline(always)]
fn parts<const SUMS: usize>(
    carbon: AlphaCarbon,
    axis: Vector,
    i: u32,
    j: u32,
    other: AlphaCarbon,
    traits: Traits,
) -> [f32; SUMS] {
    let to = carbon.to(other);
    let d2 = to.norm2();
    let mut parts = [0.0; SUMS];
    let (weight, is_local) = (exp_bounded(d2 * FALL_OFF), d2 < LOCAL2);
    let mut mean = |at: usize, value: f32| {
        let is_known = is_local & !value.is_nan();
        parts[at] = if is_known { value } else { NOTHING };
        parts[at + 1] = if is_known { weight } else { 0.0 };
    };
    mean(HYDROPATHIES, traits.hydropathy);
    if SUMS == WITH_ANNOTATION {
        mean(CONSERVATIONS, traits.conservation);
        mean(FREQS, traits.freq);
        mean(VELOCITIES, traits.velocity);
    }
    let is_in_sphere = (d2 < HALF_SPHERE2) & (i != j) & other.in_fragment();
    parts[HALF_SPHERES] = if is_in_sphere { 1.0 } else { NOTHING };
    parts[UPPER] = if is_in_sphere & (to.dot(axis) > 0.0) { 1.0 } else { NOTHING };
    parts[CHARGES] = if d2 <= CHARGE2 { other.charge() } else { NOTHING };
    parts
}

/// Adds a pair's parts to the sums.
#[inline(always)]
fn add<const SUMS: usize>(mut sums: [f32; SUMS], parts: [f32; SUMS]) -> [f32; SUMS] {
    sums[HALF_SPHERES] += parts[HALF_SPHERES];
    sums[UPPER] += parts[UPPER];
    sums[CHARGES] += parts[CHARGES];
    let mut mean = |at: usize| {
        sums[at] = math::fma(parts[at + 1], parts[at], sums[at]);
        sums[at + 1] += parts[at + 1];
    };
    mean(HYDROPATHIES);
    if SUMS == WITH_ANNOTATION {
        mean(CONSERVATIONS);
        mean(FREQS);
        mean(VELOCITIES);
    }
    sums
}
