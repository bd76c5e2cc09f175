//! Warps: every lane runs this code, and all lanes of a warp reach each operation together.

use super::shuffle::{
    bar_warp_sync, combine_lanes, down_lanes, from_lane, match_any_sync, scan_lanes, up_lanes, vote_any_sync,
    vote_ballot_sync, xor_lanes,
};
use super::{Crew, FULL, PerThreadStorage, SharedPointer, WARP, frozen, strided, thread_index};
use crate::panic::device::exit;
use crate::unrolled::unrolled;
use bytemuck::Pod;
use core::arch::{asm, global_asm};
use core::mem::MaybeUninit;
use core::num::NonZero;

/// Runs `f(warp)` once for each warp.
#[inline(always)]
pub(crate) fn each_warp(_crew: Crew, f: impl Fn(u32)) {
    frozen(&f);
    f(thread_index() / WARP);
}

/// Runs `f(warp, i)` for every index below `n`, each by a warp.
#[inline(always)]
pub(crate) fn each_index_by_warp(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    frozen(&f);
    let warp = thread_index() / WARP;
    strided(warp, crew.threads() / WARP, n, |i| f(warp, i));
}

// The index that the next free warp takes in [`each_in_turn`].
global_asm!(".shared .align 4 .b8 __cuda_std_turn[4];");

/// Starts at index 0. Its callers have a barrier before it, so no warp is still in an earlier phase with turns, and a barrier
/// after it.
#[inline(always)]
pub(crate) fn begin_turns() {
    if thread_index() == 0 {
        // SAFETY: writes the word declared above, by one thread between two barriers.
        unsafe { asm!("st.shared.u32 [__cuda_std_turn], {0};", in(reg32) 0u32, options(nostack, preserves_flags)) };
    }
}

/// Runs `f(warp, i)` for every index below `n`. The first free warp takes the next index.
#[inline(always)]
pub(crate) fn each_in_turn(_crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    frozen(&f);
    let warp = thread_index() / WARP;
    loop {
        let mut turn = 0u32;
        if leads_warp() {
            // SAFETY: an atomic operation on the word declared above, which `begin_turns` has set.
            unsafe {
                asm!("atom.shared.add.u32 {0}, [__cuda_std_turn], 1;", out(reg32) turn, options(nostack, preserves_flags));
            }
        }
        let i = from_lane(turn, 0);
        // No lane takes an index from a dead lane.
        leave_if_a_lane_is_dead();
        if i >= n {
            break;
        }
        f(warp, i);
    }
}

/// A lane's own value: registers.
#[repr(transparent)]
pub(crate) struct LaneStorage<T>(pub(super) T);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn each_warp(&mut self, _crew: Crew, f: impl Fn(u32, &mut LaneStorage<T>)) {
        frozen(&f);
        let own = (&raw mut self.0).cast::<LaneStorage<T>>();
        // SAFETY: `LaneStorage` is its value, which stays borrowed.
        f(thread_index() / WARP, unsafe { &mut *own });
    }
}

impl<T> LaneStorage<T> {
    #[inline(always)]
    pub(crate) fn new(_crew: Crew, _warp: u32, init: impl Fn(u32) -> T) -> Self {
        frozen(&init);
        Self(init(thread_index() % WARP))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, _crew: Crew, _warp: u32, f: impl Fn(u32, &mut T)) {
        frozen(&f);
        f(thread_index() % WARP, &mut self.0);
    }

    /// The value of one lane, for storing it.
    #[inline(always)]
    pub(crate) fn store_each(&self, _crew: Crew, _warp: u32, f: impl Fn(u32, &T)) {
        frozen(&f);
        f(thread_index() % WARP, &self.0);
    }

    /// The value of the calling lane.
    #[cfg(target_feature = "sm_80")]
    #[inline(always)]
    pub(crate) fn own_mut(&mut self) -> &mut T {
        &mut self.0
    }

    /// The calling lane's value as such a value.
    #[cfg(target_feature = "sm_90a")]
    #[inline(always)]
    pub(crate) fn of_own(own: &mut T) -> &mut Self {
        // SAFETY: `LaneStorage` is its value, which stays borrowed.
        unsafe { &mut *(&raw mut *own).cast::<Self>() }
    }

