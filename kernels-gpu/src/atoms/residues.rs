//! Sums of atoms' results for each residue.

use super::{Inputs, PROBE};
use crate::scratch::{AtomSurface, ResidueExposure};
use cuda_std::math::canonical;
use cuda_std::prelude::*;
use shared_types::radii::is_apolar;
use shared_types::residue::MAX_AREA;

/// Volume of the sphere in which neighbours are counted, 4/3 pi (10 Å)^3.
const SPHERE: f32 = 4188.79;
/// Mean volume of a heavy atom in proteins in Å^3 (Pintar et al. 2002).
const ATOM_VOLUME: f32 = 20.1;

/// Accessible area in Å^2 of a fully exposed atom.
#[inline(always)]
fn sphere_area(radius: f32) -> f32 {
    4.0 * core::f32::consts::PI * (radius + PROBE) * (radius + PROBE)
}

/// Inputs of a residue besides the results of its atoms.
pub struct Known {
    /// Residue type.
    pub kind: u32,
    /// Atoms of other residues in contact with it.
    pub contacts: u32,
    /// Number of test points per atom.
    pub points: u32,
}

/// The sums of residue `i`. `of` gives an atom's counts, and its distance from the surface in Å.
#[inline(always)]
pub fn exposure(inputs: &Inputs, i: u32, known: Known, of: impl Fn(u32) -> (AtomSurface, f32)) -> ResidueExposure {
    let (first, end) = inputs.atoms_of(i);
    let (mut area, mut apolar, mut crowding, mut depths) = (0.0, 0.0, 0.0, 0.0);
    let read = |own| (inputs.atom(own).radius, of(own));
    // An atom is read while the one before it is added.
    let mut next = if first < end { read(first) } else { Default::default() };
    for own in first..end {
        let (radius, (counted, depth)) = next;
        next = read(own.wrapping_add(1).min(end.wrapping_sub(1)));
        // 0 divided by a number would take a device's slow way.
        let share = counted.points().max(1) as f32 / known.points as f32;
        let part = if counted.exposed > 0 { sphere_area(radius) * share } else { 0.0 };
        area += part;
        if is_apolar(radius) {
            apolar += part;
        }
        let filled = counted.crowd as f32 * ATOM_VOLUME;
        crowding += (SPHERE - filled) / filled;
        depths += depth;
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
