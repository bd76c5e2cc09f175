//! The rotation that brings one set of points closest to another.
//!
//! Horn 1987, J Opt Soc Am A 4:629: the unit quaternion of the best rotation is the eigenvector of a symmetric matrix of four
//! rows with the largest eigenvalue. Reflections cannot occur.

/// A point in Å.
pub(super) type Point = [f64; 3];

/// A rotation about the centre of the moved points, and the shift to that of the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Superposition {
    rotation: [[f64; 3]; 3],
    from: Point,
    to: Point,
    /// Whether no other rotation is as good.
    pub(super) is_unique: bool,
}

impl Superposition {
    /// The superposition of `moved` on `fixed`, which correspond point by point. `None` without points.
    pub(super) fn of(moved: &[Point], fixed: &[Point]) -> Option<Self> {
        let (from, to) = (centre(moved)?, centre(fixed)?);
        let mut products = [[0.0; 3]; 3];
        let mut size = 0.0;
        for (a, b) in moved.iter().zip(fixed) {
            let (a, b) = (minus(*a, from), minus(*b, to));
            size += norm2(a) + norm2(b);
            for (products, a) in products.iter_mut().zip(a) {
                for (product, b) in products.iter_mut().zip(b) {
                    *product += a * b;
                }
            }
        }
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = products;
        let key = [
            [xx + yy + zz, yz - zy, zx - xz, xy - yx],
            [yz - zy, xx - yy - zz, xy + yx, zx + xz],
            [zx - xz, xy + yx, yy - xx - zz, yz + zy],
            [xy - yx, zx + xz, yz + zy, zz - xx - yy],
        ];
        let (values, vectors) = eigen(key);
        let best = (0..4).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
        let next = (0..4).filter(|&other| other != best).map(|other| values[other]).fold(f64::NEG_INFINITY, f64::max);
        // Points on a line may turn about it.
        let is_unique = values[best] - next > 1e-9 * size;
        let [w, x, y, z] = vectors.map(|row| row[best]);
        let rotation = [
            [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ];
        Some(Self { rotation, from, to, is_unique })
    }

    /// A moved point.
    pub(super) fn apply(&self, point: Point) -> Point {
        let point = minus(point, self.from);
        std::array::from_fn(|axis| self.to[axis] + (0..3).map(|k| self.rotation[axis][k] * point[k]).sum::<f64>())
    }

    /// The root mean square distance in Å of moved points from others. NaN without points.
    pub(super) fn rmsd(&self, moved: &[Point], fixed: &[Point]) -> f64 {
        let sum: f64 = moved.iter().zip(fixed).map(|(a, b)| norm2(minus(self.apply(*a), *b))).sum();
        (sum / moved.len() as f64).sqrt()
    }
}

/// Eigenvalues of a symmetric matrix, and its eigenvectors as columns, by Jacobi's rotations.
fn eigen(mut a: [[f64; 4]; 4]) -> ([f64; 4], [[f64; 4]; 4]) {
    /// More than enough: convergence is quadratic.
    const MOST_SWEEPS: usize = 32;
    let mut vectors: [[f64; 4]; 4] = std::array::from_fn(|row| std::array::from_fn(|column| f64::from(row == column)));
    for _ in 0..MOST_SWEEPS {
        let off: f64 = (0..4).flat_map(|p| (p + 1..4).map(move |q| (p, q))).map(|(p, q)| a[p][q].powi(2)).sum();
        if off == 0.0 {
            break;
        }
        for p in 0..3 {
            for q in p + 1..4 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (own, other) = (a[p], a[q]);
                a[p] = std::array::from_fn(|k| c * own[k] - s * other[k]);
                a[q] = std::array::from_fn(|k| s * own[k] + c * other[k]);
                for row in &mut vectors {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), vectors)
}

fn centre(points: &[Point]) -> Option<Point> {
    let n = points.len() as f64;
    let sum = points.iter().copied().reduce(|a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])?;
    Some(sum.map(|sum| sum / n))
}

pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn norm2(a: Point) -> f64 {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points without symmetry.
    const POINTS: [Point; 5] = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [-1.0, 1.0, 0.5], [2.0, -1.0, -2.0]];

    /// Turns a point about z, then x, and shifts it.
    fn turned([x, y, z]: Point, a: f64, b: f64) -> Point {
        let [x, y] = [a.cos() * x - a.sin() * y, a.sin() * x + a.cos() * y];
        let [y, z] = [b.cos() * y - b.sin() * z, b.sin() * y + b.cos() * z];
        [x + 10.0, y - 20.0, z + 30.0]
    }

    #[test]
    fn rotated_points_come_back() {
        for (a, b) in [(0.0, 0.0), (0.3, -1.2), (std::f64::consts::PI, 0.0), (2.0, 3.0)] {
            let moved = POINTS.map(|point| turned(point, a, b));
            let found = Superposition::of(&moved, &POINTS).unwrap();
            assert!(found.rmsd(&moved, &POINTS) < 1e-12 && found.is_unique, "{a} {b}");
        }
    }

    #[test]
    fn a_mirror_image_does_not_fit() {
        let mirrored = POINTS.map(|[x, y, z]| [-x, y, z]);
        let found = Superposition::of(&mirrored, &POINTS).unwrap();
        assert!(found.rmsd(&mirrored, &POINTS) > 0.5);
    }

    /// Two pairs of points 2 Å and 4 Å apart: each end is 1 Å from its counterpart.
    #[test]
    fn points_on_a_line_have_no_unique_rotation() {
        let (short, long) = ([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        let found = Superposition::of(&short, &long).unwrap();
        assert!(!found.is_unique && (found.rmsd(&short, &long) - 1.0).abs() < 1e-12);
        assert!(!Superposition::of(&short[..1], &long[..1]).unwrap().is_unique);
        assert!(Superposition::of(&[], &[]).is_none());
    }
}
