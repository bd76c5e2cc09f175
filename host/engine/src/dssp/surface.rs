//! Accessible surface as DSSP measures it: its own radii, water of 1.4 Å, and 401 points on each sphere.
//!
//! Every point has the state that mkdssp's arithmetic gives it. Tables of caps decide most points; the others are tested one by one.

mod caps;
mod columns;
mod neighbours;
#[cfg(test)]
mod tests;

use super::vector::{Point, minus};
use caps::{BITS, Caps, Mask};
use columns::Columns;
use neighbours::{Candidates, Neighbours};
use prism_read::PolymerResidue;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Radii of N, CA, C, O and all other atoms, in Å.
const RADII: [f32; KINDS] = [1.65, 1.87, 1.76, 1.4, 1.8];
const KINDS: usize = 5;
const WATER: f32 = 1.4;
/// The kind of atoms beside the backbone.
const OTHER: u8 = 4;

/// Points on each side of the equator.
const HALF: usize = 200;
const POINTS: usize = 2 * HALF + 1;

/// Atoms that are closer than the root of this cover nothing: they are one atom, or its alternate location.
const SAME: f64 = 0.0001;

/// The accessible surface of each residue in Å².
pub(super) fn accessibilities(residues: &[PolymerResidue]) -> Vec<f32> {
    let mut atoms: Vec<(u8, Point)> = Vec::new();
    for residue in residues {
        atoms.extend((0..).zip(residue.backbone));
        atoms.extend(residue.others.iter().map(|place| (OTHER, *place)));
    }
    let areas = areas(&atoms);
    let mut areas = areas.into_iter();
    let mut next = || areas.next().unwrap_or(0.0);
    residues
        .iter()
        .map(|residue| {
            let [n, ca, c, o] = [(); 4].map(|()| next());
            residue.others.iter().fold(n + ca + c + o, |sum, _| sum + next())
        })
        .collect()
}

/// The accessible area of each atom, given by its kind and place.
fn areas(atoms: &[(u8, Point)]) -> Vec<f32> {
    // The tables take as long as a small structure, so that a process makes them once.
    static SPHERES: LazyLock<Spheres> = LazyLock::new(Spheres::new);
    let spheres = &*SPHERES;
    let columns = Columns::new(atoms);
    let mut areas = vec![0.0; atoms.len()];
    let (mut candidates, mut neighbours) = (Candidates::default(), Neighbours::default());
    for mut column in columns.iter() {
        while let Some(slab) = column.next_slab(&columns) {
            candidates.gather(&columns, &mut column, slab.clone());
            for atom in slab {
                let (place, kind) = columns.atoms[atom];
                candidates.find(spheres, kind, place, &mut neighbours);
                areas[columns.index(atom)] = spheres.area(kind, &mut neighbours);
            }
        }
    }
    areas
}

/// The radius of an atom with water around it.
fn reach(kind: usize) -> f64 {
    f64::from(RADII[kind]) + f64::from(WATER)
}

/// The points of spheres, and what is known of each kind of atom.
struct Spheres {
    /// Of each kind of atom, the points of its sphere with water around it, by their bits in a mask.
    points: [[Point; BITS]; KINDS],
    /// Of each kind, the largest square of a distance within its sphere, which double precision has in mkdssp.
    covered: [f32; KINDS],
    /// Of each pair of kinds, the largest square of a distance at which their spheres overlap.
    touching: [[f32; KINDS]; KINDS],
    /// The area of a sphere of radius 1 for each number of points, in the sum's own rounding.
    sums: Vec<f32>,
    caps: Caps,
}

impl Spheres {
    fn new() -> Self {
        let units = unit_points();
        let scaled = |radius: f32| {
            let radius = radius + WATER;
            // Bits without a point are never free.
            std::array::from_fn(|bit| units[caps::point(bit).unwrap_or(HALF)].map(|along| along * radius))
        };
        let weight = (4.0 * PI / POINTS as f64) as f32;
        let mut sums = vec![0.0_f32];
        for points in 0..POINTS {
            sums.push(sums[points] + weight);
        }
        let kinds = [0, 1, 2, 3, 4];
        let touching = |a: usize, b: usize| {
            let touch = reach(a) + reach(b);
            let limit = not_above(touch * touch);
            if f64::from(limit) < touch * touch { limit } else { limit.next_down() }
        };
        Self {
            points: RADII.map(scaled),
            covered: kinds.map(|kind| not_above(reach(kind) * reach(kind))),
            touching: kinds.map(|a| kinds.map(|b| touching(a, b))),
            sums,
            caps: Caps::new(&units),
        }
    }

    /// The accessible area of an atom.
    fn area(&self, kind: u8, neighbours: &mut Neighbours) -> f32 {
        let kind = usize::from(kind);
        let radius = RADII[kind] + WATER;
        neighbours.find_caps(&self.caps, radius);
        let mut free = self.caps.outside(neighbours.inner());
        if free.iter().any(|word| *word != 0) {
            self.cover(kind, neighbours, &mut free);
        }
        self.sums[caps::count(&free)] * radius * radius
    }

    /// Covers points that lie in a neighbour's sphere, of those that its outer cap leaves undecided.
    fn cover(&self, kind: usize, neighbours: &Neighbours, free: &mut Mask) {
        let points = &self.points[kind];
        for (neighbour, outer) in neighbours.outer().iter().enumerate() {
            let mut undecided = self.caps.mask(*outer);
            let mut any = 0;
            for (undecided, free) in undecided.iter_mut().zip(&*free) {
                *undecided &= free;
                any |= *undecided;
            }
            if any == 0 {
                continue;
            }
            let (to, covered) = neighbours.at(neighbour);
            for (word, (free, mut bits)) in free.iter_mut().zip(undecided).enumerate() {
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    let point = &points[word * 64 + bit];
                    let (x, y, z) = (point[0] - to[0], point[1] - to[1], point[2] - to[2]);
                    let is_covered = x * x + y * y + z * z <= covered;
                    *free &= !(u64::from(is_covered) << bit);
                    bits &= bits - 1;
                }
            }
        }
    }
}

/// The largest number of single precision that is not above a number.
fn not_above(number: f64) -> f32 {
    let near = number as f32;
    if f64::from(near) > number { near.next_down() } else { near }
}

/// Points on a sphere of radius 1, by Fibonacci's spiral.
fn unit_points() -> [Point; POINTS] {
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    std::array::from_fn(|index| {
        let i = index as f64 - HALF as f64;
        let latitude = ((2.0 * i as f32) / POINTS as f32).asin();
        let longitude = ((i % f64::from(golden)) * 2.0 * PI / f64::from(golden)) as f32;
        [longitude.sin() * latitude.cos(), longitude.cos() * latitude.cos(), latitude.sin()]
    })
}
