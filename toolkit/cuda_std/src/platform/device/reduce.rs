//! Reductions of teams and blocks.

use super::shuffle::{combine_lanes, halve_lanes, team, vote_ballot_sync};
use super::{Crew, FULL, SharedPointer, WARP, frozen, publish, strided, thread_index};
use crate::View;
use crate::bounds::{MAX_LENGTH, check_length, crosses_warps};
use crate::panic::device::leave_if_poisoned;
use bytemuck::Pod;
use core::arch::{asm, global_asm};

// The results of a block's warps, for the second level of a reduction. There are two halves of 32 values with up to 32 bytes.
global_asm!(".shared .align 16 .b8 __cuda_std_groups[2048];");

/// One half of this memory.
#[derive(Clone, Copy)]
pub(crate) struct GroupsHalf(u32);

impl GroupsHalf {
    pub(crate) const FIRST: Self = Self(0);

    /// The next half.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Self {
        let next = *self;
        self.0 ^= 1024;
        next
    }

    #[inline(always)]
    pub(super) fn pointer<T: Pod>(self) -> SharedPointer<T> {
        crosses_warps::<T>();
        let address: u32;
        // SAFETY: takes an address.
        unsafe {
            asm!("mov.u32 {0}, __cuda_std_groups;", out(reg32) address, options(pure, nomem, nostack, preserves_flags));
        }
        SharedPointer::new(address.wrapping_add(self.0))
    }
}

