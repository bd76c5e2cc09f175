//! A predicted ligand-binding site.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, offset_of, size_of};
use cuda_layout::DeviceLayout;

/// A predicted ligand-binding site.
///
/// ```
/// use shared_types::Site;
///
/// // The buffer of a structure has room for more sites; unused entries have no points.
/// let sites = [Site { points: 40, score: 12.5, ..Site::default() }, Site::default()];
/// assert_eq!(sites.iter().filter(|site| site.points > 0).count(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Site {
    /// Centre in Å relative to the structure's centre: the mean of its points, weighted by their probabilities to the
    /// power of 1.5.
    pub center: [f32; 3],
    /// Sum of the probabilities of its points to the power of 1.5.
    pub score: f32,
    /// The probability that a site with this score binds a ligand.
    pub probability: f32,
    /// Area in Å^2 that its points represent, on the surface that the centre of a probe of
    /// [`PROBE`](crate::site_model::PROBE) Å can reach.
    pub area: f32,
    /// The atom at its peak, counted from the structure's first atom.
    pub peak: u32,
    /// Number of its points: those within [`AROUND`](crate::site_model::AROUND) Å of that atom.
    pub points: u32,
}

const _: () = assert!(
    size_of::<Site>() == 32
        && align_of::<Site>() == 4
        && offset_of!(Site, center) == 0
        && offset_of!(Site, score) == 12
        && offset_of!(Site, probability) == 16
        && offset_of!(Site, area) == 20
        && offset_of!(Site, peak) == 24
        && offset_of!(Site, points) == 28
);

/// The surface points of a heavy atom, with their scores.
///
/// ```
/// use shared_types::AtomPoints;
///
/// // Two points, in directions 3 and 5.
/// let atom = AtomPoints { directions: 0b10_1000, scores: [7, 9, 0, 0] };
/// assert_eq!(atom.iter().collect::<Vec<_>>(), [(3, 7), (5, 9)]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct AtomPoints {
    /// One bit for each of [`DIRECTIONS`](crate::site_model::DIRECTIONS) in which the atom has a point.
    pub directions: u32,
    /// The probability of each point to the power of 1.5 in units of 1 / [`SUM_UNIT`](crate::site_model::SUM_UNIT).
    pub scores: [u32; crate::site_model::CAPACITY as usize],
}

const _: () = assert!(
    size_of::<AtomPoints>() == 20
        && align_of::<AtomPoints>() == 4
        && offset_of!(AtomPoints, directions) == 0
        && offset_of!(AtomPoints, scores) == 4
);

impl AtomPoints {
    /// The direction and score of each point.
    pub fn iter(self) -> impl Iterator<Item = (u32, u32)> {
        let all = (0..u32::BITS).filter(move |direction| self.directions >> direction & 1 == 1);
        all.zip(self.scores)
    }
}
