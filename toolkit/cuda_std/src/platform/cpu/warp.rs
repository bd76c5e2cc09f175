//! Warps: a core runs the 32 lanes of a warp's operation one after another.

use super::{Crew, PerThreadStorage};
use crate::panic::cpu::ThreadGuard;
use bytemuck::Pod;
use std::mem::MaybeUninit;

pub(super) const WARP: usize = 32;

/// Runs `f(warp)` once for each warp.
#[inline(always)]
pub(crate) fn each_warp(crew: Crew, f: impl Fn(u32)) {
    crew.visit(crew.threads() / WARP as u32, f);
}

/// Runs `f(warp, i)` for every index below `n`, each on one warp.
#[inline(always)]
pub(crate) fn each_index_by_warp(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    let warps = crew.threads() / WARP as u32;
    crew.visit(n, |i| f(i % warps, i));
}

/// The state of [`each_in_turn`], which is empty here.
#[inline(always)]
pub(crate) fn begin_turns() {}

/// Like [`each_index_by_warp`]. A core takes the indices one after another, all of them as the first warp, so that this warp's
/// lists stay in the cache.
#[inline(always)]
pub(crate) fn each_in_turn(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    crew.visit(n, |i| f(0, i));
}

/// There is nothing to wait for: a core runs the lanes one after another.
#[inline(always)]
pub(crate) fn meet_warp() {}

/// A lane that panics ends its block immediately.
#[inline(always)]
pub(crate) fn leave_if_a_lane_is_dead() {}

/// Whether this thread stores the result of its warp.
#[inline(always)]
pub(crate) fn leads_warp() -> bool {
    true
}

/// Combines each lane's value with those of the lanes below it, with strides 1, 2, 4, 8, 16.
#[inline(always)]
pub(super) fn scan_lanes<T: Copy>(items: &mut [T; WARP], combine: &impl Fn(T, T) -> T) {
    for stride in [1, 2, 4, 8, 16] {
        for lane in (stride..WARP).rev() {
            items[lane] = combine(items[lane - stride], items[lane]);
        }
    }
}

/// One value for every lane of a warp.
#[repr(transparent)]
pub(crate) struct LaneStorage<T>(pub(super) [T; WARP]);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn each_warp(&mut self, crew: Crew, f: impl Fn(u32, &mut LaneStorage<T>)) {
        let values = &mut self.0[..crew.threads() as usize];
        crew.visit(crew.threads() / WARP as u32, |warp| {
            let lanes = &raw mut values[warp as usize * WARP..][..WARP];
            // SAFETY: `LaneStorage` is an array of 32 values, which stay borrowed.
            f(warp, unsafe { &mut *lanes.cast::<LaneStorage<T>>() });
        });
    }
}

impl<T> LaneStorage<T> {
    #[inline(always)]
    pub(crate) fn new(crew: Crew, warp: u32, init: impl Fn(u32) -> T) -> Self {
        let mut values = MaybeUninit::<[T; WARP]>::uninit();
        let first = values.as_mut_ptr().cast::<T>();
        each_lane(crew, warp, |lane| {
            // SAFETY: within the array, since lanes are below 32.
            unsafe { first.add(lane as usize).write(init(lane)) };
        });
        // SAFETY: each lane's number came once. (If `init` panics, its values are not dropped, which is safe.)
        Self(unsafe { values.assume_init() })
    }

    /// Initialises from a closure that does not panic. (`core::array::from_fn` would be a separate function, compiled
    /// without the processor features of the surrounding code.)
    #[inline(always)]
    pub(super) fn of(crew: Crew, value: impl Fn(u32) -> T) -> Self {
        let mut values = MaybeUninit::<[T; WARP]>::uninit();
        let first = values.as_mut_ptr().cast::<T>();
        crew.visit_lanes(|lane| {
            // SAFETY: within the array.
            unsafe { first.add(lane as usize).write(value(lane)) };
        });
        // SAFETY: each lane's value was written. (If one panics, the others are not dropped, as above.)
        Self(unsafe { values.assume_init() })
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, crew: Crew, warp: u32, f: impl Fn(u32, &mut T)) {
        // SAFETY: lanes are below 32.
        each_lane(crew, warp, |lane| f(lane, unsafe { self.0.get_unchecked_mut(lane as usize) }));
    }

