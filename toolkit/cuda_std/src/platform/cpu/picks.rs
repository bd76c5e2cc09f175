//! Chosen elements, stored as copies. Each of their words has an array of its own.

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86;

use super::warp::{WARP, ballot};
use super::{Crew, SharedPointer};
use crate::lists::Picks;
use crate::lists::WarpList;
use crate::{Clamped, PerLane, Warp};
use bytemuck::{Pod, Zeroable};

/// The number of words stored for an element: its index, and its own four.
const WORDS: usize = 5;
/// The number of elements that are examined together.
pub(super) const TURN: usize = 16;

/// An element of a global array that a warp has chosen, as stored in a [`WarpList`].
///
/// The type only reserves space: a list of `n` has `n` indices, then `n` first words, and so on.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(transparent)]
pub struct Pick([u32; WORDS]);

/// The position of word `word` of a list's elements.
#[inline(always)]
fn column(list: SharedPointer<Pick>, capacity: u32, word: usize) -> *mut u32 {
    list.address(0).cast::<u32>().wrapping_add(word * capacity as usize)
}

/// Of `TURN` elements, stores those in `votes` from position `first` of a list on, as far as there is room.
///
/// # Safety
/// Each source has `TURN` words, and only this warp accesses the list.
#[inline(always)]
unsafe fn store(from: [*const u32; WORDS], votes: u32, (list, first, capacity): (SharedPointer<Pick>, u32, u32)) {
    let to: [*mut u32; WORDS] = [0, 1, 2, 3, 4].map(|word| column(list, capacity, word));
    if capacity.saturating_sub(first) >= TURN as u32 {
        // SAFETY: there is room for all.
        return unsafe { compress(from, votes, to.map(|to| to.add(first as usize))) };
    }
    let (mut left, mut at) = (votes, first as usize);
    while left != 0 && at < capacity as usize {
        let k = left.trailing_zeros() as usize;
        left &= left - 1;
        for (from, to) in from.iter().zip(&to) {
            // SAFETY: there is room.
            unsafe { to.add(at).write(from.add(k).read()) };
        }
        at += 1;
    }
}

/// # Safety
/// Each target has room for `TURN` words, and each source has as many.
#[inline(always)]
unsafe fn compress(from: [*const u32; WORDS], votes: u32, to: [*mut u32; WORDS]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions; the rest is ensured by the caller.
            return unsafe { x86::by_sixteen(from, votes, to) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { x86::by_eight(from, votes, to) };
        }
    }
    for (from, to) in from.iter().zip(&to) {
        let mut at = 0;
        for k in 0..TURN {
            // SAFETY: ensured by the caller. A word that was not chosen is overwritten by the next one, or lies after all.
            unsafe { to.add(at).write(from.add(k).read()) };
            at += (votes >> k & 1) as usize;
        }
    }
}

/// The words of `n` elements, `TURN` at most: the first word of each, then the second of each, and so on. Positions from `n`
/// on hold the words of the first element.
///
/// # Safety
/// The elements exist, and there is one.
#[inline(always)]
pub(super) unsafe fn apart(elements: *const [f32; 4], n: u32) -> [[f32; TURN]; 4] {
    // SAFETY: ensured by the caller.
    let at = |k: usize| unsafe { elements.add(if (k as u32) < n { k } else { 0 }) };
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: ensured by the caller; the processor has the instructions. (A wide load must wait for narrower stores of
    // its parts, so each variant stores as much at a time as the surrounding code loads.)
    return unsafe {
        if std::arch::is_x86_feature_detected!("avx512f") {
            if n == TURN as u32 { x86::all_sixteen(elements) } else { x86::apart_by_sixteen(elements, n) }
        } else if std::arch::is_x86_feature_detected!("avx") {
            x86::apart_by_eight(at)
        } else {
            x86::apart_by_four(at)
        }
    };
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let mut words = [[0.0; TURN]; 4];
        for i in 0..TURN {
            // SAFETY: ensured by the caller.
            let element = unsafe { at(i).read_unaligned() };
            for (words, word) in words.iter_mut().zip(element) {
                words[i] = word;
            }
        }
        words
    }
}

