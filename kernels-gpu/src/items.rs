//! Work items: parts of structures, one for each block.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;

/// The work of one block in kernels for parts of structures: some elements of one structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct WorkItem {
    /// The structure, or [`NO_STRUCTURE`].
    pub structure: u32,
    /// The structure's first element in scratch memory with one element per atom.
    pub atoms: u32,
    /// In items of rows: the first row of the structure's boxes ([`crate::scratch::rows_of_eight`]).
    pub boxes: u32,
    /// The item's first element, counted from the structure's first element.
    pub first: u32,
}

impl WorkItem {
    /// The end of its elements, if it is item `index` of `items`, of a structure with `n` elements.
    #[inline(always)]
    pub(crate) fn end(self, items: &[Self], index: u32, n: u32) -> u32 {
        match items.get(index as usize + 1) {
            Some(next) if next.structure == self.structure => next.first,
            _ => n,
        }
    }
}

/// The structure of a [`WorkItem`] whose block has nothing to do.
pub const NO_STRUCTURE: u32 = u32::MAX;

/// Atoms of an item, at most.
pub const ATOMS_PER_ITEM: u32 = 1024;

/// Residues of an item, at most.
pub const RESIDUES_PER_ITEM: u32 = 128;

/// Atoms per item of a structure of `n` atoms. Items have equal shares (the last one may have less), so no block is spent
/// on a few atoms.
#[inline]
#[must_use]
pub fn atoms_per_item(n: u32) -> u32 {
    let items = n.div_ceil(ATOMS_PER_ITEM);
    if items == 0 { 1 } else { n.div_ceil(items) }
}
