//! Scratch memory of the kernels.
//!
//! Unless said otherwise, a buffer has one element per residue. Contact lists have [`contact_words`] words per residue.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::math::NAN;
use shared_types::Steps;

pub use crate::atoms::cells::Frame;
pub use crate::backbone::{Carbon, HydrogenBonds, LadderStarts, PeptideAtoms};
pub use crate::boxes::{Eight, rows_of_eight};
pub use crate::items::{ATOMS_PER_ITEM, NO_STRUCTURE, RESIDUES_PER_ITEM, WorkItem, atoms_per_item};
use crate::vector::Vector;

/// A residue's alpha carbon, and the residue's properties that other residues read.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct AlphaCarbon {
    /// x in Å; all three are NaN without an alpha carbon, so that every distance test fails.
    pub x: f32,
    /// y in Å.
    pub y: f32,
    /// z in Å.
    pub z: f32,
    /// Chain in the upper 28 bits, then whether the residue is a nucleotide, then the charge plus one, then whether the residue is part of
    /// a fragment.
    tag: u32,
}

impl AlphaCarbon {
    /// An alpha carbon at `position`, or the C1' of a nucleotide.
    #[inline]
    #[must_use]
    pub fn new(position: [f32; 3], chain: u32, charge: f32, is_nucleotide: bool, in_fragment: bool) -> Self {
        let [x, y, z] = position;
        // A batch has fewer than 2^26 rows, and so fewer chains.
        let flags = (u32::from(is_nucleotide) << 3) | (((charge + 1.0) as u32) << 1) | u32::from(in_fragment);
        Self { x, y, z, tag: (chain << 4) | flags }
    }

    /// Of no residue.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) const NOWHERE: Self = Self { x: NAN, y: NAN, z: NAN, tag: 2 };

    /// x, y and z.
    #[inline]
    #[must_use]
    pub fn position(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }

    /// The residue's chain.
    #[inline]
    #[must_use]
    pub fn chain(self) -> u32 {
        self.tag >> 4
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
        (self.tag ^ other.tag) < 16
    }

    /// Whether both residues have the same chain and are amino acids.
    #[inline]
    #[must_use]
    pub fn same_protein(self, other: Self) -> bool {
        (self.tag ^ other.tag) < 8 && self.tag & 8 == 0
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

/// Values of a residue that its neighbours average.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Traits {
    /// Hydropathy.
    pub hydropathy: f32,
    /// Conservation, NaN if missing.
    pub conservation: f32,
    /// Lineage frequency, NaN if missing.
    pub freq: f32,
    /// Lineage velocity, NaN if missing.
    pub velocity: f32,
}

/// Counts around a heavy atom.
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct AtomSurface {
    /// The number of test points on its sphere that no other atom covers. On cores, the upper half has a bit for each of the directions of
    /// [`fn@crate::site_points`] that is such a point.
    pub exposed: u32,
    /// Heavy atoms within 10 Å, including itself.
    pub crowd: u32,
}

impl AtomSurface {
    /// The number of test points that no other atom covers.
    #[inline(always)]
    #[must_use]
    pub fn points(self) -> u32 {
        if cfg!(target_arch = "nvptx64") { self.exposed } else { self.exposed & 0xffff }
    }
}

/// A residue's sums over its heavy atoms and those around them.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct ResidueExposure {
    /// Accessible surface area in Å^2.
    pub area: f32,
    /// The area divided by the largest one of the residue type.
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

/// An atom's share of the words for sorting atoms into cells: at most three cells per atom, each with its start and a
/// counter, and one more start; then the order itself, and each atom's rank in it.
pub type CellWords = [u32; 9];

/// Number of work vectors over the residues.
pub const WORK_VECTORS: usize = 32;

/// A residue's elements of the work vectors. They hold the axes of half spheres first, and the vectors of the centrality
/// iteration later.
pub type WorkVectors = [f32; WORK_VECTORS];

/// How the structures of a batch are divided among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct WorkSplit {
    /// Structures of more residues than this are divided among several blocks.
    pub largest: u32,
    /// Rows per item of such structures; at least 1.
    pub rows_per_item: u32,
    /// Words of contact list for each residue: [`contact_words`], or fewer.
    pub contact_words: u32,
    /// The bits of [`shared_types::Steps`] to take.
    pub steps: u32,
}

impl WorkSplit {
    /// The steps to take.
    #[inline(always)]
    #[must_use]
    pub fn steps(&self) -> Steps {
        Steps::from_bits(self.steps)
    }
}

/// The columns of a group to copy from its rows to the batch's values.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Taken {
    /// Number of columns of the groups before this one.
    pub first: u32,
    /// Finite values of a smaller magnitude are written as 0.
    pub least: f32,
}

/// The extent of the alpha carbons.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Shape {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
    /// Radius of gyration in Å; NaN without an alpha carbon.
    pub(crate) radius: f32,
}

impl Shape {
    /// Stands for an extent that was not requested.
    pub const UNKNOWN: Self = Self { x: NAN, y: NAN, z: NAN, radius: NAN };
}

/// Facts about a large structure that its rows need.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Facts {
    /// The extent of its alpha carbons.
    pub shape: Shape,
    /// Accessible area of all residues in Å^2.
    pub area: f32,
    /// 1 if any residue has an annotation, else 0.
    pub annotated: u32,
    /// 1 if there is more than one chain, else 0.
    pub several_chains: u32,
}

/// Words of a residue's contact list at a contact threshold in Å: a count, and room for contacts.
///
/// Real residues have about 10 contacts at 8 Å, and at most about 25; both grow with the cube of the threshold. Where models overlap,
/// there may be twice as many. A list may be too short: the kernel then looks at all residues again. One such residue among 27,000
/// takes more time than all others, for centrality a hundred times.
#[must_use]
pub fn contact_words(contact_threshold: f32) -> u32 {
    let eighths = contact_threshold / 8.0;
    let room = 64.0 * eighths * eighths * eighths;
    // At least a count and some contacts; at most what a threshold of 20 Å needs.
    if room >= 384.0 {
        384
    } else if room >= 8.0 {
        (room as u32).next_multiple_of(8)
    } else {
        8
    }
}