/// A bit for each answer, which is 0 or 1.
#[inline(always)]
pub(super) fn bits(answers: &[u8; TURN]) -> u32 {
    let mut padded = [0; WARP];
    padded[..TURN].copy_from_slice(answers);
    super::warp::bits(&padded)
}

/// See [`WarpList::push_ranges_where`].
#[inline(always)]
pub(crate) fn push_ranges_where<T: Pod>(
    list: &mut WarpList<'_, Pick>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> bool,
) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if crate::launch::has_wide_vector_instructions() {
        let _ = warp.phase();
        list.begin_to_write();
        let (elements, len) = (from.view().pointer().cast::<[f32; 4]>(), from.view().len());
        // SAFETY: the processor has the instructions, ranges end at `len`, and this is the list's own part.
        let count = unsafe { x86::push_ranges(elements, len, &ranges.0.0, list.storage(), keep) };
        return list.add(count);
    }
    push_ranges([list], warp, from, ranges, |index, words| [keep(index, words)]);
}

/// See [`WarpList::push_ranges_with`]. A core takes one range after another, so it needs no scratch memory.
#[inline(always)]
pub(crate) fn push_ranges_with<T: Pod, S: Pod>(
    list: &mut WarpList<'_, Pick>,
    scratch: &mut WarpList<'_, S>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> bool,
) {
    scratch.clear(warp);
    push_ranges_where(list, warp, from, ranges, keep);
}

