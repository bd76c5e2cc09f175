//! Parts of an array: each block has one.

/// The first element of a block's part of `part` elements, and how many it has: fewer at the end of the array, none
/// behind it.
#[inline(always)]
pub(crate) fn of(len: usize, block: u32, part: u32) -> (u32, u32) {
    let first = block.wrapping_mul(part).min(len as u32);
    (first, (len as u32).wrapping_sub(first).min(part))
}
