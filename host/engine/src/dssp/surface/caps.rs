//! Masks of the points of a sphere within caps, for directions and sizes of a table.
//!
//! A neighbour's sphere covers a cap of an atom's sphere. Its direction lies in a cell of the table, and the cosine of its angle between
//! two levels. So points are certainly covered that lie in a cap around the cell's middle that is narrower by as much as the
//! direction and the angle may differ, and no point is covered outside one that is wider by that. Both caps are found by
//! arithmetic alone, in loops that become vector instructions.

use super::{HALF, POINTS, Point};
use std::f64::consts::PI;

/// Words of a mask. Words of the first half are of points above the equator, those of the second of their mirror images, in which x and
/// z have the other sign; the point on the equator is in both.
const WORDS: usize = 8;
/// Bits of a mask.
pub(super) const BITS: usize = 64 * WORDS;
/// One bit for each point; bits without a point are never free.
pub(super) type Mask = [u64; WORDS];

/// Cells of directions along each side of a square on which the sphere is projected. The table has half of the cells, those of
/// positive x; the others are mirrored.
const SIDE: usize = 24;
/// Levels of cosines, from the lowest one to 1.
const LEVELS: usize = 24;
/// Neighbours that cover more are rare.
const LOWEST: f32 = -0.25;
const STEP: f32 = (1.0 - LOWEST) / LEVELS as f32;
/// Masks of a cell: that of all points, and one for each level.
const MASKS: usize = LEVELS + 1;
/// Added to angles in rad. Roundings are smaller, of the table and of mkdssp's arithmetic.
const GUARD: f64 = 0.002;

/// The number of a mask's half in the table. The other half has the other last bit.
#[derive(Clone, Copy, Default)]
pub(super) struct Cap(u32);

/// Half of a mask, aligned so that vectors load it at once.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Part([u64; WORDS / 2]);

/// The masks of all cells.
pub(super) struct Caps {
    parts: Vec<Part>,
    /// Sine and cosine of the most by which the angle of an outer cap is larger than that of a neighbour's.
    wider: [f32; 2],
}

/// The point of a bit.
pub(super) fn point(bit: usize) -> Option<usize> {
    match (bit / (BITS / 2), bit % (BITS / 2)) {
        (_, HALF) => Some(HALF),
        (0, above @ 0..HALF) => Some(HALF + 1 + above),
        (1, below @ 0..HALF) => Some(HALF - 1 - below),
        _ => None,
    }
}

/// The number of points of a mask.
pub(super) fn count(mask: &Mask) -> usize {
    let bits: u32 = mask.iter().map(|word| word.count_ones()).sum();
    let is_on_equator = mask[HALF / 64] >> (HALF % 64) & 1;
    bits as usize - is_on_equator as usize
}

