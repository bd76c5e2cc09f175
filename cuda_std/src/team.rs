//! Teams: a few neighbouring lanes of a warp that work on one element together.

use crate::memory::{check_index, check_length};
use crate::{Block, BlockMemory, Segment, platform};
use bytemuck::{Pod, Zeroable};
use cuda_layout::{DeviceLayout, Text};

/// A team of `L` threads inside a phase; `L` is 1, 2, 4, 8, 16 or 32.
///
/// All threads of a team run the element's closure alike; only [`reduce`](Self::reduce) shares work out. (The
/// middle level of a team policy with vector lanes, as in Kokkos.)
#[derive(Clone, Copy)]
pub struct Team<const L: u32>(());

impl<const L: u32> Team<L> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        const { assert!(L.is_power_of_two() && L <= 32, "a team has 1, 2, 4, 8, 16 or 32 threads") };
        Self(())
    }

    /// Folds `step` over `0..m`; all threads of the team get the result.
    ///
    /// The order of the operations depends on `m` and `L` alone. Slot `s` of `L` starts from `identity` and takes
    /// the steps `s, s + L, s + 2 L, ..` in this order; then slots are combined by strides `L/2, .. 2, 1`, the
    /// lower one as the left operand. On the device a slot is a lane; on a CPU the slots are one vector.
    ///
    /// `T` is made of 32-bit words.
    #[inline(always)]
    pub fn reduce<T: Pod>(self, m: u32, identity: T, step: impl Fn(T, u32) -> T, combine: impl Fn(T, T) -> T) -> T {
        platform::team_reduce::<L, T>(m, identity, step, combine)
    }
}

/// The indices that one element has collected, in rising order, with room for `K`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct List<const K: usize> {
    count: u32,
    items: [u32; K],
}

impl<const K: usize> List<K> {
    /// How many there are; more than `K` when there was no room for all.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether all of them are here.
    #[inline(always)]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.count <= K as u32
    }
}

// SAFETY: an array of u32, all zero is a valid one.
unsafe impl<const K: usize> Zeroable for List<K> {}
// SAFETY: `repr(C)`, nothing but u32, no padding.
unsafe impl<const K: usize> Pod for List<K> {}

impl<const K: usize> DeviceLayout for List<K> {
    const TEXT: &'static Text = &Text::new().push("List<").push_usize(K).push(">");
}

impl<const K: usize> Segment<'_, List<K>> {
    /// Collects for every element `i` below `n` the indices `j` below `m` for which `keep(i, j)` holds.
    /// A team of `L` threads looks at `L` of them at a time.
    ///
    /// # Panics
    /// When `n` is beyond the segment's length.
    #[inline(always)]
    #[track_caller]
    pub fn collect<const L: u32>(&mut self, block: &mut Block, n: u32, m: u32, keep: impl Fn(u32, u32) -> bool + Sync) {
        check_length(n, self.len());
        block.barrier();
        platform::each_team::<L>(block.threads(), n, |i| {
            let list = self.at(i);
            // SAFETY: in bounds; element i is this team's alone, and each of its words is one thread's.
            unsafe {
                let items = (&raw mut (*list).items).cast::<u32>();
                let count = platform::team_collect::<L>(m, items, K as u32, |j| keep(i, j));
                if platform::is_team_leader::<L>() {
                    (&raw mut (*list).count).write(count);
                }
            }
        });
        block.barrier();
    }

    /// How many indices element `i` has collected.
    ///
    /// # Panics
    /// When `i` is not below the segment's length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn count_of(&self, i: u32) -> u32 {
        check_index(i, self.len());
        // SAFETY: in bounds; no phase writes while this is borrowed.
        unsafe { (&raw const (*self.at(i)).count).read() }
    }

    /// Index number `k` that element `i` has collected.
    ///
    /// # Panics
    /// When `i` is not below the segment's length, or `k` not below `K`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn item_of(&self, i: u32, k: u32) -> u32 {
        check_index(i, self.len());
        check_index(k, K as u32);
        // SAFETY: in bounds; no phase writes while this is borrowed.
        unsafe { (&raw const (*self.at(i)).items).cast::<u32>().add(k as usize).read() }
    }
}
