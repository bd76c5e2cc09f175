//! What the rules of all kinds need: the structure, its chemistry, and pairs of near atoms of different residues.

use super::Interaction;
use super::cells::each_pair;
use super::chemistry::{Charge, Chemistry, Perceived, perceive};
use super::elements::{N, S, SE};
use super::geometry::{Point, centroid, dot, minus};
use super::kinds::Kind;
use super::model::System;
use super::rings::{Ring, aromatic_rings};
use super::rules::coordinated;

/// The largest distance of the rules for pairs of atoms.
const REACH: f64 = 4.5;

/// Two atoms of different residues within [`REACH`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) distance: f64,
}

/// A structure that is searched.
pub(super) struct Search {
    pub(super) system: System,
    pub(super) rings: Vec<Ring>,
    pub(super) chemistry: Vec<Chemistry>,
    pub(super) charges: Vec<Charge>,
    pub(super) near: Vec<Near>,
}

impl Search {
    pub(super) fn new(system: System) -> Self {
        let rings = aromatic_rings(&system);
        let Perceived { atoms: chemistry, charges } = perceive(&system, &rings);
        let points: Vec<Point> = system.atoms.iter().map(|atom| atom.position).collect();
        let mut near = Vec::new();
        each_pair(&points, REACH, |a, b, distance2| {
            if system.atoms[a as usize].residue != system.atoms[b as usize].residue {
                near.push(Near { a, b, distance: distance2.sqrt() });
            }
        });
        let mut search = Self { system, rings, chemistry, charges, near };
        search.bind_metals();
        search
    }

    /// Sulfurs of thiols and nitrogens of imidazoles that bind a metal do so without the proton that they may have elsewhere, unless the
    /// file has it.
    fn bind_metals(&mut self) {
        let gives = |atom: u32| {
            let own = self.chemistry[atom as usize];
            let is_thiol = matches!(self.system.element(atom), S | SE);
            let is_imidazole = own.hydrogens.is_planar && own.accepts && self.system.element(atom) == N;
            own.donates && (is_thiol || is_imidazole) && self.system.hydrogens_of(atom).is_empty()
        };
        let bound: Vec<u32> = coordinated(self).map(|(_, atom, _)| atom).filter(|&atom| gives(atom)).collect();
        for atom in bound {
            let own = &mut self.chemistry[atom as usize];
            (own.donates, own.hydrogens.count) = (false, 0);
        }
    }

    pub fn residue(&self, atom: u32) -> u32 {
        self.system.atoms[atom as usize].residue
    }

    /// Pairs of atoms without water.
    pub(super) fn dry(&self) -> impl Iterator<Item = Near> {
        self.near.iter().copied().filter(|near| !self.system.is_water(near.a) && !self.system.is_water(near.b))
    }

    /// An interaction of two atoms.
    pub(super) fn of_atoms(&self, kind: Kind, a: u32, b: u32, distance: f64) -> Interaction {
        self.of_groups(kind, &[a], &[b], distance)
    }

    /// An interaction of two groups of atoms.
    pub(super) fn of_groups(&self, kind: Kind, a: &[u32], b: &[u32], distance: f64) -> Interaction {
        Interaction {
            kind,
            residues: [self.residue(a[0]), self.residue(b[0])],
            atoms: [a.into(), b.into()],
            distance,
            angle: f64::NAN,
            water: None,
            pair: None,
        }
    }

    /// The centre of atoms.
    pub(super) fn centre(&self, atoms: &[u32]) -> Point {
        centroid(&atoms.iter().map(|&atom| self.system.at(atom)).collect::<Vec<_>>())
    }

    /// How far a point's foot in a ring's plane is from the ring's centre.
    pub(super) fn offset(ring: &Ring, point: Point) -> f64 {
        let to = minus(point, ring.centre);
        let height = dot(to, ring.normal);
        (dot(to, to) - height * height).max(0.0).sqrt()
    }
}
