//! The device's half: every thread runs this code and selects its share of the work by its index.

mod atomic;
pub(crate) mod float8;
mod frozen;
pub(crate) mod half;
mod matrix;
mod picks;
pub(crate) mod printer;
mod ranges;
mod reduce;
mod scan;
mod scatter;
mod shared;
mod shuffle;
mod wait;
mod warp;
#[cfg(target_feature = "sm_90a")]
pub(crate) mod warpgroup;
mod whole_grid;

pub use atomic::{AtomicNumber, Location};
pub use frozen::Frozen;
pub(crate) use frozen::frozen;
#[cfg(target_feature = "sm_80")]
pub(crate) use matrix::{ask_lanes, multiply_own};
#[cfg(target_feature = "sm_80")]
pub(crate) use matrix::{load_columns, load_rows};
pub(crate) use matrix::{mma, multiply};
pub use picks::Pick;
pub(crate) use picks::{PickStorage, load_picks, push_picks, push_ranges_to, push_ranges_where, push_ranges_with};
pub(crate) use ranges::{each_of_ranges, each_of_ranges_with};
pub(crate) use reduce::{
    Ask, GroupsHalf, MemberStorage, block_broadcast, block_reduce, each_vote, team_collect, team_reduce,
    team_reduce as team_reduce_long, team_reduce_near_parts, team_reduce_parts, team_votes,
};
pub(crate) use scan::{block_scan, scan_warps};
pub use scatter::WriteOnce;
pub(crate) use scatter::{AllWritten, store_scattered};
#[cfg(target_feature = "sm_90a")]
pub(crate) use shared::finish_first_copies;
#[cfg(target_feature = "sm_80")]
pub(crate) use shared::is_global;
pub use shared::{DynamicStorage, SharedStorage};
pub(crate) use shared::{SharedPointer, end_turn_of_copies, finish_copies, finish_older_copies};
#[cfg(target_feature = "sm_90a")]
pub(crate) use shuffle::of_first_lane;
pub(crate) use wait::Wait;
#[cfg(target_feature = "sm_80")]
pub(crate) use warp::stay_together;
pub(crate) use warp::{
    LaneStorage, any_item, any_of_bits, ballot, ballot_of_any, ballots, begin_turns, count_none_of_bits, each_in_turn,
    each_index_by_warp, each_warp, leads_warp, leave_if_a_lane_is_dead, log2_lanes, meet_warp, or_rows, store_ranges,
    store_some,
};

pub(crate) use whole_grid::GridCrew;
pub use whole_grid::GridState;

use crate::block::grid::Grid;
use crate::panic::device::{exit, leave_if_poisoned, poison};
use core::arch::nvptx;

const WARP: u32 = 32;
const FULL: u32 = u32::MAX;

#[inline(always)]
pub(crate) fn thread_index() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_thread_idx_x() }
}

/// The block's number in a grid of `DIMENSIONS` dimensions, x fastest. The host has checked that it fits 32 bits.
#[inline(always)]
pub(crate) fn block_index<const DIMENSIONS: u32>() -> u32 {
    let ([x, y, z], grid) = (block_index_3d(), grid());
    match DIMENSIONS {
        1 => x,
        2 => x.wrapping_add(grid.x.wrapping_mul(y)),
        _ => x.wrapping_add(grid.x.wrapping_mul(y.wrapping_add(grid.y.wrapping_mul(z)))),
    }
}

/// The block's position in the grid.
#[inline(always)]
pub(crate) fn block_index_3d() -> [u32; 3] {
    // SAFETY: reads special registers.
    unsafe { [nvptx::_block_idx_x(), nvptx::_block_idx_y(), nvptx::_block_idx_z()] }
}

#[inline(always)]
fn grid() -> Grid {
    // SAFETY: reads special registers.
    unsafe { Grid { x: nvptx::_grid_dim_x(), y: nvptx::_grid_dim_y(), z: nvptx::_grid_dim_z() } }
}

/// The threads of a block, for one phase.
#[derive(Clone, Copy)]
pub struct Crew {
    threads: u32,
}

