//! Points on the surface where a ligand may lie, and how likely it does.
//!
//! A point is where the centre of a probe touches an atom and no other, on an atom that is not too far out. `exposed` finds
//! points, `scores` what lies around each, and `sums` what each atom has around it; `sites` makes residues and sites of
//! these. All sums are of integers, so that the order in which atoms lie in their cells makes no difference. The model stands in
//! [`shared_types::site_model`].

mod exposed;
mod kinds;
mod listed;
pub(crate) mod near;
mod scores;
mod sums;

pub use exposed::site_points;
pub use listed::site_point_list;
pub use scores::site_point_scores;
pub use sums::site_sums;

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use shared_types::Atom;
use shared_types::site_model::{DIRECTIONS, PROBE};

/// Coordinates that are added up have this added: the bits of such a number are those of an integer that counts by
/// 1 / [`PER_ANGSTROM`], as far as it is within 32,768 Å.
const SHIFT: f32 = 98_304.0;
const PER_ANGSTROM: f32 = 128.0;

/// Threads of a block, and its warps.
const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;

/// An atom's points. In the order of cells, as all that kernels for sites keep of atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct PointAtom {
    /// Where its points begin in buffers of points.
    pub first: u32,
    /// From the lowest bit: 16 for the directions of its points, 5 for how many it would have if there were room for all.
    word: u32,
}

/// An atom as the points around it see it, in the order of cells.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct SiteAtom {
    /// x in Å, as [`place`] has it, and so are the others.
    x: f32,
    y: f32,
    z: f32,
    /// Its weights ([`shared_types::site_model::WEIGHTS`]).
    weights: u32,
}

/// A scored point.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Spot {
    /// x in Å.
    x: f32,
    y: f32,
    z: f32,
    /// The square of its probability, in parts of 1 of [`shared_types::site_model::SUM_UNIT`].
    pub score: u32,
}

impl Spot {
    /// Where it is.
    #[inline(always)]
    pub fn at(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

impl PointAtom {
    fn new(first: u32, directions: u32, exposed: u32) -> Self {
        Self { first, word: directions | exposed << 16 }
    }

    /// One bit for each direction in which it has a point.
    #[inline(always)]
    #[must_use]
    pub fn directions(self) -> u32 {
        self.word & 0xffff
    }

    /// Number of its points.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> u32 {
        self.directions().count_ones()
    }

    /// Directions in which it is exposed, also those that there is no room for.
    #[inline(always)]
    #[must_use]
    pub fn exposed(self) -> u32 {
        self.word >> 16
    }
}

/// Where an atom's point in a direction is.
#[inline(always)]
pub fn position(atom: Atom, direction: u32) -> [f32; 3] {
    use cuda_std::math::fma;
    let [x, y, z] = DIRECTIONS[direction as usize % DIRECTIONS.len()];
    let reach = atom.radius + PROBE;
    [fma(reach, x, atom.x), fma(reach, y, atom.y), fma(reach, z, atom.z)]
}

/// A position whose coordinates can be added up by their bits.
#[inline(always)]
fn place(at: [f32; 3]) -> [f32; 3] {
    [at[0] + SHIFT, at[1] + SHIFT, at[2] + SHIFT]
}

/// Such a coordinate in Å.
#[inline(always)]
fn along(at: f32) -> f32 {
    at - SHIFT
}

#[inline(always)]
pub(crate) fn distance2(a: [f32; 3], b: [f32; 3]) -> f32 {
    use cuda_std::math::fma;
    let (x, y, z) = (b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    fma(x, x, fma(y, y, z * z))
}
