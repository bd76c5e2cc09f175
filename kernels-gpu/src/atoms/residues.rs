//! Depths of atoms, and what all that is known of them adds up to in a residue.

use super::Inputs;
use super::TEAM;
use super::cells::Cells;
use super::surface::PROBE;
use crate::scratch::{AtomSurface, ResidueExposure};
use cuda_std::math::{NAN, canonical, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;
use shared_types::radii::is_apolar;
use shared_types::residue::MAX_AREA;

/// Volume of the sphere in which neighbours are counted, 4/3 pi (10 Å)^3.
const SPHERE: f32 = 4188.79;
/// Mean volume of a heavy atom in proteins in Å^3 (Pintar et al. 2002).
const ATOM_VOLUME: f32 = 20.1;

/// Accessible area in Å^2 of a sphere of which all is exposed.
#[inline(always)]
fn sphere_area(radius: f32) -> f32 {
    4.0 * core::f32::consts::PI * (radius + PROBE) * (radius + PROBE)
}

/// Distance in Å from the atom in place `at` to the nearest that has accessible area; 0 where it is one. NaN where there
/// is none.
#[inline(always)]
pub fn depth<V>(team: &mut Team<TEAM>, at: u32, cells: &Cells, sorted: View<Atom>, surface: View<AtomSurface>) -> f32 {
    if surface.get(at).exposed > 0 {
        return 0.0;
    }
    let atom = sorted.get(at);
    let mut rings = 1;
    loop {
        let region = cells.around(atom, rings);
        let nearest = team.reduce_long(
            region.rows(),
            f32::INFINITY,
            |nearest, k| {
                let run = cells.run_of(region, k);
                let mut nearest = nearest;
                for other in run.first..run.end {
                    if surface.get(other).exposed > 0 {
                        nearest = smaller(nearest, distance2(atom, sorted.get(other)));
                    }
                }
                nearest
            },
            smaller,
        );
        let seen = cells.seen(rings);
        if nearest <= seen * seen {
            return sqrt(nearest);
        }
        if cells.is_all(region) {
            return if nearest < f32::INFINITY { sqrt(nearest) } else { NAN };
        }
        rings *= 2;
    }
}

#[inline(always)]
fn distance2(a: Atom, b: Atom) -> f32 {
    let (x, y, z) = (a.x - b.x, a.y - b.y, a.z - b.z);
    math::fma(x, x, math::fma(y, y, z * z))
}

/// What is known of a residue besides its atoms' surface.
pub struct Known {
    /// Tabulated kind.
    pub kind: u32,
    /// Atoms of others in contact with its own.
    pub contacts: u32,
    /// Test points of which those that are exposed were counted.
    pub points: u32,
}

/// What atoms add up to in residue `i`: `surface` says for an atom how many points are exposed, and `depth` how far it is
/// from the surface in Å.
#[inline(always)]
pub fn exposure(
    inputs: &Inputs,
    i: u32,
    known: Known,
    surface: impl Fn(u32) -> AtomSurface,
    depth: impl Fn(u32) -> f32,
) -> ResidueExposure {
    let (first, end) = inputs.atoms_of(i);
    let (mut area, mut apolar, mut crowding, mut depths) = (0.0, 0.0, 0.0, 0.0);
    for own in first..end {
        let (radius, counted) = (inputs.atom(own).radius, surface(own));
        let part = sphere_area(radius) * (counted.exposed as f32 / known.points as f32);
        area += part;
        if is_apolar(radius) {
            apolar += part;
        }
        let filled = counted.crowd as f32 * ATOM_VOLUME;
        crowding += (SPHERE - filled) / filled;
        depths += depth(own);
    }
    let atoms = (end - first) as f32;
    ResidueExposure {
        area,
        relative: canonical(area / MAX_AREA.at(known.kind)),
        apolar,
        protrusion: canonical(crowding / atoms),
        depth: canonical(depths / atoms),
        contacts: known.contacts as f32,
    }
}
