//! Accessible surface as DSSP measures it: its own radii, water of 1.4 Å, and 401 points on each sphere.

use super::vector::{Point, minus};
use prism_read::PolymerResidue;
use std::collections::HashMap;
use std::f64::consts::PI;

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

/// The accessible surface of each residue in Å².
pub(super) fn accessibilities(residues: &[PolymerResidue]) -> Vec<f32> {
    let cells = Cells::of(residues);
    let spheres = Spheres::new();
    let mut buffer = Buffer::default();
    let mut area = |kind: usize, place: Point| spheres.area(kind, place, &cells, &mut buffer);
    residues
        .iter()
        .map(|residue| {
            let [n, ca, c, o] = [0, 1, 2, 3].map(|kind| area(kind, residue.backbone[kind]));
            residue.others.iter().fold(n + ca + c + o, |sum, place| sum + area(OTHER, *place))
        })
        .collect()
}

/// An atom by its kind and place.
type Sphere = (u8, Point);

/// Atoms in cells.
struct Cells {
    /// The range of atoms of each cell.
    ranges: HashMap<[i32; 3], (u32, u32)>,
    atoms: Vec<Sphere>,
}

impl Cells {
    fn of(residues: &[PolymerResidue]) -> Self {
        let mut atoms: Vec<([i32; 3], Sphere)> = Vec::new();
        for residue in residues {
            let backbone = residue.backbone.iter().zip(0..).map(|(place, kind)| (kind, *place));
            let others = residue.others.iter().map(|place| (OTHER as u8, *place));
            atoms.extend(backbone.chain(others).map(|(kind, place)| (Self::cell(place), (kind, place))));
        }
        atoms.sort_by_key(|(cell, _)| *cell);
        let mut ranges = HashMap::new();
        let mut begin = 0;
        for own in atoms.chunk_by(|a, b| a.0 == b.0) {
            let end = begin + own.len() as u32;
            ranges.insert(own[0].0, (begin, end));
            begin = end;
        }
        Self { ranges, atoms: atoms.into_iter().map(|(_, atom)| atom).collect() }
    }

    fn cell(place: Point) -> [i32; 3] {
        place.map(|along| (along / CELL).floor() as i32)
    }

    /// The atoms of the cells around a place.
    fn around(&self, place: Point) -> impl Iterator<Item = &Sphere> {
        let [x, y, z] = Self::cell(place);
        let step = |from: i32, step: i32| from.saturating_add(step - 1);
        let cells = (0..27).map(move |i| [step(x, i % 3), step(y, i / 3 % 3), step(z, i / 9)]);
        let ranges = cells.filter_map(|cell| self.ranges.get(&cell));
        ranges.flat_map(|&(begin, end)| &self.atoms[begin as usize..end as usize])
    }
}

/// The points of spheres.
struct Spheres {
    /// Of each kind of atom, the points of its sphere with water around it: x, y and z.
    points: Vec<[[f32; POINTS]; 3]>,
    /// The area of a sphere of radius 1 for each number of points, in the sum's own rounding.
    sums: Vec<f32>,
}

/// Of each point, all bits if it is free.
struct Buffer([u32; POINTS]);

impl Default for Buffer {
    fn default() -> Self {
        Self([0; POINTS])
    }
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
        Self { points: RADII.map(scaled).into(), sums }
    }

    /// The accessible area of an atom.
    fn area(&self, kind: usize, place: Point, cells: &Cells, buffer: &mut Buffer) -> f32 {
        let radius = RADII[kind] + WATER;
        let [xs, ys, zs] = &self.points[kind];
        buffer.0.fill(u32::MAX);
        for (other, at) in cells.around(place) {
            let to = minus(*at, place);
            let distance2 = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
            let own = f64::from(RADII[kind]) + f64::from(WATER);
            let its = f64::from(RADII[usize::from(*other)]) + f64::from(WATER);
            let touch = own + its;
            if !(f64::from(distance2) < touch * touch && f64::from(distance2) > SAME) {
                continue;
            }
            // Single precision is compared with double precision: the largest that is covered.
            let covered = below(its * its);
            let range = reached(f64::from(radius), its, to, f64::from(distance2));
            let free = &mut buffer.0[range.clone()];
            for (((free, x), y), z) in free.iter_mut().zip(&xs[range.clone()]).zip(&ys[range.clone()]).zip(&zs[range]) {
                let (x, y, z) = (x - to[0], y - to[1], z - to[2]);
                *free &= u32::from(x * x + y * y + z * z > covered).wrapping_neg();
            }
        }
        let free = buffer.0.iter().map(|free| free & 1).sum::<u32>();
        self.sums[free as usize] * radius * radius
    }
}

/// The largest number of single precision that is not above a number.
fn below(number: f64) -> f32 {
    let near = number as f32;
    if f64::from(near) > number { near.next_down() } else { near }
}

/// The points that another sphere may cover: points are sorted by latitude, and the sphere covers a cap.
fn reached(radius: f64, other: f64, to: Point, distance2: f64) -> std::ops::Range<usize> {
    let distance = distance2.sqrt();
    let cosine = (radius * radius + distance2 - other * other) / (2.0 * radius * distance);
    if cosine <= -1.0 {
        return 0..POINTS;
    }
    let cosine = if cosine < 1.0 { cosine } else { 1.0 };
    let sine = (1.0 - cosine * cosine).sqrt();
    let up = (f64::from(to[2]) / distance).clamp(-1.0, 1.0);
    let out = (1.0 - up * up).sqrt();
    // Sines of the cap's lowest and highest latitude; it may hold a pole.
    let lowest = if out * cosine + up * sine < 0.0 { -1.0 } else { up * cosine - out * sine };
    let highest = if out * cosine - up * sine < 0.0 { 1.0 } else { up * cosine + out * sine };
    // One point more on each side covers rounding.
    let index = |sine: f64| sine * POINTS as f64 / 2.0 + HALF as f64;
    let begin = (index(lowest) - 1.0).max(0.0) as usize;
    let end = ((index(highest) + 2.0).max(0.0) as usize).min(POINTS);
    begin.min(end)..end
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
