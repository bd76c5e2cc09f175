//! Vectors in f64, for plain computations.

/// A point or a vector.
pub type Point = [f64; 3];

/// `a - b`.
pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The scalar product.
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a + b`.
pub fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The length of a vector.
pub fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// A vector of length 1; `None` for the null vector.
pub fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    (length > 0.0).then(|| a.map(|x| x / length))
}
