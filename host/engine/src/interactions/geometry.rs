//! Points in Å and angles in degrees.

pub(super) use kernels_gpu::double::{Point, cosine, cross, distance, dot, length, minus, plus, times, unit};

/// The angle at `b`; 0 where two points coincide.
pub(super) fn angle(a: Point, b: Point, c: Point) -> f64 {
    between(minus(a, b), minus(c, b))
}

/// The angle between two vectors; 0 where one has no length.
pub(super) fn between(a: Point, b: Point) -> f64 {
    degrees(cosine(a, b))
}

/// The angle with a cosine.
pub(super) fn degrees(cosine: f64) -> f64 {
    cosine.acos().to_degrees()
}

/// The angle between two lines or planes, from 0 to 90 degrees.
pub(super) fn acute(a: Point, b: Point) -> f64 {
    least(between(a, b))
}

/// The lesser one of an angle and its supplement.
pub(super) fn least(angle: f64) -> f64 {
    angle.min(180.0 - angle)
}

/// The mean of points, of which there is at least one.
pub(super) fn centroid(points: &[Point]) -> Point {
    let sum = points.iter().fold([0.0; 3], |sum, &point| plus(sum, point));
    times(sum, 1.0 / points.len().max(1) as f64)
}

/// The normal of the plane through points in cyclic order around `centre` (the sum of the triangles' normals). `None` if they lie
/// on a line.
pub(super) fn normal(points: &[Point], centre: Point) -> Option<Point> {
    let next = points.iter().cycle().skip(1);
    let sum =
        points.iter().zip(next).fold([0.0; 3], |sum, (&a, &b)| plus(sum, cross(minus(a, centre), minus(b, centre))));
    unit(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_its_normal_and_right_angles() {
        let square = [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [2.0, 2.0, 1.0], [0.0, 2.0, 1.0]];
        let centre = centroid(&square);
        assert_eq!((centre, normal(&square, centre)), ([1.0, 1.0, 1.0], Some([0.0, 0.0, 1.0])));
        assert!((angle(square[0], square[1], square[2]) - 90.0).abs() < 1e-9);
        assert!((acute([1.0, 0.0, 0.0], [-1.0, 1.0, 0.0]) - 45.0).abs() < 1e-9);
        assert_eq!((unit([0.0; 3]), normal(&square[..2], [1.0, 0.0, 1.0])), (None, None));
    }
}