#[inline(always)]
pub(crate) fn team_reduce<const L: u32, T: Pod>(
    m: u32,
    identity: T,
    step: impl Fn(T, u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    frozen(&step);
    frozen(&combine);
    check_length(m, MAX_LENGTH);
    let mut slot = identity;
    strided(thread_index() % L, L, m, |j| slot = step(slot, j));
    let result = combine_lanes::<L, T>(slot, &combine);
    // A dead lane must not decide how a team continues.
    leave_if_poisoned();
    result
}

/// # Safety
/// `a` and `b` have `m` elements.
#[inline(always)]
pub(crate) unsafe fn team_reduce_parts<const L: u32, A: Pod, B: Pod, const P: usize, const S: usize>(
    m: u32,
    (a, b): (View<A>, View<B>),
    identity: [f32; S],
    part: impl Fn(u32, A, B) -> [f32; P],
    add: impl Fn([f32; S], [f32; P]) -> [f32; S],
    combine: impl Fn([f32; S], [f32; S]) -> [f32; S],
) -> [f32; S] {
    // SAFETY: `j` is below `m`, and so are the elements.
    let part = |j| part(j, unsafe { a.get_unchecked(j) }, unsafe { b.get_unchecked(j) });
    team_reduce::<L, [f32; S]>(m, identity, |sums, j| add(sums, part(j)), combine)
}

/// See [`crate::Team::reduce_near_parts`].
///
/// # Safety
/// `a` and `b` have `m` elements.
#[inline(always)]
pub(crate) unsafe fn team_reduce_near_parts<
    const L: u32,
    A: Pod,
    B: Pod,
    const W: usize,
    const P: usize,
    const S: usize,
>(
    m: u32,
    (a, b): (View<A>, View<B>),
    identity: [f32; S],
    (of_all, add_of_all): (impl Fn(u32, A) -> (bool, [f32; W]), impl Fn([f32; S], [f32; W]) -> [f32; S]),
    (part, add): (impl Fn(u32, A, B) -> [f32; P], impl Fn([f32; S], [f32; P]) -> [f32; S]),
    combine: impl Fn([f32; S], [f32; S]) -> [f32; S],
) -> [f32; S] {
    let step = |sums, j| {
        // SAFETY: `j` is below `m`, and so are the elements.
        let (a, b) = unsafe { (a.get_unchecked(j), b.get_unchecked(j)) };
        let (is_near, words) = of_all(j, a);
        let sums = add_of_all(sums, words);
        if is_near { add(sums, part(j, a, b)) } else { sums }
    };
    team_reduce::<L, [f32; S]>(m, identity, step, combine)
}

/// See [`crate::Team::votes`].
#[inline(always)]
pub(crate) fn team_votes<const L: u32>(ask: impl Fn(u32) -> bool) -> u32 {
    let answer = ask(thread_index() % L);
    // SAFETY: all lanes of the team reach this together: see `each_team`.
    let votes = unsafe { vote_ballot_sync(team::<L>(), answer) };
    // A dead lane must not decide how a team continues.
    leave_if_poisoned();
    (votes >> (thread_index() % WARP / L * L)) & (FULL >> (WARP - L))
}

/// Calls `put(position, bit)` in the thread of every bit below `L` that is set, with its position among those.
#[inline(always)]
pub(crate) fn each_vote<const L: u32>(votes: u32, mut put: impl FnMut(u32, u32)) {
    let lane = thread_index() % L;
    if votes >> lane & 1 == 1 {
        put((votes & ((1 << lane) - 1)).count_ones(), lane);
    }
}

/// See [`crate::PerMember`]: the thread's own value.
pub(crate) struct MemberStorage<T>(T);

impl<T: Pod> MemberStorage<T> {
    #[inline(always)]
    pub(crate) fn new<const L: u32>(value: impl Fn(u32) -> T) -> Self {
        Self(value(thread_index() % L))
    }

    #[inline(always)]
    pub(crate) fn each<const L: u32>(&mut self, change: impl Fn(u32, &mut T)) {
        change(thread_index() % L, &mut self.0);
    }

    #[inline(always)]
    pub(crate) fn combine<const L: u32>(&self, combine: impl Fn(T, T) -> T) -> T {
        let result = combine_lanes::<L, T>(self.0, &combine);
        leave_if_poisoned();
        result
    }
}

/// Which indices to collect.
pub(crate) trait Ask: Fn(u32) -> bool {}

impl<F: Fn(u32) -> bool> Ask for F {}

#[inline(always)]
pub(crate) fn team_collect<const L: u32>(m: u32, keep: impl Fn(u32) -> bool, put: impl Fn(u32, u32)) -> u32 {
    frozen(&keep);
    check_length(m, MAX_LENGTH);
    let lane = thread_index() % L;
    let team = thread_index() % WARP / L * L;
    let mut count = 0u32;
    strided(0, L, m, |base| {
        let j = base.wrapping_add(lane);
        let kept = j < m && keep(j);
        // SAFETY: all lanes of the warp take the same number of turns, because `m` is the same for all teams.
        let votes = (unsafe { vote_ballot_sync(FULL, kept) } >> team) & (FULL >> (WARP - L));
        if votes != 0 {
            if kept {
                put(count.wrapping_add((votes & ((1 << lane) - 1)).count_ones()), j);
            }
            count = count.wrapping_add(votes.count_ones());
        }
    });
    count
}

#[inline(always)]
pub(crate) fn block_reduce<const AHEAD: bool, T: Pod>(
    crew: Crew,
    half: GroupsHalf,
    n: u32,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    const SLOTS: u32 = crate::platform::REDUCE_SLOTS;
    frozen(&value);
    frozen(&combine);
    check_length(n, MAX_LENGTH);
    let groups = half.pointer::<T>();
    let thread = thread_index();
    let occupied = n.min(SLOTS);
    strided(0, crew.threads(), occupied, |base| {
        let first = base.wrapping_add(thread);
        let mut slot = identity;
        let mut begun = false;
        let mut take = |item| {
            slot = if begun { combine(slot, item) } else { item };
            begun = true;
        };
        let mut i = first;
        let end = if first < SLOTS { n } else { 0 };
        if AHEAD {
            // The turns are counted, so that the compiler begins the loads of several turns of this loop together.
            let mut left = if i < end { end.wrapping_sub(i).div_ceil(SLOTS) } else { 0 };
            while left > 3 {
                left = left.wrapping_sub(4);
                let [a, b, c, d] = [0, 1, 2, 3].map(|k: u32| {
                    let at = i.wrapping_add(k * SLOTS);
                    // SAFETY: more than three turns are left, so that this neither wraps nor exceeds the end. (The compiler
                    // does not see this, and would keep bounds checks in `value`.)
                    unsafe { core::hint::assert_unchecked(at < n) };
                    value(at)
                });
                take(a);
                take(b);
                take(c);
                take(d);
                i = i.wrapping_add(4 * SLOTS);
            }
        }
        // One loop tests for the first turn inside. So there is a single copy of a large `value`, and the compiler peels off the
        // first turn if `value` is small.
        strided(i, SLOTS, end, |i| take(value(i)));
        slot = halve_lanes::<WARP, T>(slot, &combine);
        if thread.is_multiple_of(WARP) && first < occupied {
            // SAFETY: the group is below 32, and each belongs to one warp.
            unsafe { groups.store(first / WARP, slot) };
        }
    });
    publish();
    let lane = thread % WARP;
    let mut group = identity;
    if lane < occupied.div_ceil(WARP) {
        // SAFETY: written before the barrier.
        group = unsafe { groups.load(lane) };
    }
    let result = combine_lanes::<WARP, T>(group, &combine);
    // Lanes whose `combine` panicked have given the others no value.
    leave_if_poisoned();
    result
}

/// Gives all threads the value that thread `from`, which exists, computes from its index.
#[inline(always)]
pub(crate) fn block_broadcast<T: Pod>(_crew: Crew, half: GroupsHalf, from: u32, value: impl Fn(u32) -> T) -> T {
    frozen(&value);
    let groups = half.pointer::<T>();
    if thread_index() == from {
        // SAFETY: one thread writes. Others read this half after they have passed the barrier below, and have read its old
        // values before the previous barrier.
        unsafe { groups.store(0, value(from)) };
    }
    publish();
    // SAFETY: written before the barrier.
    unsafe { groups.load(0) }
}
