//! Points in Å and angles in degrees.

pub(super) type Point = [f64; 3];

pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn times(a: Point, factor: f64) -> Point {
    a.map(|x| x * factor)
}

pub(super) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn distance(a: Point, b: Point) -> f64 {
    length(minus(a, b))
}

/// The direction of a vector. `None` if it has no length.
pub(super) fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    (length > 1e-6).then(|| times(a, 1.0 / length))
}

/// The angle at `b`; 0 where two points coincide.
pub(super) fn angle(a: Point, b: Point, c: Point) -> f64 {
    between(minus(a, b), minus(c, b))
}

/// The angle between two vectors; 0 where one has no length.
pub(super) fn between(a: Point, b: Point) -> f64 {
    match (unit(a), unit(b)) {
        (Some(a), Some(b)) => dot(a, b).clamp(-1.0, 1.0).acos().to_degrees(),
        _ => 0.0,
    }
}

/// The angle between two lines or planes, from 0 to 90 degrees.
pub(super) fn acute(a: Point, b: Point) -> f64 {
    let angle = between(a, b);
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
