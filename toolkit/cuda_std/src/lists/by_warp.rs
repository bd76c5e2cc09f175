//! Lists in shared memory. Each belongs to one warp.

use crate::bounds::{check_index, check_length};
use crate::memory::SharedByWarp;
use crate::memory::shared::Shared;
use crate::platform::{self, LaneStorage, SharedPointer};
use crate::seal::{INSIDE, Inside};
use crate::warp::{Lane, Lanes, PerLane, Warp};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A warp's own part of a [`Shared`] array, as a list to which its lanes append items.
/// [`BlockMemory::fill_by_warp_with`](crate::BlockMemory::fill_by_warp_with) gives one to each warp.
///
/// Enforced by the compiler: the block's warps divide the array by `&mut`, so only this warp sees the list. Nobody appends while
/// [`WarpItems`] exist. Lanes read through [`WarpItems`]; [`items`](Self::items) first waits for the lanes that have appended.
///
/// Checked at run time: indices are below the number of appended items. The list counts up to 2^31 items until it is cleared,
/// whatever its capacity.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Element `i`: the sum of the multiples of 3 from `i` to before `3 i`, and the number of even numbers in that range;
/// /// `u32::MAX` if the range is empty or there is no room.
/// #[kernel(threads = 64)]
/// fn sums(block: &mut Block, out: &mut Chunk<[u32; 2], 5>, a: &mut Shared<u32, 16>, b: &mut Shared<u32, 16>) {
///     // Two warps: each has eight elements of each array.
///     out.fill_by_warp_with(block, 5, (a, b), |warp, (numbers, even), i| {
///         let ranges = warp.per_lane(|lane| if lane.index() == 0 { [i, 3 * i] } else { [0, 0] });
///         numbers.push_ranges(warp, &ranges);
///         let items = numbers.items(warp);
///         if !items.is_complete() || items.is_empty() {
///             return [u32::MAX; 2];
///         }
///         let own = items.by_lane(warp, 0);
///         let n = items.len();
///         even.push_where(warp, &own, &own, |lane, x| lane.index() < n && x % 2 == 0);
///         let count = even.items(warp).len();
///         numbers.retain_from(warp, 0, |warp, items| warp.map(items, |_, x| x % 3 == 0));
///         let kept = numbers.items(warp);
///         [kept.range(0, kept.len()).sum(), count]
///     });
/// }
/// # fn main() {
/// let mut out = [[0; 2]; 5];
/// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [[u32::MAX; 2], [0, 1], [3, 2], [9, 3], [15, 4]]);
/// # }
/// ```
pub struct WarpList<'a, T> {
    data: SharedPointer<T>,
    capacity: u32,
    /// The number of appended items, including those without room.
    count: u32,
    /// Whether lanes may still be reading the items.
    being_read: bool,
    owner: PhantomData<&'a mut [T]>,
}

/// The items of a [`WarpList`], for reading.
///
/// ```
/// # use cuda_std::lists::Questions;
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn items(block: &mut Block, out: &mut Chunk<[u32; 4], 1>, array: &mut Shared<u32, 8>) {
///     out.fill_by_warp_with(block, 1, (array,), |warp, (list,), _| {
///         assert!(list.capacity() == 8);
///         let none = warp.per_lane(|_| Some(1));
///         list.push(warp, &none);
///         list.clear(warp);
///         // 0, 10, 20, 30, 40 of lanes 0, 2, 4, 6 and 8.
///         let x = warp.per_lane(|lane| 5 * lane.index());
///         list.push_some(warp, &x, |lane, _| lane.index() < 10, |_, x| (x % 10 == 0).then_some(*x));
///         let items = list.items(warp);
///         let middle = items.range(1, 4).sum();
///         // Three questions: is there an item that leaves this rest, divided by 4? Lanes share each.
///         let questions = Questions::new(3);
///         let rest = warp.per_lane(|lane| questions.of(lane));
///         let found = items.count_any(warp, &questions, &rest, |rest, item| item % 4 == *rest);
///         [items.get(1), items.get_clamped(99), middle, found]
///     });
/// }
/// # fn main() {
/// let mut out = [[0; 4]];
/// items::launch(&CpuExecutor::new(), 1, items::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [[10, 40, 10 + 20 + 30, 2]]); // rests 0 and 2
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct WarpItems<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    capacity: u32,
    is_complete: bool,
    owner: PhantomData<&'a [T]>,
}