/// See [`Warp::push_ranges_to`].
#[inline(always)]
pub(crate) fn push_ranges_to<T: Pod, S: Pod>(
    lists: [&mut WarpList<'_, Pick>; 2],
    scratch: &mut WarpList<'_, S>,
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> [bool; 2],
) {
    scratch.clear(warp);
    push_ranges(lists, warp, from, ranges, keep);
}

#[inline(always)]
fn push_ranges<T: Pod, const N: usize>(
    mut lists: [&mut WarpList<'_, Pick>; N],
    warp: &mut Warp,
    from: &Clamped<T>,
    ranges: &PerLane<[u32; 2]>,
    keep: impl Fn(u32, [f32; 4]) -> [bool; N],
) {
    let _ = warp.phase();
    for list in &mut lists {
        list.begin_to_write();
    }
    let (elements, len) = (from.view().pointer().cast::<[f32; 4]>(), from.view().len());
    for [first, end] in ranges.0.0 {
        let end = end.min(len);
        let mut k = first;
        while k < end {
            let n = (end - k).min(TURN as u32);
            // SAFETY: in bounds; any bits are four words.
            let words = unsafe { apart(elements.add(k as usize), n) };
            let [x, y, z, w] = &words;
            let (mut chosen, mut index) = ([[0u8; TURN]; N], [0u32; TURN]);
            for i in 0..TURN {
                let exists = (i as u32) < n;
                index[i] = if exists { k.wrapping_add(i as u32) } else { k };
                let kept = keep(index[i], [x[i], y[i], z[i], w[i]]);
                for list in 0..N {
                    chosen[list][i] = u8::from(kept[list]) & u8::from(exists);
                }
            }
            for (list, chosen) in lists.iter_mut().zip(&chosen) {
                let votes = bits(chosen);
                if votes != 0 {
                    let from =
                        [index.as_ptr(), x.as_ptr().cast(), y.as_ptr().cast(), z.as_ptr().cast(), w.as_ptr().cast()];
                    // SAFETY: the list's own part.
                    unsafe { store(from, votes, list.storage()) };
                    list.add(votes.count_ones());
                }
            }
            k += n;
        }
    }
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
    let votes = ballot(crew, warp, chosen);
    begin();
    if votes == 0 {
        return 0;
    }
    let [x, y, z, w] = picks.words().map(|word| word.0.0.as_ptr().cast::<u32>());
    let from = [picks.index().0.0.as_ptr(), x, y, z, w];
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if capacity.saturating_sub(first) >= 2 * TURN as u32 && std::arch::is_x86_feature_detected!("avx512f") {
        let to: [*mut u32; WORDS] =
            [0, 1, 2, 3, 4].map(|word| column(list, capacity, word).wrapping_add(first as usize));
        // SAFETY: 32 words each, and room for as many; the processor has the instructions.
        unsafe { x86::by_sixteen_twice(from, votes, to) };
        return votes;
    }
    let low = votes & 0xffff;
    // SAFETY: 32 words each, of which these are the halves; the rest is ensured by the caller.
    unsafe {
        let (mut half, mut at, mut left) = (0, first, [low, votes >> TURN]);
        // A loop has one copy of the code.
        while half < 2 {
            if left[0] != 0 {
                store(from.map(|from| from.add(half * TURN)), left[0], (list, at, capacity));
            }
            at = at.saturating_add(left[0].count_ones());
            left = [left[1], 0];
            half += 1;
        }
    }
    votes
}

/// Gives the positions of a list from `first` on, up to the next multiple of 32, these words.
///
/// # Safety
/// Only this warp accesses the list.
#[inline(always)]
pub(crate) unsafe fn pad_picks((list, first, capacity): (SharedPointer<Pick>, u32, u32), words: [f32; 4]) {
    for (word, value) in words.into_iter().enumerate() {
        let column = column(list, capacity, word + 1).cast::<f32>();
        // SAFETY: there is room for all that is written.
        unsafe {
            if capacity.saturating_sub(first) >= WARP as u32 {
                // All at once: the next items replace what is too much.
                column.add(first as usize).cast::<[f32; WARP]>().write_unaligned([value; WARP]);
            } else {
                for at in first..first.next_multiple_of(WARP as u32).min(capacity) {
                    column.add(at as usize).write(value);
                }
            }
        }
    }
}

/// The addresses of the elements at 32 positions.
pub(crate) struct PickStorage<'a> {
    index: &'a PerLane<u32>,
    words: [&'a PerLane<f32>; 4],
}

impl PickStorage<'_> {
    #[inline(always)]
    pub(crate) fn index(&self) -> &PerLane<u32> {
        self.index
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> [&PerLane<f32>; 4] {
        self.words
    }
}

/// Element `first` and the following ones, of `len`.
///
/// # Safety
/// There are `len` elements, `first` is one of them and a multiple of 32, and nothing writes them while the result lives.
#[inline(always)]
pub(crate) unsafe fn load_picks<'a, T: Pod>(
    list: SharedPointer<Pick>,
    capacity: u32,
    first: u32,
    _len: u32,
    _from: &Clamped<T>,
) -> PickStorage<'a> {
    let at = |word| column(list, capacity, word).wrapping_add(first as usize);
    // SAFETY: the first of the 32 lies in the list. Those after its end lie in the next column, in another warp's list,
    // which that warp does not write while this one's closure runs, or in the spare room after the array. Memory that
    // nobody has written has what earlier blocks left, and any bits are a value.
    unsafe {
        PickStorage { index: &*at(0).cast(), words: [&*at(1).cast(), &*at(2).cast(), &*at(3).cast(), &*at(4).cast()] }
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::{TURN, x86};
    use std::arch::is_x86_feature_detected as has;

    #[test]
    fn words_come_apart_in_every_way() {
        for n in 1..=TURN {
            let elements: Vec<[f32; 4]> = (0..n).map(|i| [0, 1, 2, 3].map(|word| (10 * i + word) as f32)).collect();
            let at = |i: usize| &raw const elements[if i < n { i } else { 0 }];
            let expected: [[f32; TURN]; 4] =
                [0, 1, 2, 3].map(|word| std::array::from_fn(|i| elements[if i < n { i } else { 0 }][word]));
            // SAFETY: there are `n` elements, and the processor has the instructions.
            unsafe {
                assert_eq!(x86::apart_by_four(at), expected);
                assert!(!has!("avx") || x86::apart_by_eight(at) == expected);
                assert!(!has!("avx512f") || x86::apart_by_sixteen(elements.as_ptr(), n as u32) == expected);
                assert!(n < TURN || !has!("avx512f") || x86::all_sixteen(elements.as_ptr()) == expected);
            }
        }
    }
}
