//! Chosen elements: their indices.

use super::{Crew, LaneStorage, SharedPointer};
use crate::warp_picks::Picks;
use crate::{Clamped, PerLane, Warp, WarpList};
use bytemuck::{Pod, Zeroable};
use core::marker::PhantomData;

/// An element of a global array that a warp has chosen: what a [`WarpList`] keeps of it.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct Pick(u32);

/// Element `index`, as four words.
#[inline(always)]
fn words<T: Pod>(from: &Clamped<T>, index: u32) -> [f32; 4] {
    bytemuck::cast(from.get(index))
}

/// A lane's element: registers.
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
    keep: impl Fn([f32; 4]) -> bool + Sync,
) {
    let mut indices = list.indices();
    let mut next = 0u32;
    while next < 32 {
        // As many ranges as there is room for, and one at least.
        let kept = indices.items(warp).len();
        let room = indices.capacity().wrapping_sub(kept);
        let lengths = warp.map(
            ranges,
            |lane, [first, end]| {
                if lane.index() < next { 0 } else { end.saturating_sub(*first).min(1 << 26) }
            },
        );
        let ends = warp.inclusive_scan(&lengths, u32::wrapping_add);
        let until = warp.ballot(&ends, |_, end| *end <= room).trailing_ones().max(next.wrapping_add(1));
        let chosen = warp.map(ranges, |lane, [first, end]| {
            let is_chosen = lane.index() >= next && lane.index() < until;
            if is_chosen { [*first, *end] } else { [0; 2] }
        });
        indices.push_ranges(warp, &chosen);
        indices.retain_from(warp, kept, |warp, places| {
            let elements = warp.map(places, |_, index| words(from, *index));
            warp.map(&elements, |_, element| keep(*element))
        });
        next = until;
    }
    let state = indices.state();
    list.take_back(state);
}

/// Stores the elements of the lanes that `chosen` says yes for, and returns which those are.
///
/// # Safety
/// After `begin` this warp alone touches the list.
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
    // SAFETY: the caller's.
    unsafe { picks.compress(votes, chosen, list, first, capacity) };
    votes
}

/// Element `first` and those that follow, of `len`.
///
/// # Safety
/// There are `len` elements, and `first` is one of them; nobody writes them.
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
