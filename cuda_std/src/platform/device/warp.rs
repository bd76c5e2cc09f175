//! Warps: every lane runs this code, and all lanes of a warp get to each operation together.

use super::shuffle::{
    bar_warp_sync, down_lanes, from_lane, halve_lanes, match_any_sync, scan_lanes, up_lanes, vote_ballot_sync,
    xor_lanes,
};
use super::{Crew, FULL, PerThreadStorage, WARP, strided, thread_index};
use crate::panic::device::exit;
use bytemuck::Pod;
use core::arch::{asm, global_asm};

/// Runs `f(warp)` once a warp.
#[inline(always)]
pub(crate) fn each_warp(_crew: Crew, f: impl Fn(u32)) {
    f(thread_index() / WARP);
}

/// Runs `f(warp, i)` for every index below `n`, each by a warp.
#[inline(always)]
pub(crate) fn each_index_by_warp(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    let warp = thread_index() / WARP;
    strided(warp, crew.threads() / WARP, n, |i| f(warp, i));
}

// Which index a warp takes next, in [`each_in_turn`].
global_asm!(".shared .align 4 .b8 __cuda_std_turn[4];");

/// Begins with index 0. There is a barrier before it, which no warp passes that is still in a phase with turns, and one
/// behind it.
#[inline(always)]
pub(crate) fn begin_turns() {
    if thread_index() == 0 {
        // SAFETY: writes the word declared above, by one thread between two barriers.
        unsafe { asm!("st.shared.u32 [__cuda_std_turn], {0};", in(reg32) 0u32, options(nostack, preserves_flags)) };
    }
}

/// Runs `f(warp, i)` for every index below `n`, each by the warp that is free first.
#[inline(always)]
pub(crate) fn each_in_turn(_crew: Crew, n: u32, f: impl Fn(u32, u32)) {
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
        // Nobody takes an index from a dead lane.
        leave_if_a_lane_is_dead();
        if i >= n {
            break;
        }
        f(warp, i);
    }
}

/// A lane's own value: registers.
#[repr(transparent)]
pub(crate) struct LaneStorage<T>(T);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn each_warp(&mut self, _crew: Crew, f: impl Fn(u32, &mut LaneStorage<T>)) {
        let own = (&raw mut self.0).cast::<LaneStorage<T>>();
        // SAFETY: `LaneStorage` is its value, which stays borrowed.
        f(thread_index() / WARP, unsafe { &mut *own });
    }
}

impl<T> LaneStorage<T> {
    #[inline(always)]
    pub(crate) fn new(_crew: Crew, _warp: u32, init: impl Fn(u32) -> T) -> Self {
        Self(init(thread_index() % WARP))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, _crew: Crew, _warp: u32, f: impl Fn(u32, &mut T)) {
        f(thread_index() % WARP, &mut self.0);
    }

    #[inline(always)]
    pub(crate) fn each_with<U>(
        &mut self,
        other: &LaneStorage<U>,
        _crew: Crew,
        _warp: u32,
        f: impl Fn(u32, &mut T, &U),
    ) {
        f(thread_index() % WARP, &mut self.0, &other.0);
    }

    #[inline(always)]
    pub(crate) fn map<U>(&self, _crew: Crew, _warp: u32, f: impl Fn(u32, &T) -> U) -> LaneStorage<U> {
        LaneStorage(f(thread_index() % WARP, &self.0))
    }

    /// A bit for each lane.
    #[inline(always)]
    pub(crate) fn ballot(&self, _crew: Crew, _warp: u32, f: impl Fn(u32, &T) -> bool) -> u32 {
        let vote = f(thread_index() % WARP, &self.0);
        // SAFETY: all lanes get here together, because the code of a warp phase is the same for all of them.
        let votes = unsafe { vote_ballot_sync(FULL, vote) };
        // What decides how a warp goes on is not decided by a dead lane.
        leave_if_a_lane_is_dead();
        votes
    }
}

impl<T> LaneStorage<T> {
    /// A bit for each lane; dead lanes have none.
    #[inline(always)]
    pub(crate) fn ballot_of_any(&self, _crew: Crew, _warp: u32, f: impl Fn(u32, &T) -> bool) -> u32 {
        let vote = f(thread_index() % WARP, &self.0);
        // SAFETY: as in `ballot`.
        unsafe { vote_ballot_sync(FULL, vote) }
    }
}

impl<T: Pod> LaneStorage<T> {
    #[inline(always)]
    pub(crate) fn shuffle(&self, _crew: Crew, _warp: u32, from: impl Fn(u32) -> u32) -> Self {
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
        let value = halve_lanes::<WARP, T>(self.0, &combine);
        leave_if_a_lane_is_dead();
        value
    }

    #[inline(always)]
    pub(crate) fn inclusive_scan(&self, combine: impl Fn(T, T) -> T) -> Self {
        Self(scan_lanes(self.0, thread_index() % WARP, &combine))
    }
}

impl LaneStorage<u32> {
    #[inline(always)]
    pub(crate) fn match_any(&self) -> Self {
        // SAFETY: as in `ballot`.
        Self(unsafe { match_any_sync(FULL, self.0) })
    }
}

impl<T> LaneStorage<T> {
    /// The value of one lane, for storing it.
    #[inline(always)]
    pub(crate) fn store_each(&self, _crew: Crew, _warp: u32, f: impl Fn(u32, &T)) {
        f(thread_index() % WARP, &self.0);
    }
}

/// Ends this thread if a lane of its warp has panicked. The lanes are asked, which is faster than to look at the block's
/// shared memory; a thread of another warp decides nothing here.
#[inline(always)]
pub(crate) fn leave_if_a_lane_is_dead() {
    // SAFETY: all lanes get here together, as in `ballot`; those that have exited do not vote.
    if unsafe { vote_ballot_sync(FULL, true) } != FULL {
        exit();
    }
}

/// Waits for the lanes of the warp, so that each sees what the others wrote.
#[inline(always)]
pub(crate) fn meet_warp() {
    // SAFETY: all lanes get here together, as in `ballot`; lanes that have exited are not waited for.
    unsafe { bar_warp_sync(FULL) };
}

/// Whether this thread stores what its warp has computed.
#[inline(always)]
pub(crate) fn leads_warp() -> bool {
    thread_index().is_multiple_of(WARP)
}