/// The largest count that appending ranges results in: far larger than a list, and far below 2^32.
const MOST_OF_RANGES: u32 = 1 << 31;

impl<T: Pod> WarpList<'_, T> {
    /// # Safety
    /// `data` points to the first of `capacity` elements. While this lives, only the calling warp reads and writes them. Its
    /// lanes have finished reading them.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, capacity: u32) -> Self {
        Self { data, capacity, count: 0, being_read: false, owner: PhantomData }
    }

    /// The number of items for which the list has room.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The number of appended items, including those without room.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Whether no item was appended.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Removes the items.
    #[inline(always)]
    pub fn clear(&mut self, _warp: &mut Warp) {
        // Testing whether it must wait would take longer than waiting.
        platform::meet_warp();
        (self.count, self.being_read) = (0, false);
    }

    /// The destination of the next item: the list, the number of appended items, and its capacity.
    #[inline(always)]
    pub(crate) fn storage(&self) -> (SharedPointer<T>, u32, u32) {
        (self.data, self.count, self.capacity)
    }

    /// Counts up to 32 appended items. Saturating would take three instructions in about a dozen.
    #[inline(always)]
    pub(crate) fn add(&mut self, n: u32) {
        self.count = self.count.wrapping_add(n);
    }

    /// The list's memory, for another use. Nothing is in the list then, and lanes that append to it wait for those that may still read
    /// this memory.
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    pub(crate) fn lent(&mut self) -> SharedPointer<T> {
        (self.count, self.being_read) = (0, true);
        self.data
    }

    /// Waits for lanes that may still be reading.
    #[inline(always)]
    pub(crate) fn begin_to_write(&mut self) {
        if self.being_read {
            platform::meet_warp();
        }
        self.being_read = false;
    }

    /// Appends the values of those lanes that have one, in the lanes' order. Values without room are counted and dropped.
    #[inline(always)]
    pub fn push(&mut self, warp: &mut Warp, values: &PerLane<Option<T>>) {
        self.push_some(warp, values, |_, value| value.is_some(), |_, value| *value);
    }

    /// Appends the result of `find`, if it has one, in those lanes where `ask` returns true, in the lanes' order. Values without
    /// room are counted and dropped.
    ///
    /// On a CPU, `ask` runs for several lanes at a time, and `find` for those where it returned true, one after another.
    #[inline(always)]
    pub fn push_some<L: Lanes>(
        &mut self,
        warp: &mut Warp,
        lanes: L,
        ask: impl Fn(Lane, L::Item) -> bool + Sync,
        find: impl Fn(Lane, L::Item) -> Option<T> + Sync,
    ) {
        let (lane, crew) = (warp.lane(), warp.phase());
        let list = (self.data, self.count, self.capacity);
        // SAFETY: the warp's own part.
        let found = unsafe {
            platform::store_some(
                crew,
                warp.index(),
                |index| ask(lane(index), lanes.of(index, INSIDE)),
                |index| find(lane(index), lanes.of(index, INSIDE)),
                || self.begin_to_write(),
                list,
            )
        };
        self.add(found.count_ones());
    }

    /// Appends the values of those lanes whose other values `ask` accepts, in the lanes' order. Values without
    /// room are counted and dropped.
    #[inline(always)]
    pub fn push_where<L: Lanes>(
        &mut self,
        warp: &mut Warp,
        values: &PerLane<T>,
        lanes: L,
        ask: impl Fn(Lane, L::Item) -> bool + Sync,
    ) {
        let chosen = warp.map(lanes, ask);
        let votes = warp.ballot_for_list(&chosen, |_, chosen| *chosen);
        self.begin_to_write();
        // SAFETY: the warp's own part.
        unsafe { values.0.compress(votes, |index| *chosen.0.own(index), self.data, self.count, self.capacity) };
        self.add(votes.count_ones());
    }

    /// Drops the items from `first` on for which `keep` returns false. One lane decides for each item. The remaining items move
    /// up in order. If the list was too small for all items, nothing is dropped.
    ///
    /// `keep` may use the warp. It gets the items of the lanes, and some items may occur more than once.
    #[inline(always)]
    pub fn retain_from(
        &mut self,
        warp: &mut Warp,
        first: u32,
        keep: impl Fn(&mut Warp, &PerLane<T>) -> PerLane<bool> + Sync,
    ) {
        platform::frozen(&keep);
        platform::meet_warp();
        self.being_read = false;
        let (data, count) = (self.data, self.count);
        if count > self.capacity {
            return;
        }
        let (mut kept, mut begin) = (first, first);
        while begin < count {
            // Lanes without an item process the last one: that is faster than a branch.
            // SAFETY: in bounds; lanes write below `begin`, and earlier writes of other lanes were waited for.
            let items = PerLane(unsafe { LaneStorage::load(warp.phase(), data, begin, count) });
            let wanted = keep(warp, &items);
            let wanted = warp.map(&wanted, |lane, wanted| (begin.wrapping_add(lane.index()) < count) & *wanted);
            let votes = warp.ballot_for_list(&wanted, |_, wanted| *wanted);
            // All lanes have read their items before any is overwritten.
            platform::meet_warp();
            // SAFETY: no more are kept than there were.
            unsafe { items.0.compress(votes, |index| *wanted.0.own(index), data, kept, count) };
            kept = kept.wrapping_add(votes.count_ones());
            begin = begin.wrapping_add(32);
        }
        self.count = kept.min(count);
    }

    /// The items, for lanes to read.
    #[inline(always)]
    pub fn items(&mut self, _warp: &mut Warp) -> WarpItems<'_, T> {
        // The values of a dead lane must not be used.
        platform::leave_if_a_lane_is_dead();
        platform::meet_warp();
        self.being_read = true;
        let len = self.count.min(self.capacity);
        let (data, capacity) = (self.data, self.capacity);
        WarpItems { data, len, capacity, is_complete: self.count <= capacity, owner: PhantomData }
    }
}