impl Crew {
    #[inline(always)]
    pub(crate) fn new(threads: u32) -> Self {
        Self { threads }
    }

    #[inline(always)]
    pub(crate) fn threads(self) -> u32 {
        self.threads
    }

    /// The calling thread. The compiler gets facts about its index where they help.
    #[inline(always)]
    fn thread(self) -> u32 {
        let thread = thread_index();
        // SAFETY: a block of the launch has this many threads, in one dimension: the kernel's own number.
        unsafe { core::hint::assert_unchecked(thread < self.threads) };
        thread
    }

    /// Threads on a device have no order.
    #[inline(always)]
    pub(crate) fn next_phase(&mut self) -> Self {
        *self
    }

    #[inline(always)]
    pub(crate) fn grid(self) -> Grid {
        grid()
    }

    #[inline(always)]
    pub(crate) fn index_3d(self, _index: u32) -> [u32; 3] {
        block_index_3d()
    }
}

/// The lane's index in its warp.
#[cfg(target_feature = "sm_80")]
#[inline(always)]
pub(crate) fn lane() -> u32 {
    thread_index() % WARP
}

/// Waits for every thread of the block.
#[inline(always)]
pub(crate) fn barrier() {
    // SAFETY: every thread of the block gets here, because phases cannot be nested and code between phases is
    // the same for all threads; threads that have exited count as arrived.
    unsafe { nvptx::_syncthreads() };
}

/// Waits for every thread of the block, after a write that others read. If a thread of the block has panicked, the others
/// end here, because the values that they would read may not have been written.
#[inline(always)]
pub(crate) fn publish() {
    barrier();
    leave_if_poisoned();
}

/// Whether a thread of the block has panicked. The value is loaded now and used later, so that no thread waits for it.
#[derive(Clone, Copy)]
pub(crate) struct Poison(u32);

impl Poison {
    pub(crate) const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(poison())
    }

    /// Ends this thread if one has panicked.
    #[inline(always)]
    pub(crate) fn leave(self) {
        if self.0 != 0 {
            exit();
        }
    }
}

