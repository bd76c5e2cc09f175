//! A lookup table of the test points that another atom covers.
//!
//! Another atom at the difference D covers a point u of an atom's unit sphere when u D exceeds a threshold. The direction
//! of D, and the threshold divided by the length of D, select a [`Mask`](shared_types::Mask). It has the points that are
//! *certainly* covered, for every D in that cell of directions and every threshold in that bin, and the points that are
//! *possibly* covered. (Le Grand and Merz 1993 look points up, too. Here masks count only certain points, and points that
//! are possible but not certain are tested.) So an entry decides the number of tests and no result: approximate functions
//! may find it, and it may differ between backends.
//!
//! Directions are cells of the octahedral map (Meyer et al. 2010): the octahedron |x| + |y| + |z| = 1, unfolded to a
//! square.

use cuda_std::math::{self, approx, larger, smaller};
use shared_types::{MASK_BINS, MASK_SIDE, MASKS_PER_GROUP};

/// Smaller thresholds, divided by length, are in the first bin.
pub const FIRST_THRESHOLD: f32 = -0.2;
/// The range of thresholds from there on that the bins divide.
pub const THRESHOLDS: f32 = 1.2;
/// Squared distance in Å^2 up to which the direction is meaningless, and all points are tested.
const NOWHERE: f32 = 1e-4;

/// The entry with no certain point and all points possible.
pub const ANY: u32 = MASKS_PER_GROUP as u32 - 2;
/// The entry of an atom that covers nothing.
pub const NOTHING: u32 = MASKS_PER_GROUP as u32 - 1;

/// Truncates a number from 0 to 2^22 to an integer. A whole number may become one less.
#[inline(always)]
fn whole(x: f32) -> u32 {
    (larger(x - 0.5, 0.0) + 8_388_608.0).to_bits() & 0x7f_ffff
}

/// The cell of a coordinate on the map. `folded` is what the lower half of the octahedron adds to its magnitude.
#[inline(always)]
fn position(x: f32, folded: f32, scale: f32) -> u32 {
    const HALF: f32 = MASK_SIDE as f32 / 2.0;
    let across = (x.abs() + folded).copysign(x);
    whole(smaller(math::fma(across, scale, HALF), MASK_SIDE as f32 - 0.5))
}

/// The entry of another atom at the difference (`x`, `y`, `z`), which covers points u with u D > `least`.
#[inline(always)]
#[must_use]
pub fn entry([x, y, z]: [f32; 3], least: f32) -> u32 {
    const HALF: f32 = MASK_SIDE as f32 / 2.0;
    const SCALE: f32 = MASK_BINS as f32 / THRESHOLDS;
    let d2 = math::fma(x, x, math::fma(y, y, z * z));
    let folded = larger(-z, 0.0);
    let scale = approx::div(HALF, x.abs() + y.abs() + z.abs());
    let (u, v) = (position(x, folded, scale), position(y, folded, scale));
    let threshold = least * approx::rsqrt(d2);
    let bin = whole(smaller(math::fma(threshold, SCALE, -FIRST_THRESHOLD * SCALE), MASK_BINS as f32 - 0.5));
    let entry = v.wrapping_mul(MASK_SIDE as u32).wrapping_add(u).wrapping_mul(MASK_BINS as u32).wrapping_add(bin);
    let entry = if d2 > NOWHERE { entry } else { ANY };
    if least < f32::INFINITY { entry } else { NOTHING }
}
