//! Vectors and angles in single precision, in DSSP's order of operations.

pub(super) type Point = [f32; 3];

pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

pub(super) fn distance2(a: Point, b: Point) -> f32 {
    let between = minus(a, b);
    dot(between, between)
}

pub(super) fn distance(a: Point, b: Point) -> f32 {
    distance2(a, b).sqrt()
}

/// The dihedral angle in degrees; 360 if it is undefined.
pub(super) fn dihedral(a: Point, b: Point, c: Point, d: Point) -> f32 {
    let (to_a, to_d, axis) = (minus(a, b), minus(d, c), minus(b, c));
    let (p, x) = (cross(axis, to_a), cross(axis, to_d));
    let y = cross(axis, x);
    let (u, v) = (dot(x, x), dot(y, y));
    if !(u > 0.0 && v > 0.0) {
        return 360.0;
    }
    let (u, v) = (dot(p, x) / u.sqrt(), dot(p, y) / v.sqrt());
    if u == 0.0 && v == 0.0 {
        return 360.0;
    }
    v.atan2(u) * 180.0 / std::f32::consts::PI
}

/// The cosine of the angle between two vectors, each given by its ends; 0 if it is undefined.
pub(super) fn cosine(a: [Point; 2], b: [Point; 2]) -> f32 {
    let (a, b) = (minus(a[0], a[1]), minus(b[0], b[1]));
    let product = dot(a, a) * dot(b, b);
    if product > 0.0 { dot(a, b) / product.sqrt() } else { 0.0 }
}