/// Loads four consecutive words with one instruction. Plain loads would be merged with equal single loads for other slices, and
/// only those would remain.
///
/// # Safety
/// They exist, at a multiple of 16 bytes, and nothing writes them.
#[inline(always)]
pub(crate) unsafe fn load_four_words(at: *const u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's.
    unsafe {
        core::arch::asm!("ld.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
            out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg64) at,
            options(pure, readonly, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// The indices `first, first + step, ..` below `n`. The sum cannot wrap, because [`crate::bounds::check_length`] has checked
/// that `n` leaves room for a step.
#[inline(always)]
fn strided(first: u32, step: u32, n: u32, mut f: impl FnMut(u32)) {
    let mut i = first;
    while i < n {
        f(i);
        i = i.wrapping_add(step);
    }
}

#[inline(always)]
pub(crate) fn each_index(crew: Crew, n: u32, f: impl Fn(u32)) {
    frozen(&f);
    strided(thread_index(), crew.threads, n, f);
}

/// Runs `f` for every index below `n` in this warp.
#[inline(always)]
pub(crate) fn each_index_of_warp(_crew: Crew, _warp: u32, n: u32, f: impl Fn(u32)) {
    frozen(&f);
    strided(thread_index() % WARP, WARP, n, f);
}

/// Runs `store(i, value(i))` for every index below `n`. It computes the values of several turns first, so that their loads
/// overlap. If the compiler knows `n` and the number of threads, it unrolls the loops completely.
#[inline(always)]
pub(crate) fn each_ahead<T>(crew: Crew, n: u32, value: impl Fn(u32) -> T, store: impl Fn(u32, T)) {
    frozen(&value);
    const AHEAD: u32 = 4;
    let (thread, step) = (crew.thread(), crew.threads);
    let at = |turn: u32| turn.wrapping_mul(step).wrapping_add(thread);
    let batches = n / step.wrapping_mul(AHEAD);
    for batch in 0..batches {
        let first = batch.wrapping_mul(AHEAD);
        let turns = [first, first.wrapping_add(1), first.wrapping_add(2), first.wrapping_add(3)].map(at);
        let [a, b, c, d] = turns.map(&value);
        store(turns[0], a);
        store(turns[1], b);
        store(turns[2], c);
        store(turns[3], d);
    }
    // Counts turns of the block: if their number is known, it does not depend on the thread's index.
    let done = batches.wrapping_mul(AHEAD);
    for turn in done..n / step {
        store(at(turn), value(at(turn)));
    }
    let last = at(n / step);
    if last < n && !n.is_multiple_of(step) {
        store(last, value(last));
    }
}

/// The thread's index. The compiler takes it for a new value each time, so what is derived from it takes no registers in between.
#[inline(always)]
pub(crate) fn fresh_thread_index() -> u32 {
    let thread: u32;
    // SAFETY: a copy, said to have effects so that it is made each time.
    unsafe {
        core::arch::asm!("mov.u32 {0}, {1};", out(reg32) thread, in(reg32) thread_index(), options(nomem, nostack, preserves_flags));
    }
    thread
}

/// Runs `f` for every index below `n`, for loops that are repeated often. Values derived from an index are computed again each
/// time, so they take no registers in between. If the compiler knows `n` and the number of threads, it unrolls the loop completely.
#[inline(always)]
pub(crate) fn each_unrolled(crew: Crew, n: u32, f: impl Fn(u32)) {
    frozen(&f);
    let thread = fresh_thread_index();
    // SAFETY: as in `Crew::thread`.
    unsafe { core::hint::assert_unchecked(thread < crew.threads) };
    let step = crew.threads;
    let whole = n / step;
    let mut turn = 0u32;
    while turn.wrapping_add(4) <= whole {
        for k in 0..4 {
            f(turn.wrapping_add(k).wrapping_mul(step).wrapping_add(thread));
        }
        turn = turn.wrapping_add(4);
    }
    while turn < whole {
        f(turn.wrapping_mul(step).wrapping_add(thread));
        turn = turn.wrapping_add(1);
    }
    let last = whole.wrapping_mul(step).wrapping_add(thread);
    if last < n && !n.is_multiple_of(step) {
        f(last);
    }
}

/// The thread that index `i` belongs to: the calling one.
#[inline(always)]
pub(crate) fn thread_of(_crew: Crew, _i: u32) -> u32 {
    thread_index()
}

/// Runs `f(i, owned)` for every index below `n`, each by a team of `L` threads.
///
/// All teams of a warp take the same number of turns, so the warp's lanes meet at every shuffle. A team without an index
/// repeats the last one. It does not own that index, and must not write its element.
#[inline(always)]
pub(crate) fn each_team<const L: u32>(crew: Crew, n: u32, f: impl Fn(u32, bool)) {
    frozen(&f);
    let team = thread_index() / L;
    let first_of_warp = team / (WARP / L) * (WARP / L);
    strided(first_of_warp, crew.threads / L, n, |first| {
        let i = first.wrapping_add(team % (WARP / L));
        f(i.min(n.wrapping_sub(1)), i < n);
    });
}

/// Whether this thread is its team's first.
#[inline(always)]
pub(crate) fn leads_team<const L: u32>() -> bool {
    thread_index().is_multiple_of(L)
}

/// A thread's own value: registers.
pub(crate) struct PerThreadStorage<T>(T);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn new(_crew: Crew, init: impl Fn(u32) -> T) -> Self {
        frozen(&init);
        Self(init(thread_index()))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, _crew: Crew, f: impl Fn(u32, &mut T)) {
        frozen(&f);
        f(thread_index(), &mut self.0);
    }

    #[inline(always)]
    pub(crate) fn each_ref(&self, crew: Crew, f: impl Fn(u32, &T)) {
        frozen(&f);
        f(crew.thread(), &self.0);
    }

    /// The value of thread `index`, which is the caller.
    #[inline(always)]
    pub(crate) fn own(&self, _index: u32) -> &T {
        &self.0
    }
}
