//! Lists in shared memory that belong to one warp each.

use crate::bounds::check_index;
use crate::platform::{self, SharedPointer};
use crate::{PerLane, Warp};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A warp's own part of a [`Shared`](crate::Shared) array, as a list that its lanes put items into:
/// [`BlockMemory::fill_by_warp_with`](crate::BlockMemory::fill_by_warp_with) gives each warp one.
///
/// What is enforced: only this warp sees the list, since the array is divided among the block's warps (the compiler, by
/// `&mut`); [`push`](Self::push) writes while nobody reads, because it takes the list by `&mut` (the compiler) and waits
/// for the warp's lanes; reading is checked at run time against what was put in.
pub struct WarpList<'a, T> {
    data: SharedPointer<T>,
    capacity: u32,
    /// Items that were put in, those without room counted.
    count: u32,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod> WarpList<'_, T> {
    /// # Safety
    /// `data` points to the first of `capacity` elements that the calling warp alone reads and writes while this lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, capacity: u32) -> Self {
        Self { data, capacity, count: 0, owner: PhantomData }
    }

    /// Number of items that the list has room for.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Number of items in the list.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.count.min(self.capacity)
    }

    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether all items that were put in found room.
    #[inline(always)]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.count <= self.capacity
    }

    /// Forgets the items.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Puts in the values of those lanes that have one, in the lanes' order; what has no room is counted and dropped.
    #[inline(always)]
    pub fn push(&mut self, warp: &mut Warp, values: &PerLane<Option<T>>) {
        let chosen = warp.ballot(values, |_, value| value.is_some());
        if chosen == 0 {
            return;
        }
        let (data, capacity, first) = (self.data, self.capacity, self.count);
        // Lanes that still read what lay here are waited for, and then those that write.
        platform::meet_warp();
        values.0.store_each(warp.phase(), warp.index(), |lane, value| {
            let at = first.wrapping_add((chosen & ((1 << lane) - 1)).count_ones());
            if let Some(value) = value
                && at < capacity
            {
                // SAFETY: within the warp's own part; each place is one lane's.
                unsafe { data.store(at, *value) };
            }
        });
        platform::meet_warp();
        self.count = first.wrapping_add(chosen.count_ones());
    }

    /// Item `i`.
    ///
    /// # Panics
    /// When there is none.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len());
        // SAFETY: in bounds; nobody writes, since that takes the list by `&mut`, and what was written has been waited for.
        unsafe { self.data.load(i) }
    }
}

// SAFETY: lanes read plain data; writing takes the list by `&mut`.
unsafe impl<T: Pod> Sync for WarpList<'_, T> {}
