//! The masks of test points. For each cell of directions and bin of thresholds they say which points are certainly covered, and
//! which may be. [`kernels_gpu::masks`] explains their use.

use kernels_gpu::masks::{ANY, FIRST_THRESHOLD, NOTHING, THRESHOLDS};
use shared_types::{MASK_BINS, Mask, PointGroup, TestPoint};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A margin for rounding errors: directions, thresholds and the test itself together err by less than 4e-6.
const MARGIN: f64 = 1e-5;

/// Threads that share the rows of cells. A process with one small structure would wait for a single one.
const THREADS: usize = 4;

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The direction at a corner of a cell of the octahedral map, over [-1, 1] squared. The cell's centre decides on which side of
/// the folds u = 0 and v = 0 the corner lies. The lower half has its seams at these folds.
fn corner(u: f64, v: f64, middle: [f64; 2]) -> Vector {
    let above = 1.0 - u.abs() - v.abs();
    unit(if above >= 0.0 {
        [u, v, above]
    } else {
        [(1.0 - v.abs()) * middle[0].signum(), (1.0 - u.abs()) * middle[1].signum(), above]
    })
}

/// A cell of the map: a spherical quadrilateral, or two triangles if the map is folded along its diagonal.
struct Cell {
    /// In order around it. Great circles connect them.
    corners: [Vector; 4],
    /// The cosine between each corner and the next.
    sides: [f64; 4],
    centre: Vector,
    /// The cosine of the radius of a cap around the centre that contains the cell.
    radius: f64,
}

impl Cell {
    /// Cell `u` of row `v` of a map with `side` cells along each side.
    fn new(side: usize, u: usize, v: usize) -> Self {
        let at = |k: usize| 2.0 * k as f64 / side as f64 - 1.0;
        let middle = [(at(u) + at(u + 1)) / 2.0, (at(v) + at(v + 1)) / 2.0];
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| corner(at(u + i), at(v + j), middle));
        let centre = unit(std::array::from_fn(|axis| corners.iter().map(|corner| corner[axis]).sum()));
        Self {
            sides: std::array::from_fn(|k| dot(corners[k], corners[(k + 1) % 4])),
            // The cap contains both triangles, because it contains their corners and is smaller than a hemisphere.
            radius: corners.iter().map(|corner| dot(*corner, centre)).fold(1.0, f64::min),
            corners,
            centre,
        }
    }

    /// Bounds of the cosine between a point and the directions in the cell.
    fn cosines(&self, point: Vector) -> (f64, f64) {
        // In plain loops, which take less than half of the time without optimisation: every test of a command comes here.
        let (mut at, mut low, mut high) = ([0.0; 4], 1.0_f64, -1.0_f64);
        for (at, corner) in at.iter_mut().zip(&self.corners) {
            *at = dot(*corner, point);
            low = low.min(*at);
            high = high.max(*at);
        }
        // An extreme is at a corner, or between two corners of a side, or at the point or its antipode within the cell.
        for k in 0..4 {
            let (a, b, cos) = (at[k], at[(k + 1) % 4], self.sides[k]);
            let (rises, falls) = (b - a * cos, a - b * cos);
            if rises * falls > 0.0 {
                let extreme = ((a * a + b * b - 2.0 * a * b * cos) / (1.0 - cos * cos)).sqrt();
                if rises > 0.0 {
                    high = high.max(extreme);
                } else {
                    low = low.min(-extreme);
                }
            }
        }
        let d = dot(self.centre, point);
        (if d <= -self.radius { -1.0 } else { low }, if d >= self.radius { 1.0 } else { high })
    }
}

/// Finds the masks of a group's first `n` points. The group's map has `group.side` cells along each side.
pub(super) fn fill(group: &mut PointGroup, n: usize) {
    let side = group.side as usize;
    let points: Vec<Vector> =
        group.points[..n].iter().map(|&TestPoint { x, y, z, .. }| [x, y, z].map(f64::from)).collect();
    let rows = Mutex::new(group.masks.chunks_exact_mut(side * MASK_BINS).take(side).enumerate());
    let next = || rows.lock().unwrap_or_else(PoisonError::into_inner).next();
    let fill_some = || {
        while let Some((row, masks)) = next() {
            fill_row(masks, row, &points);
        }
    };
    thread::scope(|scope| {
        // A thread that cannot be started is not needed.
        let _others = [(); THREADS - 1].map(|()| thread::Builder::new().spawn_scoped(scope, fill_some));
        fill_some();
    });
    let mut all = Mask::default();
    for k in 0..n {
        all.possible[k / 32] |= 1 << (k % 32);
    }
    group.masks[ANY as usize] = all;
    group.masks[NOTHING as usize] = Mask::default();
}

