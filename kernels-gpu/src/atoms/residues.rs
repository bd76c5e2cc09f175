//! Depths of atoms, contacts between them, and what they add up to in a residue.

use super::Inputs;
use super::TEAM;
use super::cells::Cells;
use super::surface::PROBE;
use crate::scratch::{AtomSurface, ResidueExposure};
use cuda_std::math::{NAN, canonical, larger, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;
use shared_types::radii::is_apolar;
use shared_types::residue::MAX_AREA;

/// Atoms of different residues are in contact within 4.5 Å.
const CONTACT: f32 = 4.5;
/// Residues of one chain whose atoms may be in contact are this many rows apart.
const APART: u32 = 2;
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
pub fn depth(team: Team<TEAM>, at: u32, cells: &Cells, sorted: View<Atom>, surface: View<AtomSurface>) -> f32 {
    if surface.get(at).exposed > 0 {
        return 0.0;
    }
    let atom = sorted.get(at);
    let mut rings = 1;
    loop {
        let region = cells.around(atom, rings);
        let nearest = team.reduce(
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

/// Number of atoms of other residues that are within [`CONTACT`] of an atom of residue `i`.
#[inline(always)]
pub fn contacts(team: Team<TEAM>, inputs: &Inputs, n: u32, i: u32, cells: &Cells, sorted: View<Atom>) -> u32 {
    let (first, end) = inputs.atoms_of(i, n);
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for own in first..end {
        let atom = inputs.atom(own);
        low = [smaller(low[0], atom.x), smaller(low[1], atom.y), smaller(low[2], atom.z)];
        high = [larger(high[0], atom.x), larger(high[1], atom.y), larger(high[2], atom.z)];
    }
    if first == end {
        return 0;
    }
    let region = cells.region(low.map(|x| x - CONTACT), high.map(|x| x + CONTACT));
    let near = |other: Atom| {
        let mut own = first;
        while own < end {
            if distance2(inputs.atom(own), other) <= CONTACT * CONTACT {
                return true;
            }
            own += 1;
        }
        false
    };
    let within = |atom: Atom| {
        atom.x >= low[0] - CONTACT
            && atom.y >= low[1] - CONTACT
            && atom.z >= low[2] - CONTACT
            && atom.x <= high[0] + CONTACT
            && atom.y <= high[1] + CONTACT
            && atom.z <= high[2] + CONTACT
    };
    team.reduce(
        region.rows(),
        0,
        |count, k| {
            let run = cells.run_of(region, k);
            let mut count = count;
            for at in run.first..run.end {
                let other = sorted.get(at);
                if within(other) && near(other) {
                    let row = inputs.residue_of(cells.order.get(at), n);
                    if row.abs_diff(i) >= APART || !inputs.same_chain(row, i) {
                        count += 1;
                    }
                }
            }
            count
        },
        u32::wrapping_add,
    )
}

/// What atoms add up to in residue `i` of `n`, which has `contacts` with atoms of others: of `points` test points,
/// `surface` says for atom `i` how many are exposed, and `depth` how far it is from the surface in Å.
#[inline(always)]
pub fn exposure(
    inputs: &Inputs,
    n: u32,
    i: u32,
    contacts: u32,
    points: u32,
    surface: impl Fn(u32) -> AtomSurface,
    depth: impl Fn(u32) -> f32,
) -> ResidueExposure {
    let (first, end) = inputs.atoms_of(i, n);
    let (mut area, mut apolar, mut crowding, mut depths) = (0.0, 0.0, 0.0, 0.0);
    for own in first..end {
        let (radius, counted) = (inputs.atom(own).radius, surface(own));
        let part = sphere_area(radius) * (counted.exposed as f32 / points as f32);
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
        relative: area / MAX_AREA.at(inputs.kind(i)),
        apolar,
        protrusion: canonical(crowding / atoms),
        depth: canonical(depths / atoms),
        contacts: contacts as f32,
    }
}
