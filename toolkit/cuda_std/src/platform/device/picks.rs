//! Chosen elements, stored as indices.

use super::{Crew, LaneStorage, SharedPointer, frozen};
use crate::lists::Picks;
use crate::lists::WarpList;
use crate::{Clamped, PerLane, Warp};
use bytemuck::{Pod, Zeroable};
use core::marker::PhantomData;

/// An element of a global array that a warp has chosen, as stored in a [`WarpList`].
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct Pick(u32);

/// Element `index`, or the last one, as four words.
#[inline(always)]
fn words<T: Pod>(from: &Clamped<T>, index: u32) -> [f32; 4] {
    bytemuck::cast(from.get(index))
}

/// A lane's element, in registers.
pub(crate) struct PickStorage<'a> {
    index: PerLane<u32>,
    words: [PerLane<f32>; 4],
    list: PhantomData<&'a Pick>,
}

impl PickStorage<'_> {
    #[inline(always)]
    pub(crate) fn index(&self) -> &PerLane<u32> {
        &self.index
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> [&PerLane<f32>; 4] {
        let [x, y, z, w] = &self.words;
        [x, y, z, w]
    }
}

/// See [`WarpList::push_ranges_where`].
#[inline(always)]
pub(crate) fn push_ranges_where<T: Pod>(
    list: &mut WarpList<'_, Pick>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> bool + Sync,
) {
    frozen(&keep);
    list.begin_to_write();
    each_element(warp, from, ranges, |warp, index, n, words| push_kept(list, warp, index, n, keep(index, words)));
}

/// See [`WarpList::push_ranges_with`].
#[inline(always)]
pub(crate) fn push_ranges_with<T: Pod, S: Pod>(
    list: &mut WarpList<'_, Pick>,
    scratch: &mut WarpList<'_, S>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> bool + Sync,
) {
    frozen(&keep);
    list.begin_to_write();
    let look = |warp: &mut Warp, index: &PerLane<u32>, n: u32| {
        let index = index.0.0;
        push_kept(list, warp, index, n, keep(index, words(from, index)));
    };
    super::each_of_ranges_with(warp, scratch, &within(from, ranges), look);
}

/// See [`Warp::push_ranges_to`].
#[inline(always)]
pub(crate) fn push_ranges_to<T: Pod, S: Pod>(
    [a, b]: [&mut WarpList<'_, Pick>; 2],
    scratch: &mut WarpList<'_, S>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> [bool; 2] + Sync,
) {
    frozen(&keep);
    a.begin_to_write();
    b.begin_to_write();
    let look = |warp: &mut Warp, index: &PerLane<u32>, n: u32| {
        let index = index.0.0;
        let [by_a, by_b] = keep(index, words(from, index));
        push_kept(a, warp, index, n, by_a);
        push_kept(b, warp, index, n, by_b);
    };
    super::each_of_ranges_with(warp, scratch, &within(from, ranges), look);
}

/// The parts of the lanes' ranges that exist.
#[inline(always)]
fn within<T: Pod>(from: &Clamped<T>, ranges: &PerLane<[u32; 2]>) -> PerLane<[u32; 2]> {
    let [first, end] = ranges.0.0;
    PerLane(LaneStorage([first, end.min(from.view().len())]))
}

/// Calls `look` with the index and the words of each lane's element, and how many lanes have one. Lanes without an element take
/// that of another lane. A branch would diverge, so there is none.
#[inline(always)]
fn each_element<T: Pod>(
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    mut look: impl FnMut(&mut Warp, u32, u32, [f32; 4]),
) {
    super::each_of_ranges(warp, &within(from, ranges), |warp, index, n| {
        look(warp, index.0.0, n, words(from, index.0.0))
    });
}

/// Appends the lanes' indices that are kept, of the first `n` lanes.
#[inline(always)]
fn push_kept(list: &mut WarpList<'_, Pick>, warp: &mut Warp, index: u32, n: u32, is_kept: bool) {
    let is_one = (super::thread_index() % super::WARP < n) & is_kept;
    // A dead lane's value must not affect anything before the list is examined.
    let votes = super::ballot_of_any(warp.phase(), warp.index(), |_| is_one);
    let (data, count, capacity) = list.storage();
    // SAFETY: this is the warp's own part, and its readers have been waited for.
    unsafe { LaneStorage(Pick(index)).compress(votes, |_| is_one, data, count, capacity) };
    list.add(votes.count_ones());
}

/// Stores the elements of the lanes for which `chosen` returns true, and returns these lanes.
///
/// # Safety
/// After `begin` only this warp accesses the list.
#[inline(always)]
pub(crate) unsafe fn push_picks(
    crew: Crew,
    warp: u32,
    picks: &Picks<'_>,
    chosen: impl Fn(u32) -> bool,
    begin: impl FnOnce(),
    (list, first, capacity): (SharedPointer<Pick>, u32, u32),
) -> u32 {
    let votes = super::ballot_of_any(crew, warp, &chosen);
    begin();
    let picks = LaneStorage(Pick(picks.index().0.0));
    // SAFETY: ensured by the caller.
    unsafe { picks.compress(votes, chosen, list, first, capacity) };
    votes
}

/// Element `first` and the following ones, of `len`; the last one where there is no other.
///
/// # Safety
/// There are `len` elements, at least one, and nothing writes them. `first` and 32 do not wrap.
#[inline(always)]
pub(crate) unsafe fn load_picks<'a, T: Pod>(
    list: SharedPointer<Pick>,
    _capacity: u32,
    first: u32,
    len: u32,
    from: &Clamped<T>,
) -> PickStorage<'a> {
    let at = first.wrapping_add(super::thread_index() % super::WARP).min(len.wrapping_sub(1));
    // SAFETY: in bounds.
    let Pick(index) = unsafe { list.load(at) };
    let [x, y, z, w] = words(from, index).map(|word| PerLane(LaneStorage(word)));
    PickStorage { index: PerLane(LaneStorage(index)), words: [x, y, z, w], list: PhantomData }
}