    /// The value of lane `_lane`, which is the caller.
    #[inline(always)]
    pub(crate) fn own(&self, _lane: u32) -> &T {
        &self.0
    }
}

/// A bit for each lane.
#[inline(always)]
pub(crate) fn ballot(crew: Crew, warp: u32, f: impl Fn(u32) -> bool) -> u32 {
    let votes = ballot_of_any(crew, warp, f);
    // A dead lane's value must not affect the warp's branches.
    leave_if_a_lane_is_dead();
    votes
}

/// Such bits for each of some questions, whose number `f` is given, too.
#[inline(always)]
pub(crate) fn ballots<const N: usize>(crew: Crew, warp: u32, f: impl Fn(u32, u32) -> bool) -> [u32; N] {
    let mut votes = [0; N];
    unrolled::<N>(|question| votes[question as usize] = ballot_of_any(crew, warp, |lane| f(lane, question)));
    leave_if_a_lane_is_dead();
    votes
}

/// A bit for each lane. The bits of dead lanes are 0.
#[inline(always)]
pub(crate) fn ballot_of_any(_crew: Crew, _warp: u32, f: impl Fn(u32) -> bool) -> u32 {
    frozen(&f);
    let vote = f(thread_index() % WARP);
    // SAFETY: all lanes get here together, because the code of a warp phase is the same for all of them.
    unsafe { vote_ballot_sync(FULL, vote) }
}

/// The bits of `bits` for whose number `f` returns true in some lane.
#[inline(always)]
pub(crate) fn any_of_bits<const N: usize>(
    _crew: Crew,
    _warp: u32,
    mut bits: [u32; N],
    f: impl Fn(u32, u32) -> bool,
) -> [u32; N] {
    frozen(&f);
    let lane = thread_index() % WARP;
    for (word, bits) in bits.iter_mut().enumerate() {
        let mut left = *bits;
        while let Some(word_left) = NonZero::new(left) {
            let number = highest(word_left);
            let bit = 1u32.wrapping_shl(number);
            left ^= bit;
            // SAFETY: all lanes get here together, as in `ballot_of_any`: they have the same bits. This holds after one has
            // died, too, and then nobody uses the bits.
            if !unsafe { vote_any_sync(FULL, f(lane, number.wrapping_add(WARP.wrapping_mul(word as u32)))) } {
                *bits ^= bit;
            }
        }
    }
    leave_if_a_lane_is_dead();
    bits
}

/// The number of bits of `bits` for whose number `f` returns true in no lane.
#[inline(always)]
pub(crate) fn count_none_of_bits<const N: usize>(
    _crew: Crew,
    _warp: u32,
    bits: [u32; N],
    f: impl Fn(u32, u32) -> bool,
) -> u32 {
    frozen(&f);
    let lane = thread_index() % WARP;
    let mut none = 0u32;
    for (word, left) in bits.iter().enumerate() {
        let mut left = *left;
        while left != 0 {
            // The lowest bit, and the ones without it.
            let below = settled(left.wrapping_sub(1));
            // SAFETY: `left` has a lowest bit.
            let number = highest(unsafe { NonZero::new_unchecked(left & !below) });
            left &= below;
            let is_one = f(lane, number.wrapping_add(WARP.wrapping_mul(word as u32)));
            // SAFETY: as in `any_of_bits`.
            let votes = unsafe { vote_ballot_sync(FULL, is_one) };
            none = none.wrapping_add(1).wrapping_sub(one_if_any(votes));
        }
    }
    leave_if_a_lane_is_dead();
    none
}

/// The same number. The compiler does not see where it comes from, so it does not rewrite what is computed from it.
#[inline(always)]
fn settled(number: u32) -> u32 {
    let same: u32;
    // SAFETY: a copy.
    unsafe {
        asm!("mov.u32 {0}, {1};", out(reg32) same, in(reg32) number, options(pure, nomem, nostack, preserves_flags))
    };
    same
}

/// The bits of `number` that are set in `mask`. The compiler would shift the number to compare one bit, which takes another instruction.
#[inline(always)]
fn masked(number: u32, mask: u32) -> u32 {
    let bits: u32;
    // SAFETY: computes a register from registers.
    unsafe {
        asm!("and.b32 {0}, {1}, {2};", out(reg32) bits, in(reg32) number, in(reg32) mask,
            options(pure, nomem, nostack, preserves_flags));
    }
    bits
}

