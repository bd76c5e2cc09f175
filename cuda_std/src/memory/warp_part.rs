//! What one warp writes of a block's memory.

use super::Elements;
use crate::bounds::check_index;
use crate::{Warp, platform};

/// A part of a block's memory that one warp writes, in a phase of
/// [`write_parts_by_warp_with`](crate::BlockMemory::write_parts_by_warp_with).
///
/// What is enforced: parts do not overlap, which the phase has seen to; an index is checked against the part's length.
pub struct WarpPart<'a, M> {
    memory: &'a M,
    first: u32,
    len: u32,
}

impl<'a, M: Elements> WarpPart<'a, M> {
    /// The elements from `first` to before `end`, which are not before `first` and there, and one warp's alone.
    #[inline(always)]
    pub(super) fn new(memory: &'a M, first: u32, end: u32) -> Self {
        Self { memory, first, len: end.wrapping_sub(first) }
    }
}

impl<M: Elements> WarpPart<'_, M> {
    /// Where the part begins in the block's memory.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        self.first
    }

    /// Number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is no element.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes element `i` of the part.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, _warp: &mut Warp, i: u32, item: M::Item) {
        check_index(i, self.len);
        if platform::leads_warp() {
            // SAFETY: in bounds of the part, which is this warp's alone; one of its threads stores.
            unsafe { self.memory.store(self.first.wrapping_add(i), item) };
        }
    }
}
