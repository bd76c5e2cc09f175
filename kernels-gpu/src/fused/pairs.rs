//! The pass over all pairs of residues.

use super::TEAM;
use super::places::{Inputs, linked};
use crate::scratch::{Place, Traits};
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_std::math::{NAN, canonical, exp_bounded};
use cuda_std::prelude::*;
use shared_types::feature::{ROW_WIDTH, column};
use shared_types::residue::{CHARGE, HYDROPATHY, VOLUME};
use shared_types::{FeatureRow, feature::FeatureRow as Row};

/// Reach of the Gaussian weights, 18 Å, squared.
const LOCAL2: f32 = 18.0 * 18.0;
/// Radius of the half spheres, 12 Å, squared.
const HALF_SPHERE2: f32 = 12.0 * 12.0;
/// Reach of the charges, 10 Å, squared.
const CHARGE2: f32 = 10.0 * 10.0;
/// -1 / (2 s^2) with s = 6 Å.
const FALL_OFF: f32 = -1.0 / 72.0;

/// A residue's sums over the others. Counts are exact up to 2^24.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Around {
    wcn: f32,
    half_spheres: f32,
    hse_up: f32,
    charge: f32,
    hydropathy: Mean,
}

/// Further sums, where a structure has annotation.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Annotation {
    conservation: Mean,
    freq: Mean,
    velocity: Mean,
}

/// A weighted mean in the making.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Mean {
    sum: f32,
    weight: f32,
}

impl Mean {
    /// Adds a value that may be missing.
    #[inline(always)]
    fn add(&mut self, value: f32, weight: f32) {
        if !value.is_nan() {
            self.sum = math::fma(weight, value, self.sum);
            self.weight += weight;
        }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, weight: self.weight + other.weight }
    }

    /// The mean; NaN of nothing.
    #[inline(always)]
    fn value(self) -> f32 {
        canonical(self.sum / self.weight)
    }
}

/// Writes every residue's row, with the columns that pairs and tables give.
#[inline(always)]
pub fn rows(
    block: &mut Block,
    inputs: &Inputs,
    n: u32,
    places: View<Place>,
    traits: View<Traits>,
    annotated: bool,
    output: &mut Segment<FeatureRow>,
) {
    output.fill_by_team::<TEAM>(block, n, |team, i| {
        let place = places.get(i);
        let axis = side_chain_axis(places, n, i);
        let around = team.reduce(
            n,
            Around::zeroed(),
            |around, j| step(around, place, axis, i, j, places.get(j), |j| traits.get(j).hydropathy),
            |a, b| Around {
                wcn: a.wcn + b.wcn,
                half_spheres: a.half_spheres + b.half_spheres,
                hse_up: a.hse_up + b.hse_up,
                charge: a.charge + b.charge,
                hydropathy: a.hydropathy.plus(b.hydropathy),
            },
        );
        let mut columns = [0.0; ROW_WIDTH];
        let known = |x: f32| if place.exists() { x } else { NAN };
        let exposed = |x: f32| if axis.x.is_nan() { NAN } else { x };
        columns[column::WCN] = known(around.wcn);
        columns[column::HSE_UP] = exposed(around.hse_up);
        columns[column::HSE_DOWN] = exposed(around.half_spheres - around.hse_up);
        columns[column::HYDROPATHY] = HYDROPATHY.at(inputs.kind(i));
        columns[column::HYDROPATHY_LOCAL] = around.hydropathy.value();
        columns[column::CHARGE] = CHARGE.at(inputs.kind(i));
        columns[column::CHARGE_LOCAL] = known(around.charge);
        columns[column::VOLUME] = VOLUME.at(inputs.kind(i));
        let given = traits.get(i);
        columns[column::CONSERVATION] = canonical(given.conservation);
        columns[column::GISAID_FREQ] = canonical(given.freq);
        columns[column::GISAID_VELOCITY] = canonical(given.velocity);
        columns[column::CONSERVATION_LOCAL] = NAN;
        columns[column::FREQ_LOCAL] = NAN;
        columns[column::VELOCITY_LOCAL] = NAN;
        Row { columns }
    });
    if annotated {
        output.update_by_team::<TEAM, _>(
            block,
            n,
            |team, i| {
                let place = places.get(i);
                team.reduce(
                    n,
                    Annotation::zeroed(),
                    |sums, j| annotation_step(sums, place, places.get(j), j, traits),
                    |a, b| Annotation {
                        conservation: a.conservation.plus(b.conservation),
                        freq: a.freq.plus(b.freq),
                        velocity: a.velocity.plus(b.velocity),
                    },
                )
            },
            |sums, row| {
                row.columns[column::CONSERVATION_LOCAL] = sums.conservation.value();
                row.columns[column::FREQ_LOCAL] = sums.freq.value();
                row.columns[column::VELOCITY_LOCAL] = sums.velocity.value();
            },
        );
    }
}

/// The direction of the side chain as the half-sphere exposure sees it (Hamelryck 2005): the sum of the unit vectors
/// from both neighbours to `i`; NaN unless both are linked to it.
#[inline(always)]
fn side_chain_axis(places: View<Place>, n: u32, i: u32) -> Vector {
    let none = Vector { x: NAN, y: NAN, z: NAN };
    if i == 0 || i + 1 >= n {
        return none;
    }
    let (before, here, after) = (places.get(i - 1), places.get(i), places.get(i + 1));
    if !(linked(before, here) && linked(here, after)) {
        return none;
    }
    before.to(here).unit().plus(after.to(here).unit())
}

/// Adds residue `j` to what is around residue `i`.
#[inline(always)]
fn step(
    mut around: Around,
    place: Place,
    axis: Vector,
    i: u32,
    j: u32,
    other: Place,
    hydropathy: impl Fn(u32) -> f32,
) -> Around {
    let to = place.to(other);
    let d2 = to.norm2();
    // Itself and coinciding atoms are at distance 0; a missing one at NaN.
    if d2 > 0.0 {
        around.wcn += 1.0 / d2;
    }
    if d2 < LOCAL2 {
        around.hydropathy.add(hydropathy(j), exp_bounded(d2 * FALL_OFF));
        if d2 < HALF_SPHERE2 && i != j && other.in_fragment() {
            around.half_spheres += 1.0;
            if to.dot(axis) > 0.0 {
                around.hse_up += 1.0;
            }
        }
        if d2 <= CHARGE2 {
            around.charge += other.charge();
        }
    }
    around
}

/// Adds residue `j`'s annotation, where it has one, to the means around a place.
#[inline(always)]
fn annotation_step(mut sums: Annotation, place: Place, other: Place, j: u32, traits: View<Traits>) -> Annotation {
    let d2 = place.to(other).norm2();
    if d2 < LOCAL2 {
        let weight = exp_bounded(d2 * FALL_OFF);
        let given = traits.get(j);
        sums.conservation.add(given.conservation, weight);
        sums.freq.add(given.freq, weight);
        sums.velocity.add(given.velocity, weight);
    }
    sums
}