/// 1 if any bit is set, else 0, in one instruction.
#[inline(always)]
fn one_if_any(bits: u32) -> u32 {
    let one: u32;
    // SAFETY: computes a register from a register. (The compiler would compare, and select.)
    unsafe {
        asm!("min.u32 {0}, {1}, 1;", out(reg32) one, in(reg32) bits, options(pure, nomem, nostack, preserves_flags))
    };
    one
}

/// The number of the highest bit of a word.
#[inline(always)]
fn highest(word: NonZero<u32>) -> u32 {
    let number: u32;
    // SAFETY: computes a register from a register. (The assembler does not see that 31 less the leading zeros is one
    // instruction.)
    unsafe {
        asm!("bfind.u32 {0}, {1};", out(reg32) number, in(reg32) word.get(), options(pure, nomem, nostack, preserves_flags));
        // A word that is not 0 has such a bit. So a caller's limit of an index may vanish.
        core::hint::assert_unchecked(number < WARP);
    }
    number
}

/// The bitwise or of rows of eight words: those of the lanes' indices, or the last one.
///
/// Two neighbouring lanes read the halves of a row together, because the cache looks up each 128-byte line that a warp's load
/// touches. So each lane has only half of the words of two rows.
#[inline(always)]
pub(crate) fn or_rows<R: Pod, const T: usize>(
    _crew: Crew,
    _warp: u32,
    table: &[R],
    rows: [&LaneStorage<u32>; T],
) -> [u32; 8] {
    let lane = thread_index() % WARP;
    let half = lane % 2;
    let last = (table.len() as u32).wrapping_sub(1);
    // The first row's half. The address of another row's half is one multiplication and addition from there.
    let first = table.as_ptr().cast::<[u32; 4]>().wrapping_add(half as usize);
    let halves = rows.map(|row| {
        let own = row.0.min(last);
        let other = xor_lanes(own, 1);
        let (even, odd) = if half == 0 { (own, other) } else { (other, own) };
        // SAFETY: half of a row of the table, which nothing writes.
        [even, odd].map(|row| unsafe { load_past_l1(first.cast::<[[u32; 4]; 2]>().wrapping_add(row as usize).cast()) })
    });
    let [mut a, mut b, mut c, mut d] = [0u32; 4];
    for [e, f, g, h] in halves.as_flattened() {
        (a, b, c, d) = (a | e, b | f, c | g, d | h);
    }
    // Each lane exchanges half of its words for the other half of its partner's words, until it has one word.
    let keeps_upper = lane & 16 != 0;
    let (kept, given) = if keeps_upper { ([c, d], [a, b]) } else { ([a, b], [c, d]) };
    let [a, b] = [kept[0] | xor_lanes(given[0], 16), kept[1] | xor_lanes(given[1], 16)];
    let keeps_upper = lane & 8 != 0;
    let (kept, given) = if keeps_upper { (b, a) } else { (a, b) };
    let mut word = kept | xor_lanes(given, 8);
    word |= xor_lanes(word, 4);
    word |= xor_lanes(word, 2);
    // Bits 0, 4 and 3 of a lane's number are the number of its word.
    let all = core::array::from_fn(|k| {
        let k = k as u32;
        from_lane(word, (k >> 2 & 1) | (k >> 1 & 1) << 4 | (k & 1) << 3)
    });
    leave_if_a_lane_is_dead();
    all
}