    #[inline(always)]
    pub(crate) fn store_each(&self, crew: Crew, warp: u32, f: impl Fn(u32, &T)) {
        each_lane(crew, warp, |lane| f(lane, self.own(lane)));
    }

    /// The value of lane `lane`, which must come from a loop over lanes.
    #[inline(always)]
    pub(crate) fn own(&self, lane: u32) -> &T {
        debug_assert!(lane < WARP as u32);
        // SAFETY: lanes are below 32. (With a remainder the compiler would not see that the loop visits consecutive
        // values.)
        unsafe { self.0.get_unchecked(lane as usize) }
    }
}

/// Runs `f` for each lane of a warp.
#[inline(always)]
fn each_lane(crew: Crew, warp: u32, mut f: impl FnMut(u32)) {
    let mut guard = ThreadGuard::default();
    // A checked sum would add a branch to the loop.
    let first = warp.wrapping_mul(WARP as u32);
    crew.visit_lanes(|lane| {
        guard.thread = first.wrapping_add(lane);
        f(lane);
    });
    guard.forget();
}

/// A bit for each lane.
#[inline(always)]
pub(crate) fn ballot(crew: Crew, warp: u32, f: impl Fn(u32) -> bool) -> u32 {
    bits(&LaneStorage::new(crew, warp, |lane| u8::from(f(lane))).0)
}

/// Such bits for each of some questions, whose number `f` is given, too.
#[inline(always)]
pub(crate) fn ballots<const N: usize>(crew: Crew, warp: u32, f: impl Fn(u32, u32) -> bool) -> [u32; N] {
    std::array::from_fn(|question| ballot(crew, warp, |lane| f(lane, question as u32)))
}

/// The bits of `bits` for whose number `f` returns true in some lane.
#[inline(always)]
pub(crate) fn any_of_bits<const N: usize>(
    crew: Crew,
    warp: u32,
    bits: [u32; N],
    f: impl Fn(u32, u32) -> bool,
) -> [u32; N] {
    let mut found = [0; N];
    // One loop over all bits, since its body is large.
    let (mut word, mut left) = (0, bits.first().copied().unwrap_or(0));
    loop {
        while left == 0 {
            word += 1;
            if word >= N {
                return found;
            }
            left = bits[word];
        }
        let number = left.trailing_zeros();
        if ballot(crew, warp, |lane| f(lane, 32 * word as u32 + number)) != 0 {
            found[word] |= 1 << number;
        }
        left &= left - 1;
    }
}

/// The number of bits of `bits` for whose number `f` returns true in no lane.
#[inline(always)]
pub(crate) fn count_none_of_bits<const N: usize>(
    crew: Crew,
    warp: u32,
    bits: [u32; N],
    f: impl Fn(u32, u32) -> bool,
) -> u32 {
    let found = any_of_bits(crew, warp, bits, f);
    (0..N).map(|word| (bits[word] ^ found[word]).count_ones()).sum()
}

/// The bitwise or of rows of eight words: those of the lanes' indices, or the last one.
#[inline(always)]
pub(crate) fn or_rows<R: Pod, const T: usize>(
    _crew: Crew,
    _warp: u32,
    table: &[R],
    rows: [&LaneStorage<u32>; T],
) -> [u32; 8] {
    const { assert!(size_of::<R>() == 32, "a row is eight words") };
    assert!(!table.is_empty(), "a table has a row");
    let last = u32::try_from(table.len() - 1).unwrap_or(u32::MAX);
    // SAFETY: the table has the row `last`, and any bits are eight words.
    unsafe { super::rows::or(table.as_ptr().cast(), last, rows.map(|rows| &rows.0)) }
}

