//! The atoms whose spheres touch that of an atom.

use super::caps::{Cap, Caps};
use super::columns::{Column, Columns};
use super::{KINDS, Point, SAME, Spheres, minus, not_above};
use std::ops::Range;

/// Atoms around a slab.
#[derive(Default)]
pub(super) struct Candidates {
    places: [Vec<f32>; 3],
    /// The same places and kinds, atom by atom.
    atoms: Vec<(Point, u8)>,
    /// Squares of their distances from an atom.
    distances2: Vec<f32>,
    /// Those that any kind of atom would touch.
    close: Vec<u32>,
}

impl Candidates {
    pub(super) fn gather(&mut self, columns: &Columns, column: &mut Column, slab: Range<usize>) {
        self.places.iter_mut().for_each(Vec::clear);
        self.atoms.clear();
        for atoms in column.around(&slab, columns) {
            for (near, all) in self.places.iter_mut().zip(&columns.places) {
                near.extend_from_slice(&all[atoms.clone()]);
            }
            self.atoms.extend_from_slice(&columns.atoms[atoms]);
        }
        self.close.resize(self.atoms.len(), 0);
    }

    /// Finds the neighbours of an atom.
    pub(super) fn find(&mut self, spheres: &Spheres, kind: u8, place: Point, neighbours: &mut Neighbours) {
        let touching = &spheres.touching[usize::from(kind)];
        let same = not_above(SAME);
        let Self { places: [xs, ys, zs], atoms, distances2, close } = self;
        distances2.clear();
        distances2.extend(xs.iter().zip(&*ys).zip(&*zs).map(|((x, y), z)| {
            let (x, y, z) = (x - place[0], y - place[1], z - place[2]);
            x * x + y * y + z * z
        }));
        // Everything is stored, and counted if it is kept: a branch here is hard to predict.
        let most = touching.iter().fold(0.0, |most: f32, limit| if *limit > most { *limit } else { most });
        let mut n_close = 0;
        let close = &mut close[..distances2.len()];
        for (index, &distance2) in (0_u32..).zip(&*distances2) {
            close[n_close] = index;
            n_close += usize::from(distance2 <= most);
        }
        let n = distances2.len();
        let (atoms, distances2) = (&atoms[..n], &distances2[..n]);
        let ways = neighbours.reserve(n_close);
        let mut length = 0;
        for &index in &close[..n_close] {
            let distance2 = distances2[index as usize];
            let (other, other_kind) = atoms[index as usize];
            let other_kind = usize::from(other_kind).min(KINDS - 1);
            let [x, y, z] = minus(other, place);
            ways[length] = [x, y, z, spheres.covered[other_kind]];
            length += usize::from((distance2 <= touching[other_kind]) & (distance2 > same));
        }
        neighbours.length = length;
    }
}

/// The atoms that touch an atom.
#[derive(Default)]
pub(super) struct Neighbours {
    /// The way to each along x, y and z, and the square of the radius of its sphere.
    ways: Vec<[f32; 4]>,
    /// A cap inside its sphere, and one that has all points in its sphere.
    caps: [Vec<Cap>; 2],
    length: usize,
}

impl Neighbours {
    fn reserve(&mut self, most: usize) -> &mut [[f32; 4]] {
        if self.ways.len() < most {
            self.ways.resize(most, [0.0; 4]);
            self.caps.iter_mut().for_each(|caps| caps.resize(most, Cap::default()));
        }
        &mut self.ways[..most]
    }

    /// Finds the caps on a sphere of a radius that is centred on the atom.
    pub(super) fn find_caps(&mut self, caps: &Caps, radius: f32) {
        let n = self.length;
        caps.find(&self.ways[..n], radius, self.caps.each_mut().map(|caps| &mut caps[..n]));
    }

    pub(super) fn inner(&self) -> &[Cap] {
        &self.caps[0][..self.length]
    }

    pub(super) fn outer(&self) -> &[Cap] {
        &self.caps[1][..self.length]
    }

    /// The way to a neighbour, and the square of the radius of its sphere.
    pub(super) fn at(&self, neighbour: usize) -> (Point, f32) {
        let [x, y, z, covered] = self.ways[neighbour];
        ([x, y, z], covered)
    }
}
