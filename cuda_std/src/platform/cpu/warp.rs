//! Warps: a core runs the 32 lanes of a warp's operation one after the other.

use super::{Crew, PerThreadStorage};
use crate::panic::cpu::ThreadGuard;
use bytemuck::Pod;

const WARP: usize = 32;

/// Runs `f(warp)` once a warp.
#[inline(always)]
pub(crate) fn each_warp(crew: Crew, f: impl Fn(u32)) {
    crew.visit(crew.threads() / WARP as u32, f);
}

/// Runs `f(warp, i)` for every index below `n`, each by a warp.
#[inline(always)]
pub(crate) fn each_index_by_warp(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    let warps = crew.threads() / WARP as u32;
    crew.visit(n, |i| f(i % warps, i));
}

/// What [`each_in_turn`] needs; nothing here.
#[inline(always)]
pub(crate) fn begin_turns() {}

/// As [`each_index_by_warp`]: a core takes one after the other in any case.
#[inline(always)]
pub(crate) fn each_in_turn(crew: Crew, n: u32, f: impl Fn(u32, u32)) {
    each_index_by_warp(crew, n, f);
}

/// Nothing to wait for: a core runs the lanes one after the other.
#[inline(always)]
pub(crate) fn meet_warp() {}

/// A lane that panics ends its block at once.
#[inline(always)]
pub(crate) fn leave_if_a_lane_is_dead() {}

/// Whether this thread stores what its warp has computed.
#[inline(always)]
pub(crate) fn leads_warp() -> bool {
    true
}

/// Combines each lane's value with those of the lanes below it, by strides 1, 2, 4, 8, 16.
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
pub(crate) struct LaneStorage<T>([T; WARP]);

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
        let mut guard = ThreadGuard::default();
        let lanes = crew.numbers(WARP as u32);
        let mut values = [const { None }; WARP];
        for k in 0..WARP as u32 {
            let lane = lanes.at(k);
            guard.thread = warp * WARP as u32 + lane;
            values[lane as usize % WARP] = Some(init(lane));
        }
        Self(values.map(|value| match value {
            Some(value) => value,
            None => unreachable!("each lane's number comes once"),
        }))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, crew: Crew, warp: u32, f: impl Fn(u32, &mut T)) {
        let mut guard = ThreadGuard::default();
        crew.visit(WARP as u32, |lane| {
            guard.thread = warp * WARP as u32 + lane;
            f(lane, &mut self.0[lane as usize % WARP]);
        });
    }

    #[inline(always)]
    pub(crate) fn each_with<U>(&mut self, other: &LaneStorage<U>, crew: Crew, warp: u32, f: impl Fn(u32, &mut T, &U)) {
        self.each(crew, warp, |lane, value| f(lane, value, &other.0[lane as usize % WARP]));
    }

    #[inline(always)]
    pub(crate) fn map<U>(&self, crew: Crew, warp: u32, f: impl Fn(u32, &T) -> U) -> LaneStorage<U> {
        LaneStorage::new(crew, warp, |lane| f(lane, &self.0[lane as usize % WARP]))
    }

    #[inline(always)]
    pub(crate) fn store_each(&self, crew: Crew, warp: u32, f: impl Fn(u32, &T)) {
        let mut guard = ThreadGuard::default();
        crew.visit(WARP as u32, |lane| {
            guard.thread = warp * WARP as u32 + lane;
            f(lane, &self.0[lane as usize % WARP]);
        });
    }

    /// A bit for each lane.
    #[inline(always)]
    pub(crate) fn ballot_of_any(&self, crew: Crew, warp: u32, f: impl Fn(u32, &T) -> bool) -> u32 {
        self.ballot(crew, warp, f)
    }

    #[inline(always)]
    pub(crate) fn ballot(&self, crew: Crew, warp: u32, f: impl Fn(u32, &T) -> bool) -> u32 {
        let mut votes = 0;
        let mut guard = ThreadGuard::default();
        crew.visit(WARP as u32, |lane| {
            guard.thread = warp * WARP as u32 + lane;
            votes |= u32::from(f(lane, &self.0[lane as usize % WARP])) << lane;
        });
        votes
    }
}

impl<T: Pod> LaneStorage<T> {
    #[inline(always)]
    fn gather(&self, from: impl Fn(usize) -> usize) -> Self {
        Self(core::array::from_fn(|lane| self.0[from(lane) % WARP]))
    }

    #[inline(always)]
    pub(crate) fn shuffle(&self, crew: Crew, warp: u32, from: impl Fn(u32) -> u32) -> Self {
        let sources = LaneStorage::new(crew, warp, from);
        self.gather(|lane| sources.0[lane] as usize)
    }

    #[inline(always)]
    pub(crate) fn shuffle_up(&self, delta: u32) -> Self {
        self.gather(|lane| lane.checked_sub(delta as usize % WARP).unwrap_or(lane))
    }

    #[inline(always)]
    pub(crate) fn shuffle_down(&self, delta: u32) -> Self {
        let delta = delta as usize % WARP;
        self.gather(|lane| if lane + delta < WARP { lane + delta } else { lane })
    }

    #[inline(always)]
    pub(crate) fn shuffle_xor(&self, mask: u32) -> Self {
        self.gather(|lane| lane ^ (mask as usize % WARP))
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

impl LaneStorage<u32> {
    #[inline(always)]
    pub(crate) fn match_any(&self) -> Self {
        Self(core::array::from_fn(|lane| {
            (0..WARP).filter(|other| self.0[*other] == self.0[lane]).fold(0, |mask, other| mask | 1 << other)
        }))
    }
}
