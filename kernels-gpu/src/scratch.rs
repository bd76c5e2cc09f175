//! What the fused kernel keeps for a residue while it works.
//!
//! Every buffer has one element a residue, but for the contact lists: they have [`contact_words`] words a residue.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;

use crate::vector::Vector;

/// A residue's alpha carbon, as the others see it.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Place {
    /// x in Å; all three are NaN without an alpha carbon, so that every distance test fails.
    pub x: f32,
    /// y in Å.
    pub y: f32,
    /// z in Å.
    pub z: f32,
    /// Chain in the upper 29 bits, then the charge plus one, then whether the residue is part of a fragment.
    tag: u32,
}

impl Place {
    /// An alpha carbon at `position`.
    #[inline]
    #[must_use]
    pub fn new(position: [f32; 3], chain: u32, charge: f32, in_fragment: bool) -> Self {
        let [x, y, z] = position;
        // A batch has fewer than 2^26 rows, and so fewer chains.
        Self { x, y, z, tag: (chain << 3) | (((charge + 1.0) as u32) << 1) | u32::from(in_fragment) }
    }

    /// Whether the residue has an alpha carbon.
    #[inline]
    #[must_use]
    pub fn exists(self) -> bool {
        !self.x.is_nan()
    }

    /// Whether both residues have the same chain.
    #[inline]
    #[must_use]
    pub fn same_chain(self, other: Self) -> bool {
        (self.tag ^ other.tag) < 8
    }

    /// The residue's formal charge.
    #[inline]
    #[must_use]
    pub fn charge(self) -> f32 {
        ((self.tag >> 1) & 3) as f32 - 1.0
    }

    /// Whether the residue is part of a fragment: linked to the row before or after.
    #[inline]
    #[must_use]
    pub fn in_fragment(self) -> bool {
        self.tag & 1 == 1
    }

    /// The vector from `self` to `to`.
    #[inline]
    #[must_use]
    pub fn to(self, to: Self) -> Vector {
        Vector { x: to.x - self.x, y: to.y - self.y, z: to.z - self.z }
    }
}

/// What a residue's neighbours average.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Traits {
    /// Hydropathy.
    pub hydropathy: f32,
    /// Conservation, NaN without.
    pub conservation: f32,
    /// Lineage frequency, NaN without.
    pub freq: f32,
    /// Lineage velocity, NaN without.
    pub velocity: f32,
}

/// What is counted around a heavy atom.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct AtomSurface {
    /// Test points on its sphere that no other atom covers.
    pub exposed: u32,
    /// Heavy atoms within 10 Å, itself counted.
    pub crowd: u32,
}

/// What a residue has of its heavy atoms and of those around them.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct ResidueExposure {
    /// Accessible surface area in Å^2.
    pub area: f32,
    /// The same by the residue type's largest.
    pub relative: f32,
    /// The part of the area on carbon and sulfur, in Å^2.
    pub apolar: f32,
    /// Mean protrusion of its atoms.
    pub protrusion: f32,
    /// Mean depth of its atoms in Å.
    pub depth: f32,
    /// Number of atoms of other residues in contact with its own.
    pub contacts: f32,
}

/// An atom's share of the words that sorting atoms into cells takes: at most three cells an atom, each with its start and
/// a counter; and the order itself.
pub type CellWords = [u32; 8];

/// Number of work vectors over the residues.
pub const WORK_VECTORS: usize = 32;

/// A residue's elements of the work vectors. They hold the half spheres' axes first, and then what the centrality
/// iteration keeps.
pub type Work = [f32; WORK_VECTORS];

/// Words of contact list a residue gets at a contact threshold in Å: a count, and room for the contacts.
///
/// Real residues have about 10 contacts at 8 Å and at most about 20, and both grow with the threshold's cube. A list
/// without room for all is no error: the kernel then looks at all residues again.
#[must_use]
pub fn contact_words(contact_threshold: f32) -> u32 {
    let eighths = contact_threshold / 8.0;
    let room = 24.0 * eighths * eighths * eighths;
    // At least a count and some; at most what a threshold of 20 Å needs.
    if room >= 384.0 {
        384
    } else if room >= 8.0 {
        (room as u32).next_multiple_of(8)
    } else {
        8
    }
}
