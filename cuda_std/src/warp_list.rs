//! Lists in shared memory that belong to one warp each.

use crate::bounds::{check_index, check_length};
use crate::platform::{self, SharedPointer};
use crate::shared::WarpParts;
use crate::{PerLane, Shared, Warp};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A warp's own part of a [`Shared`] array, as a list that its lanes put items into:
/// [`BlockMemory::fill_by_warp_with`](crate::BlockMemory::fill_by_warp_with) gives each warp one.
///
/// What is enforced: only this warp sees the list, since the array is divided among the block's warps (the compiler, by
/// `&mut`). Lanes read through the [`WarpItems`] that [`items`](Self::items) gives, which waits for those that have put
/// something in; while that is held, nobody can put in more (the compiler). Indices are checked at run time against what was
/// put in.
pub struct WarpList<'a, T> {
    data: SharedPointer<T>,
    capacity: u32,
    /// Items that were put in, those without room counted.
    count: u32,
    /// Whether lanes may be reading what they read before the last `push`.
    being_read: bool,
    /// Whether lanes may still be writing what others are to read.
    being_written: bool,
    owner: PhantomData<&'a mut [T]>,
}

/// What was put into a [`WarpList`], to read.
#[derive(Clone, Copy)]
pub struct WarpItems<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<T: Pod> WarpList<'_, T> {
    /// # Safety
    /// `data` points to the first of `capacity` elements that the calling warp alone reads and writes while this lives, and
    /// that its lanes have ended reading.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, capacity: u32) -> Self {
        Self { data, capacity, count: 0, being_read: false, being_written: false, owner: PhantomData }
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
        if self.being_read {
            platform::meet_warp();
        }
        (self.being_read, self.being_written) = (false, true);
        let chosen = warp.ballot_for_list(values, |value| value.is_some());
        let (data, capacity, first) = (self.data, self.capacity, self.count);
        values.0.store_each(warp.phase(), warp.index(), |lane, value| {
            let at = first.wrapping_add((chosen & ((1 << lane) - 1)).count_ones());
            if let Some(value) = value
                && at < capacity
            {
                // SAFETY: within the warp's own part; each place is one lane's.
                unsafe { data.store(at, *value) };
            }
        });
        self.count = first.wrapping_add(chosen.count_ones());
    }

    /// The items, for lanes to read.
    #[inline(always)]
    pub fn items(&mut self, _warp: &mut Warp) -> WarpItems<'_, T> {
        if self.being_written {
            platform::meet_warp();
        }
        (self.being_read, self.being_written) = (true, false);
        WarpItems { data: self.data, len: self.len(), owner: PhantomData }
    }
}

impl<T: Pod> WarpItems<'_, T> {
    /// How many there are.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Item `i`.
    ///
    /// # Panics
    /// When there is none.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds; nobody writes, since that takes the list by `&mut`, and what was written has been waited for.
        unsafe { self.data.load(i) }
    }

    /// The items from `first` to before `end`, one after the other, with one check for all.
    ///
    /// # Panics
    /// When they are not all there.
    #[inline(always)]
    #[track_caller]
    pub fn range(&self, first: u32, end: u32) -> impl Iterator<Item = T> + use<'_, T> {
        check_length(end, self.len);
        check_length(first, end);
        // SAFETY: in bounds, as in `get`.
        (first..end).map(|i| unsafe { self.data.load(i) })
    }

    /// The items `first`, `first + step`, .. as far as there are any.
    #[inline(always)]
    pub fn range_by(&self, first: u32, step: u32) -> impl Iterator<Item = T> + use<'_, T> {
        let mut i = first;
        core::iter::from_fn(move || {
            if i >= self.len {
                return None;
            }
            // SAFETY: in bounds, as in `get`.
            let item = unsafe { self.data.load(i) };
            i = i.saturating_add(step);
            Some(item)
        })
    }
}

// SAFETY: lanes read plain data; writing takes the list by `&mut`.
unsafe impl<T: Pod> Sync for WarpItems<'_, T> {}

/// Shared arrays that are divided among the warps of a block: a tuple of up to six `&mut Shared`.
pub trait SharedByWarp {
    /// Each array with the length of a warp's part.
    #[doc(hidden)]
    type Parts: Sync;
    /// A list in each of them.
    type Lists<'a>;

    /// Whether threads may still read or write one of them, as they may from now on.
    #[doc(hidden)]
    fn claim(&mut self) -> bool;

    #[doc(hidden)]
    fn parts(self, warps: u32) -> Self::Parts;

    /// # Safety
    /// The arrays stay borrowed while the lists live, and part `warp` is used through one list at a time; its lanes have
    /// ended reading what lay there.
    #[doc(hidden)]
    unsafe fn lists<'a>(parts: &Self::Parts, warp: u32) -> Self::Lists<'a>;
}

macro_rules! shared_by_warp {
    ($($T:ident $N:ident $at:tt),*) => {
        impl<$($T: Pod, const $N: usize),*> SharedByWarp for ($(&mut Shared<$T, $N>,)*) {
            type Parts = ($(WarpParts<$T>,)*);
            type Lists<'a> = ($(WarpList<'a, $T>,)*);

            #[inline(always)]
            fn claim(&mut self) -> bool {
                // Every one of them is claimed, so no `||`.
                false $(| self.$at.claim())*
            }

            #[inline(always)]
            fn parts(self, warps: u32) -> Self::Parts {
                ($(self.$at.by_warp(warps),)*)
            }

            #[inline(always)]
            unsafe fn lists<'a>(parts: &Self::Parts, warp: u32) -> Self::Lists<'a> {
                // SAFETY: the caller's.
                unsafe { ($(parts.$at.list(warp),)*) }
            }
        }
    };
}

shared_by_warp!(A N 0);
shared_by_warp!(A N 0, B M 1);
shared_by_warp!(A N 0, B M 1, C K 2);
shared_by_warp!(A N 0, B M 1, C K 2, D L 3);
shared_by_warp!(A N 0, B M 1, C K 2, D L 3, E I 4);
shared_by_warp!(A N 0, B M 1, C K 2, D L 3, E I 4, F J 5);