/// Loads four consecutive words past the L1 cache. Each row of a large table would displace a line of 128 bytes that may be read
/// again.
///
/// # Safety
/// They exist, at a multiple of 16 bytes, and nothing writes them.
#[inline(always)]
unsafe fn load_past_l1(at: *const [u32; 4]) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's.
    unsafe {
        asm!("ld.cg.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
            out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg64) at,
            options(pure, readonly, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// Combines the values of all lanes in any order. All lanes get the result.
#[inline(always)]
fn of_all_lanes<T: Pod>(mut own: T, combine: impl Fn(T, T) -> T) -> T {
    let mut partner = WARP / 2;
    while partner > 0 {
        own = combine(own, xor_lanes(own, partner));
        partner /= 2;
    }
    own
}

/// The position of this lane's item among the items of the lanes in `votes`.
#[inline(always)]
pub(super) fn rank(votes: u32, first: u32) -> u32 {
    let below = (1u32 << (thread_index() % WARP)).wrapping_sub(1);
    first.wrapping_add((votes & below).count_ones())
}

impl<T: Pod> LaneStorage<T> {
    /// Elements `first`, `first + 1`, .. of `len`. Lanes beyond the end get the last one.
    ///
    /// # Safety
    /// There are `len` elements, `first` is one of them, and nothing writes them.
    #[inline(always)]
    pub(crate) unsafe fn load(_crew: Crew, list: SharedPointer<T>, first: u32, len: u32) -> Self {
        let at = first.wrapping_add(thread_index() % WARP).min(len.wrapping_sub(1));
        // SAFETY: in bounds.
        Self(unsafe { list.load(at) })
    }

    /// Stores the values of the lanes in `votes` from element `first` of a list on, as far as there is room. `votes` is the ballot
    /// of `chosen`.
    ///
    /// # Safety
    /// Only this warp accesses the list, which has room for `capacity` elements.
    #[inline(always)]
    pub(crate) unsafe fn compress(
        &self,
        votes: u32,
        chosen: impl Fn(u32) -> bool,
        list: SharedPointer<T>,
        first: u32,
        capacity: u32,
    ) {
        // Tests `chosen` again, because the compiler still has its value in a predicate, which is cheaper than the lane's bit.
        let (at, is_one) = (rank(votes, first), chosen(thread_index() % WARP));
        // SAFETY: there is room; each position belongs to one lane.
        unsafe { list.store_if(at, MaybeUninit::new(self.0), is_one & (at < capacity)) };
    }
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
    frozen(&ask);
    frozen(&find);
    let lane = thread_index() % WARP;
    let found = if ask(lane) { find(lane) } else { None };
    let votes = ballot_of_any(crew, warp, |_| found.is_some());
    begin();
    let at = rank(votes, first);
    let value = found.map_or(MaybeUninit::uninit(), MaybeUninit::new);
    // SAFETY: there is room; each position belongs to one lane.
    unsafe { list.store_if(at, value, found.is_some() & (at < capacity)) };
    votes
}

/// The logarithm to base 2 of the number of lanes for each question.
#[inline(always)]
pub(crate) fn log2_lanes(questions: u32) -> u32 {
    questions.wrapping_sub(1).leading_zeros().wrapping_sub(27) % 8
}

/// The questions that find an item among `n` for which `ask(lane, k)` returns true. Each question has `2^log2_lanes` lanes, and the
/// result has the bit of its first lane.
#[inline(always)]
pub(crate) fn any_item(
    crew: Crew,
    warp: u32,
    questions: u32,
    log2_lanes: u32,
    n: u32,
    ask: impl Fn(u32, u32) -> bool,
) -> u32 {
    /// The first of every 1, 2, 4, .. 32 lanes.
    const FIRSTS: [u32; 8] = [u32::MAX, 0x5555_5555, 0x1111_1111, 0x0101_0101, 0x0001_0001, 1, 1, 1];
    frozen(&ask);
    // The arithmetic wraps, because a check for overflow would make the lanes diverge.
    let (lane, lanes) = (thread_index() % WARP, 1u32.wrapping_shl(log2_lanes));
    let (question, mut at) = (lane.wrapping_shr(log2_lanes), lane & lanes.wrapping_sub(1));
    let mut found = false;
    if question < questions {
        // Two at a time; the last one may be tested twice.
        while at < n && !found {
            found = ask(lane, at) | ask(lane, at.wrapping_add(lanes).min(n.wrapping_sub(1)));
            at = at.wrapping_add(lanes << 1);
        }
    }
    let mut found = ballot(crew, warp, |_| found);
    for by in 0..log2_lanes {
        found |= found.wrapping_shr(1 << by);
    }
    // Now the first lane of each question has the answer.
    found & FIRSTS[log2_lanes as usize % 8]
}

/// Stores each lane's range of numbers from position `at` on, up to the list's capacity.
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
    let ([mut number, end], mut at) = (ranges.0, at.0);
    while number < end && at < capacity {
        // SAFETY: there is room; each position belongs to one lane.
        unsafe { list.store(at, number) };
        number = number.wrapping_add(1);
        at = at.wrapping_add(1);
    }
}

impl<T: Pod> LaneStorage<T> {
    #[inline(always)]
    pub(crate) fn shuffle(&self, _crew: Crew, _warp: u32, from: impl Fn(u32) -> u32) -> Self {
        frozen(&from);
        Self(from_lane(self.0, from(thread_index() % WARP)))
    }

    #[inline(always)]
    pub(crate) fn shuffle_up(&self, delta: u32) -> Self {
        Self(up_lanes(self.0, delta % WARP))
    }

    #[inline(always)]
    pub(crate) fn shuffle_down(&self, delta: u32) -> Self {
        Self(down_lanes(self.0, delta % WARP))
    }

    #[inline(always)]
    pub(crate) fn shuffle_xor(&self, mask: u32) -> Self {
        Self(xor_lanes(self.0, mask % WARP))
    }

    #[inline(always)]
    pub(crate) fn broadcast(&self, lane: u32) -> T {
        let value = from_lane(self.0, lane);
        leave_if_a_lane_is_dead();
        value
    }

    #[inline(always)]
    pub(crate) fn reduce(&self, combine: impl Fn(T, T) -> T) -> T {
        frozen(&combine);
        let value = combine_lanes::<WARP, T>(self.0, &combine);
        leave_if_a_lane_is_dead();
        value
    }

    #[inline(always)]
    pub(crate) fn inclusive_scan(&self, combine: impl Fn(T, T) -> T) -> Self {
        frozen(&combine);
        Self(scan_lanes(self.0, thread_index() % WARP, &combine))
    }
}

impl<const N: usize> LaneStorage<[f32; N]> {
    #[inline(always)]
    pub(crate) fn smallest(&self) -> [f32; N] {
        // One instruction; neither NaN nor the sign of a zero is specified.
        let all = self.0.map(|own| of_all_lanes(own, f32::min));
        leave_if_a_lane_is_dead();
        all
    }
}

impl LaneStorage<u32> {
    #[inline(always)]
    pub(crate) fn sum(&self) -> u32 {
        let all = of_all_lanes(self.0, u32::wrapping_add);
        leave_if_a_lane_is_dead();
        all
    }

    #[inline(always)]
    pub(crate) fn match_any(&self) -> Self {
        // SAFETY: as in `ballot_of_any`.
        Self(unsafe { match_any_sync(FULL, self.0) })
    }

    #[inline(always)]
    pub(crate) fn match_bits<const BITS: u32>(&self) -> Self {
        let mut same = FULL;
        for bit in 0..BITS {
            let is_one = masked(self.0, 1u32.wrapping_shl(bit)) != 0;
            // SAFETY: as in `ballot_of_any`.
            let ones = unsafe { vote_ballot_sync(FULL, is_one) };
            same &= if is_one { ones } else { !ones };
        }
        Self(same)
    }
}

/// Ends this thread if a lane of its warp has panicked. A vote of the lanes is faster than reading the block's shared memory, and
/// threads of other warps do not matter here.
#[inline(always)]
pub(crate) fn leave_if_a_lane_is_dead() {
    // SAFETY: all lanes get here together, as in `ballot_of_any`; those that have exited do not vote.
    if unsafe { vote_ballot_sync(FULL, true) } != FULL {
        exit();
    }
}

/// Waits for the lanes of the warp, so that each sees what the others wrote.
#[inline(always)]
pub(crate) fn meet_warp() {
    // SAFETY: all lanes get here together, as in `ballot_of_any`; lanes that have exited are not waited for.
    unsafe { bar_warp_sync(FULL) };
}

/// Keeps the straight-line code around it together: the compiler neither copies it nor moves it into a branch that only some lanes
/// take. Unlike [`meet_warp`], it orders no memory accesses, so later loads may begin before it.
#[inline(always)]
pub(crate) fn stay_together() {
    // SAFETY: all lanes get here together, as in `ballot_of_any`.
    unsafe { vote_ballot_sync(FULL, true) };
}

/// Whether this thread stores its warp's results.
#[inline(always)]
pub(crate) fn leads_warp() -> bool {
    thread_index().is_multiple_of(WARP)
}
