//! The part of a block's memory that one warp writes.

use crate::bounds::check_index;
use crate::buffers::elements::Elements;
use crate::platform;
use crate::warp::{PerLane, Warp};

/// A part of a block's memory that one warp writes, in a phase of
/// [`write_parts_by_warp_with`](crate::BlockMemory::write_parts_by_warp_with).
///
/// Checked by the phase: parts do not overlap. Checked at run time: indices are within the part.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Parts of 2, 0 and 3 elements, each filled with its length and, in the last element, with its start.
/// #[kernel(threads = 64)]
/// fn parts(block: &mut Block, out: &mut Chunk<u32, 6>, starts: &mut Shared<u32, 4>, items: &mut Shared<u32, 64>) {
///     let starts = starts.fill(block, 4, |g| [0, 2, 2, 5][g as usize]);
///     out.write_parts_by_warp_with(block, &starts, (&mut *items,), |warp, (list,), part| {
///         if part.is_empty() {
///             return;
///         }
///         let lanes = warp.per_lane(|lane| (lane.index() < part.len()).then_some(part.len()));
///         list.push(warp, &lanes);
///         let items = list.items(warp);
///         let own = items.by_lane(warp, 0);
///         part.set_by_lane(warp, 0, &own);
///         part.set(warp, part.len() - 1, part.start());
///     });
/// }
/// # fn main() {
/// let mut out = [9; 6];
/// parts::launch(&CpuExecutor::new(), 1, parts::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [2, 0, 3, 3, 2, 9]);
/// # }
/// ```
pub struct WarpPart<'a, M> {
    memory: &'a M,
    first: u32,
    len: u32,
    /// Whether the last writes were those of one lane, or of all lanes. Others may write the same elements, so the lanes meet first.
    by_one: bool,
    by_lane: bool,
}

impl<'a, M: Elements> WarpPart<'a, M> {
    /// The elements from `first` to before `end`. They must exist, `end` must not be below `first`, and no other warp uses
    /// them.
    #[inline(always)]
    pub(super) fn new(memory: &'a M, first: u32, end: u32) -> Self {
        Self { memory, first, len: end.wrapping_sub(first), by_one: false, by_lane: false }
    }
}

impl<M: Elements> WarpPart<'_, M> {
    /// The index of the part's first element in the block's memory.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        self.first
    }

    crate::bounds::counted!("elements");

    /// Writes element `i` of the part.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, _warp: &mut Warp, i: u32, item: M::Item) {
        check_index(i, self.len);
        self.by_one = true;
        if core::mem::take(&mut self.by_lane) {
            platform::meet_warp();
        }
        if platform::leads_warp() {
            // SAFETY: in bounds of the part, which belongs to this warp; one of its threads stores.
            unsafe { self.memory.store(self.first.wrapping_add(i), item) };
        }
    }

    /// Writes the lanes' values to the 32 elements from `32 * turn` on, as far as the part has them. So an element belongs to one lane,
    /// which writes it in every call.
    #[inline(always)]
    pub fn set_by_lane(&mut self, warp: &mut Warp, turn: u32, items: &PerLane<M::Item>) {
        self.by_lane = true;
        if core::mem::take(&mut self.by_one) {
            platform::meet_warp();
        }
        let first = if turn > self.len / 32 { self.len } else { turn.wrapping_mul(32) };
        let left = self.len.wrapping_sub(first);
        items.0.store_each(warp.phase(), warp.index(), |lane, item| {
            if lane < left {
                // SAFETY: in bounds of the part, which belongs to this warp; each element belongs to one lane.
                unsafe { self.memory.store(self.first.wrapping_add(first).wrapping_add(lane), *item) };
            }
        });
    }
}