impl WarpList<'_, u32> {
    /// Appends the numbers of each lane's range `first..end`, in the lanes' order. Numbers without room are counted and dropped.
    #[inline(always)]
    pub fn push_ranges(&mut self, warp: &mut Warp, ranges: &PerLane<[u32; 2]>) {
        self.begin_to_write();
        let (data, capacity, count) = (self.data, self.capacity, self.count);
        // 32 lengths and a count do not wrap.
        let most = 1 << 26;
        let lengths = warp.map(ranges, |_, [first, end]| end.saturating_sub(*first).min(most));
        let mut ends = warp.inclusive_scan(&lengths, u32::wrapping_add);
        let total = warp.broadcast(&ends, 31);
        warp.each_with(&mut ends, &lengths, |_, at, length| {
            // Positions beyond 2^32 have no room, and must not wrap to others' positions.
            *at = count.saturating_add(*at).wrapping_sub(*length);
        });
        // SAFETY: the warp's own part.
        unsafe { platform::store_ranges(&ranges.0, &ends.0, data, capacity) };
        self.count = count.saturating_add(total).min(MOST_OF_RANGES);
    }
}

impl<T: Pod> WarpItems<'_, T> {
    /// The address of the list.
    #[inline(always)]
    pub(crate) fn data(&self) -> SharedPointer<T> {
        self.data
    }

    /// Number of items that the list has room for.
    #[inline(always)]
    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    crate::bounds::counted!("items");

    /// Whether the list had room for all items.
    #[inline(always)]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Item `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds. Writing takes the list by `&mut`, so nobody writes now, and earlier writes have been waited for.
        unsafe { self.data.load(i) }
    }

    /// Item `first + l` for lane `l`. Lanes beyond the last item get the last one.
    ///
    /// # Panics
    /// If there is no item `first`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn by_lane(&self, warp: &mut Warp, first: u32) -> PerLane<T> {
        check_index(first, self.len);
        // SAFETY: in bounds, as in `get`.
        PerLane(unsafe { LaneStorage::load(warp.phase(), self.data, first, self.len) })
    }

    /// The number of questions for which `ask` accepts an item. `lanes` has the value by which each lane asks. Lanes with the
    /// [same question](Questions::of) must have the same value.
    #[inline(always)]
    pub fn count_any<L: Lanes>(
        &self,
        warp: &mut Warp,
        questions: &Questions,
        lanes: L,
        ask: impl Fn(L::Item, T) -> bool + Sync,
    ) -> u32 {
        let (crew, Questions { n, log2_lanes }) = (warp.phase(), *questions);
        // SAFETY: in bounds, as in `get`.
        let item = |k| unsafe { self.data.load(k) };
        platform::any_item(crew, warp.index(), n, log2_lanes, self.len, |index, k| {
            ask(lanes.of(index, INSIDE), item(k))
        })
        .count_ones()
    }

    /// The items from `first` to before `end`, one after another. All are checked at once.
    ///
    /// # Panics
    /// If some of them do not exist.
    #[inline(always)]
    #[track_caller]
    pub fn range(&self, first: u32, end: u32) -> impl Iterator<Item = T> + use<'_, T> {
        check_length(end, self.len);
        check_length(first, end);
        // SAFETY: in bounds, as in `get`.
        (first..end).map(|i| unsafe { self.data.load(i) })
    }

    /// Item `i`, or the last one if there are fewer. `i` is not checked, because a branch would separate the lanes.
    ///
    /// # Panics
    /// If there are no items.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get_clamped(&self, i: u32) -> T {
        check_index(0, self.len);
        // SAFETY: in bounds; as in `get`.
        unsafe { self.data.load(i.min(self.len.wrapping_sub(1))) }
    }
}

