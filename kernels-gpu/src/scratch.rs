//! What the fused kernel keeps for a residue while it works: one element a residue of every buffer.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::List;

/// A residue's alpha carbon, as its neighbours see it.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Place {
    /// x in Å; all three are NaN without an alpha carbon, so that every distance test fails.
    pub x: f32,
    /// y in Å.
    pub y: f32,
    /// z in Å.
    pub z: f32,
    /// Chain, residue type and whether the residue is part of a fragment; see [`Tag`].
    pub tag: u32,
}

/// What a residue's neighbours average.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Traits {
    /// Standardised B factor, NaN without.
    pub bfactor_z: f32,
    /// Conservation, NaN without.
    pub conservation: f32,
    /// Lineage frequency, NaN without.
    pub freq: f32,
    /// Lineage velocity, NaN without.
    pub velocity: f32,
}

/// Contacts kept for a residue. At the default threshold of 8 Å real residues have up to about 20; one with more is
/// handled by looking at all residues again.
pub const CONTACTS: usize = 31;

/// A residue's contacts: rows in rising order.
pub type ContactList = List<CONTACTS>;

/// Vectors over the residues that the centrality iteration keeps, an element of each.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Basis {
    /// One element of every vector.
    pub vectors: [f32; BASIS],
}

/// Number of vectors in a [`Basis`].
pub const BASIS: usize = 16;