impl Caps {
    pub(super) fn new(units: &[Point; POINTS]) -> Self {
        let points: Vec<(usize, Point)> = (0..BITS).filter_map(|bit| Some((bit, units[point(bit)?]))).collect();
        let mut masks = vec![[0; WORDS]; SIDE * SIDE / 2 * MASKS];
        let mut widest = 0.0_f64;
        for (cell, masks) in masks.as_chunks_mut::<MASKS>().0.iter_mut().enumerate() {
            let [u, v] = [cell % (SIDE / 2), cell / (SIDE / 2)].map(|index| index as f64);
            let direction = |u: f64, v: f64| unfolded(u * 2.0 / SIDE as f64, v * 2.0 / SIDE as f64 - 1.0);
            let middle = direction(u + 0.5, v + 0.5);
            let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(i, j)| direction(u + i, v + j));
            // Sides of cells are arcs of great circles, so that no direction is farther from the middle than a corner.
            let farthest = corners.map(|corner| dot(middle, corner).min(1.0).acos()).into_iter().fold(0.0, f64::max);
            let narrower = farthest + GUARD;
            widest = widest.max(narrower);
            let (sine, cosine) = narrower.sin_cos();
            masks[0] = [u64::MAX; WORDS];
            for (bit, unit) in &points {
                let along = dot(middle, unit.map(f64::from));
                if along <= -cosine {
                    continue;
                }
                // Of the angle that is larger by as much as the direction may differ.
                let along = along * cosine - (1.0 - along * along).max(0.0).sqrt() * sine;
                // The cosines of a level end where those of the next one begin.
                let level = ((along - f64::from(LOWEST)) / f64::from(STEP)).floor();
                if level >= 1.0 {
                    masks[level as usize][bit / 64] |= 1 << (bit % 64);
                }
            }
            for level in (2..MASKS).rev() {
                let wider = masks[level];
                masks[level - 1].iter_mut().zip(wider).for_each(|(word, wider)| *word |= wider);
            }
        }
        let halves = |mask: &[u64; WORDS]| {
            let (above, below) = mask.split_at(WORDS / 2);
            [above, below].map(|half| Part(std::array::from_fn(|word| half[word])))
        };
        let (sine, cosine) = (2.0 * widest).min(PI).sin_cos();
        Self { parts: masks.iter().flat_map(halves).collect(), wider: [sine as f32, cosine as f32] }
    }

    /// Of each neighbour, a cap inside that which it covers, and one around it. The ways to neighbours and the squares of the radii of their
    /// spheres are given, and the radius of the sphere with the caps.
    pub(super) fn find(&self, ways: &[[f32; 4]], radius: f32, [inner, outer]: [&mut [Cap]; 2]) {
        // Of one length, so that the loop is one of vectors.
        let n = ways.len();
        let (inner, outer) = (&mut inner[..n], &mut outer[..n]);
        let [wider_sine, wider_cosine] = self.wider;
        for i in 0..n {
            let [x, y, z, covered] = ways[i];
            let distance2 = x * x + y * y + z * z;
            let mirrored = x.to_bits() & SIGN;
            let z = f32::from_bits(z.to_bits() ^ mirrored);
            // The sphere as an octahedron, whose lower half is folded around the upper one.
            let scale = 1.0 / (x.abs() + y.abs() + z.abs());
            let (u, v) = (x.abs() * scale, y * scale);
            let (u, v) = if z < 0.0 { (1.0 - v.abs(), (1.0 - u).copysign(v)) } else { (u, v) };
            let side = SIDE as f32 / 2.0;
            let cell = index((v + 1.0) * side, SIDE) * (SIDE as u32 / 2) + index(u * side, SIDE / 2);
            let first = cell * MASKS as u32;

            let cosine = (radius * radius + distance2 - covered) / (2.0 * radius * distance2.sqrt());
            let sine2 = 1.0 - cosine * cosine;
            let sine = (if sine2 > 0.0 { sine2 } else { 0.0 }).sqrt();
            let wider = cosine * wider_cosine - sine * wider_sine;
            let wider = if cosine > -wider_cosine { wider } else { -1.0 };
            let level = |cosine: f32| index((cosine - LOWEST) * (1.0 / STEP), LEVELS);
            let cap = |level: u32| Cap((2 * (first + level)) | (mirrored >> 31));
            // The mask of a level has the points that are covered for all cosines below its end.
            (inner[i], outer[i]) = (cap(level(cosine) + 1), cap(level(wider)));
        }
    }

    /// The points outside all of these caps.
    pub(super) fn outside(&self, caps: &[Cap]) -> Mask {
        let mut free: Mask = std::array::from_fn(|word| {
            let bits = (HALF + 1).saturating_sub(word % (WORDS / 2) * 64);
            if bits < 64 { (1 << bits) - 1 } else { u64::MAX }
        });
        for cap in caps {
            let [above, below] = self.halves(*cap);
            for word in 0..WORDS / 2 {
                free[word] &= !above[word];
                free[word + WORDS / 2] &= !below[word];
            }
        }
        free
    }

    /// The points of a cap.
    pub(super) fn mask(&self, cap: Cap) -> Mask {
        let [above, below] = self.halves(cap);
        std::array::from_fn(|word| if word < WORDS / 2 { above[word] } else { below[word - WORDS / 2] })
    }

    fn halves(&self, cap: Cap) -> [&[u64; WORDS / 2]; 2] {
        let part = cap.0 as usize;
        [part, part ^ 1].map(|part| &self.parts[part].0)
    }
}

const SIGN: u32 = 1 << 31;

/// The index of a number among steps of 1 from 0 to a limit, by the lowest bits of a float: a cast, which saturates, takes several
/// instructions. A number between two steps has either.
fn index(number: f32, limit: usize) -> u32 {
    const LAST_BIT_IS_1: f32 = 12_582_912.0;
    let most = limit as f32 - 0.25;
    let number = if number > 0.0 { number } else { 0.0 };
    let number = if number < most { number } else { most };
    (number - 0.5 + LAST_BIT_IS_1).to_bits() & 0xffff
}

/// The direction of a place on the square of the folded octahedron.
fn unfolded(u: f64, v: f64) -> [f64; 3] {
    let z = 1.0 - u.abs() - v.abs();
    let (x, y) = if z < 0.0 { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) } else { (u, v) };
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|along| along / length)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