// SAFETY: lanes read plain data; writing takes the list by `&mut`.
unsafe impl<T: Pod> Sync for WarpItems<'_, T> {}

/// The assignment of a warp's lanes to questions about the items of a list: see [`WarpItems::count_any`].
///
/// See [`WarpItems`] for an example.
#[derive(Clone, Copy)]
pub struct Questions {
    n: u32,
    /// The logarithm to base 2 of the number of lanes per question.
    log2_lanes: u32,
}

impl Questions {
    /// `n` questions, clamped to 1 to 32.
    #[inline(always)]
    #[must_use]
    pub fn new(n: u32) -> Self {
        let n = n.clamp(1, 32);
        Self { n, log2_lanes: platform::log2_lanes(n) }
    }

    /// The number of lanes that share a question: a power of two. On a CPU it is 1, because a core runs one lane after another.
    #[inline(always)]
    #[must_use]
    pub fn lanes(&self) -> u32 {
        1u32.wrapping_shl(self.log2_lanes)
    }

    /// The question of a lane. Lanes without one get the last one.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, lane: Lane) -> u32 {
        lane.index().wrapping_shr(self.log2_lanes).min(self.n.wrapping_sub(1))
    }
}

/// A shared array, divided among the warps of a block.
#[doc(hidden)]
pub struct WarpParts<T> {
    data: SharedPointer<T>,
    each: u32,
}

// SAFETY: this is only an address; `lists` states how it is used.
unsafe impl<T: Pod> Sync for WarpParts<T> {}

macro_rules! shared_by_warp {
    ($($T:ident $N:ident $at:tt),*) => {
        impl<$($T: Pod, const $N: usize),*> crate::memory::sealed::Sealed for ($(&mut Shared<$T, $N>,)*) {}

        impl<$($T: Pod, const $N: usize),*> SharedByWarp for ($(&mut Shared<$T, $N>,)*) {
            type Parts = ($(WarpParts<$T>,)*);
            type Lists<'a> = ($(WarpList<'a, $T>,)*);

            #[inline(always)]
            fn claim(&mut self, _: Inside) -> bool {
                // Each array must be claimed, so no `||`.
                false $(| self.$at.claim())*
            }

            #[inline(always)]
            fn parts(self, _: Inside, warps: u32) -> Self::Parts {
                ($(WarpParts { data: self.$at.pointer(), each: $N as u32 / warps },)*)
            }

            #[inline(always)]
            unsafe fn lists<'a>(parts: &Self::Parts, warp: u32) -> Self::Lists<'a> {
                // SAFETY: parts of different warps do not overlap; the caller ensures the rest.
                unsafe { ($(WarpList::new(parts.$at.data.offset(warp.wrapping_mul(parts.$at.each)).settled(), parts.$at.each),)*) }
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
shared_by_warp!(A N 0, B M 1, C K 2, D L 3, E I 4, F J 5, G O 6);
shared_by_warp!(A N 0, B M 1, C K 2, D L 3, E I 4, F J 5, G O 6, H P 7);
