//! The masks of test points: for each cell of directions and bin of thresholds, which points are covered in any case, and
//! which may be. [`kernels_gpu::masks`] says what they are for.

use kernels_gpu::masks::{ANY, FIRST_THRESHOLD, NOTHING, THRESHOLDS};
use shared_types::{MASK_BINS, MASK_SIDE, Mask, PointGroup};

/// Added to what rounding may do: directions, thresholds and the test itself together err by less than 2e-6.
const MARGIN: f64 = 1e-5;

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The direction at a corner of a cell of the octahedral map, over [-1, 1] squared. The cell's middle says on which side
/// of the folds u = 0 and v = 0 it lies, where the lower half has its seams.
fn corner(u: f64, v: f64, middle: [f64; 2]) -> Vector {
    let above = 1.0 - u.abs() - v.abs();
    unit(if above >= 0.0 {
        [u, v, above]
    } else {
        [(1.0 - v.abs()) * middle[0].signum(), (1.0 - u.abs()) * middle[1].signum(), above]
    })
}

/// The cap around a cell: its middle, and the cosine and the sine of its radius.
fn cap(u: usize, v: usize) -> (Vector, f64, f64) {
    let at = |k: usize| 2.0 * k as f64 / MASK_SIDE as f64 - 1.0;
    let middle = [(at(u) + at(u + 1)) / 2.0, (at(v) + at(v + 1)) / 2.0];
    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| corner(at(u + i), at(v + j), middle));
    let centre = unit(std::array::from_fn(|axis| corners.iter().map(|corner| corner[axis]).sum()));
    // Both of the cell's triangles lie within the cap of their corners, since it is smaller than a half sphere.
    let cos = corners.iter().map(|corner| dot(*corner, centre)).fold(1.0, f64::min);
    (centre, cos, (1.0 - cos * cos).sqrt())
}

/// Finds the masks of a group's first `n` points.
pub(super) fn fill(group: &mut PointGroup, n: usize) {
    let points: Vec<Vector> =
        (0..n).map(|k| [group.x[k], group.y[k], group.z[k]].map(f64::from)).collect();
    let per_width = MASK_BINS as f64 / f64::from(THRESHOLDS);
    let bins = |threshold: f64| (threshold - f64::from(FIRST_THRESHOLD)) * per_width;
    for (cell, masks) in group.masks.chunks_exact_mut(MASK_BINS).enumerate() {
        let (centre, cos, sin) = cap(cell % MASK_SIDE, cell / MASK_SIDE);
        for (k, point) in points.iter().enumerate() {
            let d = dot(*point, centre);
            let away = (1.0 - d * d).max(0.0).sqrt();
            // The least and the greatest cosine between the point and a direction of the cap.
            let low = if d <= -cos { -1.0 } else { d * cos - away * sin };
            let high = if d >= cos { 1.0 } else { d * cos + away * sin };
            // Bins that end below the least: the last one never does. Bins that begin below the greatest: the first one
            // always does. Those below them follow when all points are in.
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
    let mut all = Mask::default();
    for k in 0..n {
        all.possible[k / 32] |= 1 << (k % 32);
    }
    group.masks[ANY as usize] = all;
    group.masks[NOTHING as usize] = Mask::default();
}