/// Finds the masks of a row of cells.
fn fill_row(masks: &mut [Mask], row: usize, points: &[Vector]) {
    let per_width = MASK_BINS as f64 / f64::from(THRESHOLDS);
    let bins = |threshold: f64| (threshold - f64::from(FIRST_THRESHOLD)) * per_width;
    let side = masks.len() / MASK_BINS;
    for (cell, masks) in masks.as_chunks_mut::<MASK_BINS>().0.iter_mut().enumerate() {
        let cell = Cell::new(side, cell, row);
        for (k, point) in points.iter().enumerate() {
            let (low, high) = cell.cosines(*point);
            // First the bins that end below the smallest cosine: never the last bin. Then the bins that begin below the largest
            // one: always the first bin. The bins below those follow when all points are in.
            let certain = (bins(low - MARGIN) as usize).min(MASK_BINS - 1);
            let possible = (bins(high + MARGIN) as usize).min(MASK_BINS - 1);
            let (word, bit) = (k / 32, 1 << (k % 32));
            if certain > 0 {
                masks[certain - 1].certain[word] |= bit;
            }
            masks[possible].possible[word] |= bit;
        }
        for bin in (1..MASK_BINS).rev() {
            let above = masks[bin];
            for word in 0..above.certain.len() {
                masks[bin - 1].certain[word] |= above.certain[word];
                masks[bin - 1].possible[word] |= above.possible[word];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{SIDE_ON_CORES, groups_with_maps_of};
    use kernels_gpu::masks::Map;
    use shared_types::MASK_SIDE;

    /// Groups for devices, and for cores.
    fn both(n: u32) -> [Vec<PointGroup>; 2] {
        [MASK_SIDE as u32, SIDE_ON_CORES].map(|side| groups_with_maps_of(side, n))
    }

    /// The points that an atom at a given difference covers, by the kernel's own test.
    fn covered(group: &PointGroup, n: usize, [x, y, z]: [f32; 3], least: f32) -> u128 {
        let covers = |k: usize| {
            let point = group.points[k];
            point.x.mul_add(x, point.y.mul_add(y, point.z * z)) > least
        };
        (0..n).filter(|k| covers(*k)).map(|k| 1 << k).sum()
    }

    fn points(words: [u32; 4]) -> u128 {
        words.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word))
    }

    /// Checks that every certain point is covered, and that every covered point is possible. Returns the number of points that
    /// are neither certain nor impossible.
    fn check(group: &PointGroup, n: usize, difference: [f32; 3], least: f32) -> u32 {
        let mask = group.masks[Map::new(group.side).entry(difference, least) as usize];
        let (certain, possible) = (points(mask.certain), points(mask.possible));
        let covered = covered(group, n, difference, least);
        assert_eq!(certain & !covered, 0, "{difference:?} {least}: points are certain that are not covered");
        assert_eq!(covered & !possible, 0, "{difference:?} {least}: points are covered that are not possible");
        (possible & !certain).count_ones()
    }

    /// The mean number of points that stay open for one neighbour: neither certain nor impossible. The table must keep it small.
    fn open_of_random(group: &PointGroup, n: usize) -> f64 {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let (mut open, tries) = (0, 20_000);
        for _ in 0..tries {
            // Distances like those of neighbours, in some directions near the planes in which the map is folded.
            let difference = [0; 3].map(|_| 6.0 * random() * if random() > 0.7 { 1e-6 } else { 1.0 });
            let length = difference.iter().map(|x| x * x).sum::<f32>().sqrt();
            // Thresholds like those of neighbours. The first bin contains all lower thresholds and leaves more points open.
            open += check(group, n, difference, length * (0.4 + 0.6 * random()));
            check(group, n, difference, length * random() * 1.1);
        }
        f64::from(open) / f64::from(tries)
    }

    #[test]
    fn masks_say_what_the_test_says() {
        for n in [20, 100, 128] {
            for (groups, most) in both(n as u32).iter().zip([0.13, 0.2]) {
                let open = open_of_random(&groups[0], n);
                assert!(open < most * n as f64, "{n} points, {} cells: {open} are tested", groups[0].side);
            }
        }
        // The last group of a set that does not fill it.
        for groups in both(300) {
            open_of_random(&groups[2], 300 - 256);
        }
    }

    /// The borders of cells and bins, a few rounding errors to each side: too small a margin would fail here.
    #[test]
    fn masks_hold_at_the_corners_of_cells_and_the_ends_of_bins() {
        let n = 100;
        let near = |x: f32, ulps: i32| f32::from_bits(x.to_bits().wrapping_add_signed(ulps));
        for group in both(n as u32).iter().map(|groups| &groups[0]) {
            let side = group.side as usize;
            let at = |k: usize| 2.0 * k as f64 / side as f64 - 1.0;
            let inside = |k: usize| at(k.min(side - 1)) + 1.0 / side as f64;
            for (u, v) in (0..=side).flat_map(|v| (0..=side).map(move |u| (u, v))) {
                let direction = corner(at(u), at(v), [inside(u), inside(v)]);
                for (length, ulps) in [(1.5, -2), (3.8, 0), (6.4, 3)] {
                    let difference: [f32; 3] =
                        std::array::from_fn(|axis| near((direction[axis] * length) as f32, ulps * (axis as i32 - 1)));
                    for bin in 0..=MASK_BINS {
                        let end = f64::from(FIRST_THRESHOLD) + f64::from(THRESHOLDS) * bin as f64 / MASK_BINS as f64;
                        for ulps in [-3, 0, 3] {
                            check(group, n, difference, near((end * length) as f32, ulps));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_direction_is_tested_and_what_does_not_touch_covers_nothing() {
        for group in both(100).iter().map(|groups| &groups[0]) {
            assert_eq!(check(group, 100, [0.0, -0.0, 0.0], -0.1), 100);
            assert_eq!(check(group, 100, [0.005, -0.003, 0.001], 0.001), 100);
            assert_eq!(check(group, 100, [1.0, 2.0, 3.0], f32::INFINITY), 0);
            assert_eq!(check(group, 100, [f32::NAN, 2.0, 3.0], f32::NAN), 0);
            // Beyond the bins, and at large distances.
            for least in [-1e30, -50.0, -0.3, 1.5, 50.0, 1e30] {
                check(group, 100, [1.0, -0.5, 0.25], least);
                check(group, 100, [1e9, -3e9, 2e8], least);
            }
        }
    }
}
