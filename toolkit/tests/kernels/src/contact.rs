//! The pass over all pairs alone, to compare the safe form with a baseline in CUDA C++.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::math::{fma, sqrt};
use cuda_std::prelude::*;

/// A point in space with an unused word: read with one load of 16 bytes.
#[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Point {
    /// First coordinate.
    pub x: f32,
    /// Second coordinate.
    pub y: f32,
    /// Third coordinate.
    pub z: f32,
    /// Unused.
    pub tag: u32,
}

/// Results for the surroundings of a point.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Contact {
    /// Number of others within the threshold.
    pub number: f32,
    /// Sum of 1 / d^2 over the others.
    pub weighted: f32,
    /// Others within 12 in the upper half sphere.
    pub up: f32,
    /// Others within 12 in the lower half sphere.
    pub down: f32,
}

/// Radius of the half spheres, 12, squared.
const HALF_SPHERE2: f32 = 144.0;

#[derive(Clone, Copy)]
struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

impl Point {
    #[inline(always)]
    fn to(self, to: Self) -> Vector {
        Vector { x: to.x - self.x, y: to.y - self.y, z: to.z - self.z }
    }
}

impl Vector {
    #[inline(always)]
    fn dot(self, other: Self) -> f32 {
        fma(self.x, other.x, fma(self.y, other.y, self.z * other.z))
    }

    #[inline(always)]
    fn unit(self) -> Self {
        let length = sqrt(self.dot(self));
        Self { x: self.x / length, y: self.y / length, z: self.z / length }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Sums {
    number: f32,
    weighted: f32,
    half_spheres: f32,
    up: f32,
}

/// Counts, weights and divides the points near each point of a set; block `i` takes segment `i` of `out`, and the same part
/// of `points`.
///
/// The end points of a set have no axis: for them, all points count for the lower half sphere.
#[kernel(threads = 256)]
pub fn contacts(block: &mut Block, out: &mut Segment<Contact>, points: &[Point], threshold: f32) {
    let n = out.len();
    let points = points.part(out.start(), n);
    let radius2 = threshold * threshold;
    out.fill_by_team::<8>(block, n, |team, i| {
        let here = points.at(i);
        let axis = if i > 0 && i + 1 < n {
            let (before, after) = (points.at(i - 1), points.at(i + 1));
            before.to(here).unit().plus(after.to(here).unit())
        } else {
            Vector { x: 0.0, y: 0.0, z: 0.0 }
        };
        let sums = team.reduce(
            n,
            Sums::zeroed(),
            |mut sums, j| {
                let to = here.to(points.at(j));
                let d2 = to.dot(to);
                if d2 > 0.0 {
                    sums.weighted += 1.0 / d2;
                    if d2 < radius2 {
                        sums.number += 1.0;
                    }
                    if d2 < HALF_SPHERE2 {
                        sums.half_spheres += 1.0;
                        if to.dot(axis) > 0.0 {
                            sums.up += 1.0;
                        }
                    }
                }
                sums
            },
            |a, b| Sums {
                number: a.number + b.number,
                weighted: a.weighted + b.weighted,
                half_spheres: a.half_spheres + b.half_spheres,
                up: a.up + b.up,
            },
        );
        Contact { number: sums.number, weighted: sums.weighted, up: sums.up, down: sums.half_spheres - sums.up }
    });
}
