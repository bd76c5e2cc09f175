//! Points on the surface where a ligand may lie, and their probabilities.
//!
//! A point is a centre of a probe that touches one atom and overlaps no other. Atoms that stand out have none. `exposed`
//! finds the points, `scores` rates them by the atoms around each, and `sums` adds up the scores around each atom.
//! `sites` finds scores of residues and sites from these. All sums are of integers, so the order of atoms within
//! a cell makes no difference. The model is in [`shared_types::site_model`].

mod exposed;
pub mod kinds;
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

/// Added to coordinates before they are summed up: within 32,768 Å, the bits of the result are those of an integer in
/// units of 1 / [`PER_ANGSTROM`].
const SHIFT: f32 = 98_304.0;
const PER_ANGSTROM: f32 = 128.0;

/// The first atom of the item after that of `atom`, where items have `per_item` atoms.
#[inline(always)]
pub(crate) fn next_item(atom: u32, per_item: u32) -> u32 {
    (atom / per_item).wrapping_add(1).wrapping_mul(per_item)
}

/// Threads of a block, and its warps.
const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;

/// The points of an atom. The kernels for sites keep all values of atoms in the order of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct PointAtom {
    /// The index of its first point in buffers of points.
    pub first: u32,
    /// From the lowest bit: 16 bits for the directions of its points; 5 bits for the number of exposed directions.
    word: u32,
}

/// The properties of an atom that the scores of points read. Atoms are in the order of cells.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct SiteAtom {
    /// x in Å plus [`SHIFT`], as from [`shifted`]; so are y and z.
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
    /// Its weight: its probability to the power of 1.5, times [`shared_types::site_model::SUM_UNIT`].
    pub score: u32,
}

impl Spot {
    /// Its position in Å.
    #[inline(always)]
    pub fn at(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

impl PointAtom {
    /// The word of an atom with points in some directions, of a number of exposed ones.
    #[inline(always)]
    fn word_of(directions: u32, exposed: u32) -> u32 {
        directions | exposed << 16
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

    /// Number of directions in which it is exposed, including those without room for a point.
    #[inline(always)]
    #[must_use]
    pub fn exposed(self) -> u32 {
        self.word >> 16
    }
}

/// The position of an atom's point in a direction.
#[inline(always)]
pub fn position(atom: Atom, direction: u32) -> [f32; 3] {
    use cuda_std::math::fma;
    let [x, y, z] = DIRECTIONS[direction as usize % DIRECTIONS.len()];
    let reach = atom.radius + PROBE;
    [fma(reach, x, atom.x), fma(reach, y, atom.y), fma(reach, z, atom.z)]
}

/// A position with [`SHIFT`] added: its coordinates can be summed up by their bits.
#[inline(always)]
fn shifted(at: [f32; 3]) -> [f32; 3] {
    [at[0] + SHIFT, at[1] + SHIFT, at[2] + SHIFT]
}

/// Such a coordinate without the shift, in Å.
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
