//! Vectors in space.

use cuda_std::math::{fma, sqrt};

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