/// Like [`ballot`].
#[inline(always)]
pub(crate) fn ballot_of_any(crew: Crew, warp: u32, f: impl Fn(u32) -> bool) -> u32 {
    ballot(crew, warp, f)
}

/// The lanes whose value is 1. Values are 0 or 1.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn bits(answers: &[u8; WARP]) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8, _mm_setzero_si128, _mm_sub_epi8};
    let half = |from: &[u8]| {
        debug_assert_eq!(from.len(), 16);
        // SAFETY: 16 bytes at any alignment; every processor of this kind has these instructions.
        let mask = unsafe {
            let answers = _mm_loadu_si128(from.as_ptr().cast::<__m128i>());
            _mm_movemask_epi8(_mm_sub_epi8(_mm_setzero_si128(), answers))
        };
        mask as u32
    };
    half(&answers[..16]) | half(&answers[16..]) << 16
}

/// The lanes whose value is 1. Values are 0 or 1.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn bits(answers: &[u8; WARP]) -> u32 {
    answers.iter().enumerate().fold(0, |bits, (lane, answer)| bits | u32::from(*answer) << lane)
}

impl<T: Pod> LaneStorage<T> {
    #[inline(always)]
    fn permuted(&self, from: impl Fn(usize) -> usize) -> Self {
        let mut values = self.0;
        for (lane, value) in values.iter_mut().enumerate() {
            *value = self.0[from(lane) % WARP];
        }
        Self(values)
    }

    #[inline(always)]
    pub(crate) fn shuffle(&self, crew: Crew, warp: u32, from: impl Fn(u32) -> u32) -> Self {
        let sources = LaneStorage::new(crew, warp, from);
        self.permuted(|lane| sources.0[lane] as usize)
    }

    #[inline(always)]
    pub(crate) fn shuffle_up(&self, delta: u32) -> Self {
        self.permuted(|lane| lane.checked_sub(delta as usize % WARP).unwrap_or(lane))
    }

    #[inline(always)]
    pub(crate) fn shuffle_down(&self, delta: u32) -> Self {
        let delta = delta as usize % WARP;
        self.permuted(|lane| if lane + delta < WARP { lane + delta } else { lane })
    }

    #[inline(always)]
    pub(crate) fn shuffle_xor(&self, mask: u32) -> Self {
        self.permuted(|lane| lane ^ (mask as usize % WARP))
    }

    #[inline(always)]
    pub(crate) fn broadcast(&self, lane: u32) -> T {
        self.0[lane as usize % WARP]
    }

    #[inline(always)]
    pub(crate) fn reduce(&self, combine: impl Fn(T, T) -> T) -> T {
        super::reduce::halve(&mut self.0.clone(), &combine)
    }

    #[inline(always)]
    pub(crate) fn inclusive_scan(&self, combine: impl Fn(T, T) -> T) -> Self {
        let mut items = self.0;
        scan_lanes(&mut items, &combine);
        Self(items)
    }
}

impl<const N: usize> LaneStorage<[f32; N]> {
    #[inline(always)]
    pub(crate) fn smallest(&self) -> [f32; N] {
        self.reduce(|a, b| core::array::from_fn(|k| if a[k] < b[k] { a[k] } else { b[k] }))
    }
}

impl LaneStorage<u32> {
    #[inline(always)]
    pub(crate) fn sum(&self) -> u32 {
        self.0.iter().fold(0, |sum, own| sum.wrapping_add(*own))
    }

    #[inline(always)]
    pub(crate) fn match_any(&self) -> Self {
        // Compares a lane's value with all other values at once.
        let mut same = [0; WARP];
        for (other, value) in self.0.iter().enumerate() {
            for (same, own) in same.iter_mut().zip(&self.0) {
                *same |= u32::from(own == value) << other;
            }
        }
        Self(same)
    }

    #[inline(always)]
    pub(crate) fn match_bits<const BITS: u32>(&self) -> Self {
        let low = u32::MAX.checked_shr(WARP as u32 - BITS).unwrap_or(0);
        Self(self.0.map(|value| value & low)).match_any()
    }
}
