//! Accessible surface as DSSP measures it: its own radii, water of 1.4 Å, and 401 points on each sphere.

use super::vector::{Point, minus};
use prism_read::PolymerResidue;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::Range;

/// Radii of N, CA, C, O and all other atoms, in Å.
const RADII: [f32; 5] = [1.65, 1.87, 1.76, 1.4, 1.8];
const WATER: f32 = 1.4;
/// The kind of atoms beside the backbone.
const OTHER: usize = 4;

/// Points on each side of the equator.
const HALF: usize = 200;
const POINTS: usize = 2 * HALF + 1;

/// Atoms that are closer than the root of this cover nothing: they are one atom, or its alternate location.
const SAME: f64 = 0.0001;

/// Edge of the cells of atoms in Å: two of the largest spheres touch at 6.54 Å.
const CELL: f32 = 6.6;

/// Neighbours are tested in rings, because the nearest ones cover most points: those within these distances in Å, and the others.
const RINGS: [f32; 2] = [2.0, 3.2];

/// The accessible surface of each residue in Å².
pub(super) fn accessibilities(residues: &[PolymerResidue]) -> Vec<f32> {
    let mut atoms: Vec<(usize, Point)> = Vec::new();
    for residue in residues {
        atoms.extend(residue.backbone.iter().copied().enumerate());
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
fn areas(atoms: &[(usize, Point)]) -> Vec<f32> {
    let cell = |place: Point| place.map(|along| (along / CELL).floor() as i32);
    let mut order: Vec<([i32; 3], usize)> =
        atoms.iter().enumerate().map(|(index, (_, place))| (cell(*place), index)).collect();
    order.sort_unstable();
    let mut cells: HashMap<[i32; 3], Range<usize>> = HashMap::new();
    let mut begin = 0;
    for own in order.chunk_by(|a, b| a.0 == b.0) {
        cells.insert(own[0].0, begin..begin + own.len());
        begin += own.len();
    }
    let spheres = Spheres::new();
    let mut areas = vec![0.0; atoms.len()];
    let mut near = Near::default();
    for own in order.chunk_by(|a, b| a.0 == b.0) {
        let [x, y, z] = own[0].0;
        near.clear();
        for i in 0..27 {
            let around = [x.saturating_add(i % 3 - 1), y.saturating_add(i / 3 % 3 - 1), z.saturating_add(i / 9 - 1)];
            for (_, index) in cells.get(&around).map_or(&[][..], |range| &order[range.clone()]) {
                near.push(atoms[*index]);
            }
        }
        for (_, index) in own {
            let (kind, place) = atoms[*index];
            areas[*index] = spheres.area(kind, place, &mut near);
        }
    }
    areas
}

/// The atoms of the cells around one.
#[derive(Default)]
struct Near {
    kinds: Vec<usize>,
    /// Their coordinates.
    places: [Vec<f32>; 3],
    distances2: Vec<f32>,
    /// Those that touch an atom, in rings around it: the way there, and their kind.
    touching: [Vec<(Point, usize)>; RINGS.len() + 1],
}

impl Near {
    fn clear(&mut self) {
        self.kinds.clear();
        self.places.iter_mut().for_each(Vec::clear);
    }

    fn push(&mut self, (kind, place): (usize, Point)) {
        self.kinds.push(kind);
        self.places.iter_mut().zip(place).for_each(|(all, along)| all.push(along));
    }

    /// Finds the atoms whose spheres touch that of an atom.
    fn find(&mut self, kind: usize, place: Point) {
        let Self { kinds, places: [xs, ys, zs], distances2, touching } = self;
        distances2.clear();
        distances2.extend(xs.iter().zip(&*ys).zip(&*zs).map(|((x, y), z)| {
            let (x, y, z) = (place[0] - x, place[1] - y, place[2] - z);
            x * x + y * y + z * z
        }));
        touching.iter_mut().for_each(Vec::clear);
        for (index, &distance2) in distances2.iter().enumerate().filter(|(_, distance2)| **distance2 < CELL * CELL) {
            let touch = reach(kind) + reach(kinds[index]);
            if f64::from(distance2) < touch * touch && f64::from(distance2) > SAME {
                let ring = RINGS.iter().filter(|ring| distance2 > **ring * **ring).count();
                touching[ring].push((minus([xs[index], ys[index], zs[index]], place), kinds[index]));
            }
        }
    }
}

/// The radius of an atom with water around it.
fn reach(kind: usize) -> f64 {
    f64::from(RADII[kind]) + f64::from(WATER)
}

/// Points by coordinates, and which of them are free: all bits, or none.
struct Points {
    places: [[f32; POINTS]; 3],
    free: [u32; POINTS],
    length: usize,
}

impl Points {
    /// Covers the points within a sphere.
    fn cover(&mut self, to: Point, covered: f32) {
        let Self { places: [xs, ys, zs], free, length } = self;
        let (xs, ys, zs) = (&xs[..*length], &ys[..*length], &zs[..*length]);
        for (((free, x), y), z) in free[..*length].iter_mut().zip(xs).zip(ys).zip(zs) {
            let (x, y, z) = (x - to[0], y - to[1], z - to[2]);
            *free &= u32::from(x * x + y * y + z * z > covered).wrapping_neg();
        }
    }

    /// Forgets covered points.
    fn compact(&mut self) {
        let Self { places: [xs, ys, zs], free, length } = self;
        let mut kept = 0;
        for point in 0..*length {
            (xs[kept], ys[kept], zs[kept]) = (xs[point], ys[point], zs[point]);
            kept += (free[point] & 1) as usize;
        }
        free[..kept].fill(u32::MAX);
        *length = kept;
    }
}

/// The points of spheres.
struct Spheres {
    /// Of each kind of atom, the points of its sphere with water around it: x, y and z.
    places: [[[f32; POINTS]; 3]; 5],
    /// Of each kind, the largest square of a distance within its sphere, which double precision has in mkdssp.
    covered: [f32; 5],
    /// The area of a sphere of radius 1 for each number of points, in the sum's own rounding.
    sums: Vec<f32>,
}

impl Spheres {
    fn new() -> Self {
        let units = unit_points();
        let scaled = |radius: f32| {
            let radius = radius + WATER;
            [0, 1, 2].map(|axis| std::array::from_fn(|point| units[point][axis] * radius))
        };
        let weight = (4.0 * PI / POINTS as f64) as f32;
        let mut sums = vec![0.0_f32];
        for points in 0..POINTS {
            sums.push(sums[points] + weight);
        }
        let covered = [0, 1, 2, 3, 4].map(|kind| below(reach(kind) * reach(kind)));
        Self { places: RADII.map(scaled), covered, sums }
    }

    /// The accessible area of an atom.
    fn area(&self, kind: usize, place: Point, near: &mut Near) -> f32 {
        near.find(kind, place);
        let mut points = Points { places: self.places[kind], free: [u32::MAX; POINTS], length: POINTS };
        for ring in &near.touching {
            ring.iter().for_each(|(to, kind)| points.cover(*to, self.covered[*kind]));
            points.compact();
        }
        let radius = RADII[kind] + WATER;
        self.sums[points.length] * radius * radius
    }
}

/// The largest number of single precision that is not above a number.
fn below(number: f64) -> f32 {
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
