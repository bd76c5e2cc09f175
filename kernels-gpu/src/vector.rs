//! Vectors in space.

use cuda_std::math::{NAN, atan2, canonical, fma, sqrt};

/// Degrees of a radian.
pub(crate) const DEGREES: f32 = 180.0 / core::f32::consts::PI;

/// A vector in space, in Å.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// x.
    pub x: f32,
    /// y.
    pub y: f32,
    /// z.
    pub z: f32,
}

impl Vector {
    /// The scalar product.
    #[inline]
    #[must_use]
    pub fn dot(self, other: Self) -> f32 {
        fma(self.x, other.x, fma(self.y, other.y, self.z * other.z))
    }

    /// The square of its length.
    #[inline]
    #[must_use]
    pub fn norm2(self) -> f32 {
        self.dot(self)
    }

    /// The vector product.
    #[inline]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: fma(self.y, other.z, -(self.z * other.y)),
            y: fma(self.z, other.x, -(self.x * other.z)),
            z: fma(self.x, other.y, -(self.y * other.x)),
        }
    }

    /// The vector of length 1 in its direction; NaN for the null vector.
    #[inline]
    #[must_use]
    pub fn unit(self) -> Self {
        let length = sqrt(self.norm2());
        Self { x: self.x / length, y: self.y / length, z: self.z / length }
    }

    /// The sum.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    /// The difference.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    /// x, y and z.
    #[inline]
    #[must_use]
    pub fn array(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

/// The dihedral angle of four points in degrees, in (-180, 180]; NaN if three in sequence lie on a line or one is missing.
#[inline(always)]
pub(crate) fn dihedral(a: Vector, b: Vector, c: Vector, d: Vector) -> f32 {
    let (ab, bc, cd) = (b.minus(a), c.minus(b), d.minus(c));
    let (left, right) = (ab.cross(bc), bc.cross(cd));
    if left.norm2() > 0.0 && right.norm2() > 0.0 {
        let y = left.cross(right).dot(bc) / sqrt(bc.norm2());
        let turn = atan2(y, left.dot(right)) * DEGREES;
        // -180 and 180 degrees are one angle, and the interval has the latter.
        if turn == -180.0 { 180.0 } else { canonical(turn) }
    } else {
        NAN
    }
}
