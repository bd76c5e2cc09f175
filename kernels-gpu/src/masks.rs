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
//! square. A table for CPU cores has larger cells than one for a device: its masks leave more points open, but most of it stays
//! in a core's own cache.

#[cfg(not(target_arch = "nvptx64"))]
use cuda_std::math::larger;
use cuda_std::math::{self, approx};
use shared_types::{MASK_BINS, MASK_SIDE, MASKS_PER_GROUP, PointGroup};

/// Smaller thresholds, divided by length, are in the first bin. It leaves many points open, and one neighbour in a thousand has
/// it.
pub const FIRST_THRESHOLD: f32 = -0.3;
/// The range of thresholds from there on that the bins divide.
pub const THRESHOLDS: f32 = 1.3;
/// Squared distance in Å^2 up to which the direction is meaningless, and all points are tested.
const NOWHERE: f32 = 1e-4;

/// The entry with no certain point and all points possible.
pub const ANY: u32 = MASKS_PER_GROUP as u32 - 2;
/// The entry of an atom that covers nothing.
pub const NOTHING: u32 = MASKS_PER_GROUP as u32 - 1;

/// Adding this to a smaller number that is not negative rounds it to an integer, in the sum's lowest bits.
const TO_INTEGER: f32 = 8_388_608.0;

/// The index of one of `last` + 1 cells, in the lowest bits of the result; above are those of [`TO_INTEGER`]. `part` is the number
/// of cells below the position, less half a cell, divided by `last`, and limited to 0 to 1: a position beyond either end is in
/// the cell there. A position between two cells may be in either.
#[inline(always)]
fn index(part: f32, last: f32) -> u32 {
    // Half a cell less, rounded to nearest, is the whole part.
    math::fma(part, last, TO_INTEGER).to_bits()
}

/// `x`, or 0 if it is negative or NaN.
#[inline(always)]
#[cfg_attr(
    target_arch = "nvptx64",
    expect(clippy::disallowed_methods, reason = "one instruction; the sign of a zero makes no difference to an entry")
)]
fn positive(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return x.max(0.0);
    #[cfg(not(target_arch = "nvptx64"))]
    larger(x, 0.0)
}

/// The octahedral map of a table, as [`Map::entry`] uses it.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// The index of the last cell along a side.
    last: f32,
    /// Half of the cells along a side, divided by `last`.
    scale: f32,
    /// Entries of a row of cells.
    row: u32,
}

impl Map {
    /// The map with this many cells along each side.
    #[inline(always)]
    #[must_use]
    pub const fn new(side: u32) -> Self {
        let last = side as f32 - 1.0;
        Self { last, scale: side as f32 / 2.0 / last, row: side.wrapping_mul(MASK_BINS as u32) }
    }

    /// The map of the tables of `groups`. A device knows its size when the kernel is compiled.
    #[inline(always)]
    #[must_use]
    pub fn of(groups: &[PointGroup]) -> Self {
        let side = if cfg!(target_arch = "nvptx64") { None } else { groups.first().map(|group| group.side) };
        Self::new(side.unwrap_or(MASK_SIDE as u32))
    }

    /// The entry of another atom at the difference (`x`, `y`, `z`), which covers points u with u D > `least`.
    #[inline(always)]
    #[must_use]
    pub fn entry(self, [x, y, z]: [f32; 3], least: f32) -> u32 {
        const LAST_BIN: f32 = (MASK_BINS - 1) as f32;
        const BINS: f32 = MASK_BINS as f32 / THRESHOLDS / LAST_BIN;
        let Self { last, scale, row } = self;
        // What three indices have above their lowest bits.
        let above = TO_INTEGER.to_bits().wrapping_mul(row.wrapping_add(MASK_BINS as u32 + 1));
        let d2 = math::fma(x, x, math::fma(y, y, z * z));
        // What the lower half of the octahedron adds to the magnitude of a coordinate on the map.
        let folded = positive(-z);
        let scale = scale * approx::recip_of_normal(x.abs() + y.abs() + z.abs());
        // The map has its middle at 0: half of its cells, less half a cell, are half of the last index.
        let across = |x: f32| index(math::fma_to_unit((x.abs() + folded).copysign(x), scale, 0.5), last);
        let threshold = least * approx::rsqrt_of_normal(d2);
        let bin = index(math::fma_to_unit(threshold, BINS, -FIRST_THRESHOLD * BINS - 0.5 / LAST_BIN), LAST_BIN);
        let row = across(y).wrapping_mul(row).wrapping_add(across(x).wrapping_mul(MASK_BINS as u32));
        let entry = row.wrapping_add(bin).wrapping_sub(above);
        let entry = if d2 > NOWHERE { entry } else { ANY };
        if least < f32::INFINITY { entry } else { NOTHING }
    }
}
