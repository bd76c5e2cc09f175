//! Places a point by a length, an angle and a torsion. Functions are those of `libm`, which have the same bits everywhere.

use std::f64::consts::PI;

/// x, y, z in Å.
pub(super) type Point = [f32; 3];

/// An angle, as its sine and cosine.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    sin: f32,
    cos: f32,
}

impl Turn {
    pub(super) fn of_degrees(degrees: f32) -> Self {
        let radians = (f64::from(degrees) * PI / 180.0) as f32;
        let (sin, cos) = libm::sincos(f64::from(radians));
        Self { sin: sin as f32, cos: cos as f32 }
    }
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Point) -> Point {
    let [x, y, z] = a.map(f64::from);
    let length = (x * x + y * y + z * z).sqrt() as f32;
    a.map(|value| value / length)
}

/// The point at `length` from the last of three points, with the given angle and torsion to them.
pub(super) fn place([a, b, c]: [Point; 3], length: f32, angle: Turn, torsion: Turn) -> Point {
    let along = unit(minus(c, b));
    let normal = unit(cross(minus(b, a), along));
    let inward = cross(normal, along);
    let own = [-length * angle.cos, length * torsion.cos * angle.sin, length * torsion.sin * angle.sin];
    [0, 1, 2].map(|i| along[i] * own[0] + inward[i] * own[1] + normal[i] * own[2] + c[i])
}

/// The angle at the second of three points, in degrees.
pub(super) fn angle_at(a: Point, b: Point, c: Point) -> f32 {
    let (a, c) = (minus(a, b), minus(c, b));
    let cos = dot(a, c) / f64::from(dot(a, a) * dot(c, c)).sqrt() as f32;
    (libm::acos(f64::from(cos)) * 180.0 / PI) as f32
}
