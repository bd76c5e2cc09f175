//! What the rules of all kinds need: the structure, its chemistry, and pairs of near atoms of different residues.

use super::Interaction;
use super::cells::each_pair;
use super::chemistry::{Charge, Chemistry, Perceived, perceive};
use super::elements::{N, S, SE};
use super::geometry::{Point, centroid, dot, minus};
use super::kinds::Kind;
use super::model::{Atom, Class, Residue, System};
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

/// All such pairs, the lower atom first.
pub(super) struct NearPairs {
    /// Those without water.
    pub(super) dry: Vec<Near>,
    pub(super) wet: Vec<Near>,
}

impl NearPairs {
    pub(super) fn of(residues: &[Residue], atoms: &[Atom]) -> Self {
        let points: Vec<Point> = atoms.iter().map(|atom| atom.position).collect();
        let owner = |atom: &Atom| (atom.residue, residues[atom.residue as usize].class == Class::Water);
        let owners: Vec<(u32, bool)> = atoms.iter().map(owner).collect();
        let (mut dry, mut wet) = (Vec::new(), Vec::new());
        each_pair(&points, REACH, |a, b, distance2| {
            let [(one, is_wet), (other, is_also_wet)] = [a, b].map(|atom| owners[atom as usize]);
            if one != other {
                let pairs = if is_wet || is_also_wet { &mut wet } else { &mut dry };
                pairs.push(Near { a, b, distance: distance2.sqrt() });
            }
        });
        Self { dry, wet }
    }
}

/// A structure that is searched.
pub(super) struct Search {
    pub(super) system: System,
    pub(super) rings: Vec<Ring>,
    pub(super) chemistry: Vec<Chemistry>,
    pub(super) charges: Vec<Charge>,
    pairs: NearPairs,
}

impl Search {
    pub(super) fn new(system: System, pairs: NearPairs) -> Self {
        let rings = aromatic_rings(&system);
        let Perceived { atoms: chemistry, charges } = perceive(&system, &rings);
        let mut search = Self { system, rings, chemistry, charges, pairs };
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

    /// Pairs of near atoms of different residues.
    pub(super) fn near(&self) -> impl Iterator<Item = Near> {
        self.pairs.dry.iter().chain(&self.pairs.wet).copied()
    }

    /// Those without water.
    pub(super) fn dry(&self) -> impl Iterator<Item = Near> {
        self.pairs.dry.iter().copied()
    }

    /// Those with water.
    pub(super) fn wet(&self) -> impl Iterator<Item = Near> {
        self.pairs.wet.iter().copied()
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
