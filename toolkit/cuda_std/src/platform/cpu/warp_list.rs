//! Operations of lanes on lists.

use super::warp::{LaneStorage, WARP, ballot, bits};
use super::{Crew, SharedPointer};
use crate::panic::cpu::ThreadGuard;
use bytemuck::Pod;

/// Runs `f` for the lanes in `votes`, one after another. Most lanes were not chosen, and they cost nothing.
#[inline(always)]
fn each_chosen(warp: u32, votes: u32, mut f: impl FnMut(u32)) {
    let (mut left, mut guard) = (votes, ThreadGuard::default());
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        guard.thread = warp.wrapping_mul(WARP as u32).wrapping_add(lane);
        f(lane);
    }
    guard.forget();
}

impl<T: Pod> LaneStorage<T> {
    /// Elements `first`, `first + 1`, .. of `len`. Lanes beyond the end get the last one.
    ///
    /// # Safety
    /// There are `len` elements, `first` is one of them, and nothing writes them.
    #[inline(always)]
    pub(crate) unsafe fn load(crew: Crew, list: SharedPointer<T>, first: u32, len: u32) -> Self {
        // SAFETY: in bounds.
        unsafe {
            if len.saturating_sub(first) >= WARP as u32 {
                return Self(list.offset(first).arrays::<WARP>().load(0));
            }
            Self::of(crew, |lane| list.load(first.wrapping_add(lane).min(len - 1)))
        }
    }

    /// Stores the values of the lanes in `votes` from element `first` of a list on, as far as there is room.
    ///
    /// # Safety
    /// Only this warp accesses the list, which has room for `capacity` elements.
    #[inline(always)]
    pub(crate) unsafe fn compress(
        &self,
        votes: u32,
        _chosen: impl Fn(u32) -> bool,
        list: SharedPointer<T>,
        first: u32,
        capacity: u32,
    ) {
        if capacity.saturating_sub(first) < WARP as u32 {
            let mut at = first;
            return each_chosen(0, votes, |lane| {
                if at < capacity {
                    // SAFETY: there is room.
                    unsafe { list.store(at, self.0[lane as usize % WARP]) };
                }
                at = at.saturating_add(1);
            });
        }
        // Every lane stores its value at a position that the next lane reuses if this one was not chosen. So there is no
        // branch that could be mispredicted.
        // SAFETY: there is room for all lanes.
        unsafe { compress(&self.0, votes, list.offset(first)) };
    }
}

/// Stores the values of the lanes in `votes`, followed by arbitrary values.
///
/// # Safety
/// There is room for 32 elements.
#[inline(always)]
unsafe fn compress<T: Pod>(values: &[T; WARP], votes: u32, list: SharedPointer<T>) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<T>() == 4 && std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: values of four bytes are words; the processor has the instructions; the rest is ensured by the caller.
        return unsafe { compress_words(&*(&raw const *values).cast(), votes, list.address(0).cast()) };
    }
    let mut at = 0u32;
    for (lane, value) in values.iter().enumerate() {
        // SAFETY: ensured by the caller.
        unsafe { list.store(at, *value) };
        at = at.wrapping_add(votes >> lane & 1);
    }
}

/// # Safety
/// There is room for 32 elements.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn compress_words(values: &[i32; WARP], votes: u32, list: *mut i32) {
    use std::arch::x86_64::{_mm512_loadu_epi32, _mm512_maskz_compress_epi32, _mm512_storeu_epi32};
    // SAFETY: ensured by the caller; both halves are 16 values.
    unsafe {
        let (low, high) = (_mm512_loadu_epi32(values.as_ptr()), _mm512_loadu_epi32(values[16..].as_ptr()));
        // This compresses in registers, because processors are slow at compressing stores.
        _mm512_storeu_epi32(list, _mm512_maskz_compress_epi32(votes as u16, low));
        let behind = list.add((votes as u16).count_ones() as usize);
        _mm512_storeu_epi32(behind, _mm512_maskz_compress_epi32((votes >> 16) as u16, high));
    }
}

/// Each lane has its own question.
#[inline(always)]
pub(crate) fn log2_lanes(_questions: u32) -> u32 {
    0
}

/// The lanes that find an item among `n` for which `ask(lane, k)` returns true. It stops once all lanes below `questions`
/// have found one.
#[inline(always)]
pub(crate) fn any_item(
    crew: Crew,
    warp: u32,
    questions: u32,
    _log2_lanes: u32,
    n: u32,
    ask: impl Fn(u32, u32) -> bool,
) -> u32 {
    // All lanes examine this many items between two tests whether to continue.
    const TURN: u32 = 4;
    let all = u32::MAX >> (32 - questions.clamp(1, 32));
    let mut found = LaneStorage([0u8; WARP]);
    let mut first = 0u32;
    while first < n && bits(&found.0) & all != all {
        let end = n.min(first.saturating_add(TURN));
        for k in first..end {
            found.each(crew, warp, |lane, found| *found |= u8::from(ask(lane, k)));
        }
        first = end;
    }
    bits(&found.0) & all
}

/// Stores the results of `find` in those lanes where `ask` returns true, from element `first` of a list on, as far as there
/// is room, and returns which lanes had a result. It calls `begin` before it stores.
///
/// # Safety
/// After `begin` only this warp accesses the list, which has room for `capacity` elements.
#[inline(always)]
pub(crate) unsafe fn store_some<T: Pod>(
    crew: Crew,
    warp: u32,
    ask: impl Fn(u32) -> bool,
    find: impl Fn(u32) -> Option<T>,
    begin: impl FnOnce(),
    (list, first, capacity): (SharedPointer<T>, u32, u32),
) -> u32 {
    begin();
    let (mut found, mut at) = (0u32, first);
    each_chosen(warp, ballot(crew, warp, ask), |lane| {
        let Some(value) = find(lane) else { return };
        if at < capacity {
            // SAFETY: there is room.
            unsafe { list.store(at, value) };
        }
        found |= 1u32.wrapping_shl(lane);
        at = at.saturating_add(1);
    });
    found
}

/// Stores each lane's range of numbers at the position that `at` gives, as far as there is room.
///
/// # Safety
/// Only this warp accesses the list, which has room for `capacity` elements.
#[inline(always)]
pub(crate) unsafe fn store_ranges(
    ranges: &LaneStorage<[u32; 2]>,
    at: &LaneStorage<u32>,
    list: SharedPointer<u32>,
    capacity: u32,
) {
    for ([first, end], at) in ranges.0.iter().zip(&at.0) {
        let n = end.saturating_sub(*first).min(capacity.saturating_sub(*at));
        for k in 0..n {
            // SAFETY: there is room.
            unsafe { list.store(at.wrapping_add(k), first.wrapping_add(k)) };
        }
    }
}
