//! CPU cores: one core runs a block, thread after thread.

mod atomic;
mod crew;
mod float_mode;
mod frozen;
pub(crate) mod half;
mod helpers;
mod matrix;
mod order;
mod picks;
pub(crate) mod printer;
mod ranges;
mod reduce;
mod rows;
mod scan;
mod scatter;
mod shared;
mod turn;
mod wait;
mod warp;
mod warp_list;
mod whole_grid;

pub use atomic::{AtomicNumber, Location};
pub use crew::Crew;
pub(crate) use float_mode::FloatMode;
pub use frozen::Frozen;
pub(crate) use frozen::frozen;
pub(crate) use helpers::{Helpers, Leader};
pub(crate) use matrix::multiply;
pub use order::Order;
pub use picks::Pick;
pub(crate) use picks::{
    PickStorage, load_picks, pad_picks, push_picks, push_ranges_to, push_ranges_where, push_ranges_with,
};
pub(crate) use ranges::{each_of_ranges, each_of_ranges_with};
pub(crate) use reduce::{
    GroupsHalf, MemberStorage, block_broadcast, block_reduce, each_vote, team_collect, team_reduce, team_reduce_long,
    team_reduce_near_parts, team_reduce_parts, team_votes,
};
pub(crate) use scan::{block_scan, scan_warps};
pub(crate) use scatter::{AllWritten, WriteOnce, store_scattered};
pub use shared::{DynamicStorage, SharedStorage};
pub(crate) use shared::{SharedPointer, end_turn_of_copies, finish_copies, finish_older_copies};
pub(crate) use turn::{Ask, AskOf};
pub(crate) use wait::{RunningBlocks, Wait, is_in_a_block};
pub(crate) use warp::{
    LaneStorage, any_of_bits, ballot, ballot_of_any, ballots, begin_turns, count_none_of_bits, each_in_turn,
    each_index_by_warp, each_warp, leads_warp, leave_if_a_lane_is_dead, meet_warp, or_rows,
};
pub(crate) use warp_list::{any_item, log2_lanes, store_ranges, store_some};
pub(crate) use whole_grid::GridCrew;

use crate::panic::cpu::ThreadGuard;

/// There is nothing to wait for: when a phase's loop ends, the phase has ended for all threads.
#[inline(always)]
pub(crate) fn barrier() {
    #[cfg(test)]
    BARRIERS.set(BARRIERS.get() + 1);
}

/// As [`barrier`]. A panic would have unwound the block before.
#[inline(always)]
pub(crate) fn publish() {
    barrier();
}

/// Empty, because a panic would have unwound the block before.
#[derive(Clone, Copy)]
pub(crate) struct Poison;

impl Poison {
    pub(crate) const NONE: Self = Self;

    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn leave(self) {}
}

/// Loads four consecutive words.
///
/// # Safety
/// They exist, at a multiple of 16 bytes.
#[inline(always)]
pub(crate) unsafe fn load_four_words(at: *const u32) -> [u32; 4] {
    #[repr(align(16))]
    #[derive(Clone, Copy)]
    struct Aligned([u32; 4]);
    // SAFETY: the caller's.
    unsafe { at.cast::<Aligned>().read().0 }
}

#[cfg(test)]
thread_local! {
    /// Barriers that a GPU would have passed.
    pub(crate) static BARRIERS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Runs `store(i, value(i))` for every index below `n`.
#[inline(always)]
pub(crate) fn each_ahead<T>(crew: Crew, n: u32, value: impl Fn(u32) -> T, store: impl Fn(u32, T)) {
    each_index(crew, n, |i| store(i, value(i)));
}

/// Runs `f` for every index below `n`; index `i` belongs to thread `i % threads`.
#[inline(always)]
pub(crate) fn each_index(crew: Crew, n: u32, f: impl Fn(u32)) {
    let mut guard = ThreadGuard::default();
    crew.visit(n, |i| {
        guard.thread = i % crew.threads();
        f(i);
    });
}

/// Runs `f` for every index below `n`.
#[inline(always)]
pub(crate) fn each_unrolled(crew: Crew, n: u32, f: impl Fn(u32)) {
    each_index(crew, n, f);
}

/// Runs `f` for every index below `n` in one warp; index `i` belongs to lane `i % 32`.
#[inline(always)]
pub(crate) fn each_index_of_warp(crew: Crew, warp: u32, n: u32, f: impl Fn(u32)) {
    let mut guard = ThreadGuard::default();
    crew.visit(n, |i| {
        guard.thread = warp * 32 + i % 32;
        f(i);
    });
}

/// The thread that index `i` belongs to.
#[inline(always)]
pub(crate) fn thread_of(crew: Crew, i: u32) -> u32 {
    i % crew.threads()
}

/// Runs `f(i, owned)` for every index below `n`, each by a team of `L` threads. On a CPU there is one team, which owns every
/// index.
#[inline(always)]
pub(crate) fn each_team<const L: u32>(crew: Crew, n: u32, f: impl Fn(u32, bool)) {
    let mut guard = ThreadGuard::default();
    crew.visit(n, |i| {
        guard.thread = i % (crew.threads() / L) * L;
        f(i, true);
    });
}

/// Whether this thread is its team's first.
#[inline(always)]
pub(crate) fn leads_team<const L: u32>() -> bool {
    true
}

/// One value for every thread of the block.
pub(crate) struct PerThreadStorage<T>(Box<[T]>);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn new(crew: Crew, init: impl Fn(u32) -> T) -> Self {
        let mut guard = ThreadGuard::default();
        let init = |thread| {
            guard.thread = thread;
            init(thread)
        };
        Self(crew.collect(crew.threads(), init))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, crew: Crew, f: impl Fn(u32, &mut T)) {
        let mut guard = ThreadGuard::default();
        let values = &mut self.0[..crew.threads() as usize];
        crew.visit(crew.threads(), |thread| {
            guard.thread = thread;
            f(thread, &mut values[thread as usize]);
        });
    }

    #[inline(always)]
    pub(crate) fn each_ref(&self, crew: Crew, f: impl Fn(u32, &T)) {
        let mut guard = ThreadGuard::default();
        let values = &self.0[..crew.threads() as usize];
        crew.visit(crew.threads(), |thread| {
            guard.thread = thread;
            f(thread, &values[thread as usize]);
        });
    }

    /// The value of thread `index`, which is the caller.
    #[inline(always)]
    pub(crate) fn own(&self, index: u32) -> &T {
        &self.0[index as usize]
    }
}
