//! Points in space in double precision, in Å, for kernels whose results are those of files' own numbers.

use cuda_std::math::f64::{larger, smaller, sqrt};

/// x, y and z.
pub type Point = [f64; 3];

/// The difference.
#[inline(always)]
#[must_use]
pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The sum.
#[inline(always)]
#[must_use]
pub fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The product with a number.
#[inline(always)]
#[must_use]
pub fn times(a: Point, factor: f64) -> Point {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The scalar product.
#[inline(always)]
#[must_use]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
#[inline(always)]
#[must_use]
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length of a vector.
#[inline(always)]
#[must_use]
pub fn length(a: Point) -> f64 {
    sqrt(dot(a, a))
}

/// The distance of two points.
#[inline(always)]
#[must_use]
pub fn distance(a: Point, b: Point) -> f64 {
    length(minus(a, b))
}

/// The direction of a vector. `None` if it has no length.
#[inline(always)]
#[must_use]
pub fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    if length > 1e-6 { Some(times(a, 1.0 / length)) } else { None }
}

/// The cosine of the angle between two vectors; 1 where one has no length.
#[inline(always)]
#[must_use]
pub fn cosine(a: Point, b: Point) -> f64 {
    match (unit(a), unit(b)) {
        (Some(a), Some(b)) => larger(smaller(dot(a, b), 1.0), -1.0),
        _ => 1.0,
    }
}
