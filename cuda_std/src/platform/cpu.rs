//! CPU cores: one core runs a block, its threads one after the other.

use crate::panic::cpu::ThreadGuard;
use bytemuck::Pod;

/// Nothing to wait for: a phase has ended for all threads when its loop has.
#[inline(always)]
pub(crate) fn barrier() {}

/// Runs `f` for every index below `n`; index `i` belongs to thread `i % threads`.
#[inline(always)]
pub(crate) fn each_index(threads: u32, n: u32, f: impl Fn(u32)) {
    let mut guard = ThreadGuard::default();
    for i in 0..n {
        guard.thread = i % threads;
        f(i);
    }
}

/// Runs `f(i, owned)` for every index below `n`, each by a team of `L` threads; on a CPU the team is one, and owns
/// every index that it sees.
#[inline(always)]
pub(crate) fn each_team<const L: u32>(threads: u32, n: u32, f: impl Fn(u32, bool)) {
    each_index(threads / L, n, |i| f(i, true));
}

/// Whether this thread is its team's first.
#[inline(always)]
pub(crate) fn leads_team<const L: u32>() -> bool {
    true
}

/// Folds `step` over `0..m` in `L` interleaved slots and combines the slots by halving strides.
#[inline(always)]
pub(crate) fn team_reduce<const L: u32, T: Pod>(
    m: u32,
    identity: T,
    step: impl Fn(T, u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    const MAX: usize = 32;
    let lanes = L as usize;
    let mut slots = [identity; MAX];
    let mut j = 0;
    while j + L <= m {
        for (lane, slot) in slots.iter_mut().enumerate().take(lanes) {
            *slot = step(*slot, j + lane as u32);
        }
        j += L;
    }
    for (slot, j) in slots.iter_mut().zip(j..m) {
        *slot = step(*slot, j);
    }
    halve(&mut slots[..lanes], &combine)
}

/// Calls `put` with the place and the value of every `j` below `m` that satisfies `keep`, in rising order, and
/// returns how many do.
#[inline(always)]
pub(crate) fn team_collect<const L: u32>(m: u32, keep: impl Fn(u32) -> bool, put: impl Fn(u32, u32)) -> u32 {
    let mut count = 0;
    for j in 0..m {
        if keep(j) {
            put(count, j);
            count += 1;
        }
    }
    count
}

/// See [`crate::Block::reduce`] for the tree.
#[inline(always)]
pub(crate) fn block_reduce<T: Pod>(
    threads: u32,
    n: u32,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    const SLOTS: usize = crate::block::REDUCE_SLOTS as usize;
    let mut guard = ThreadGuard::default();
    let mut groups = [identity; 32];
    for (group, result) in groups.iter_mut().enumerate().take((n as usize).min(SLOTS).div_ceil(32)) {
        let mut slots = [identity; 32];
        for (lane, slot) in slots.iter_mut().enumerate() {
            let mut i = (group * 32 + lane) as u32;
            guard.thread = i % threads;
            if i < n {
                *slot = value(i);
                while n - i > SLOTS as u32 {
                    i += SLOTS as u32;
                    *slot = combine(*slot, value(i));
                }
            }
        }
        *result = halve(&mut slots, &combine);
    }
    halve(&mut groups, &combine)
}

/// Combines by strides `len/2, len/4, .. 1`; the lower index is the left operand.
#[inline(always)]
fn halve<T: Copy>(slots: &mut [T], combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = slots.len() / 2;
    while stride > 0 {
        for i in 0..stride {
            slots[i] = combine(slots[i], slots[i + stride]);
        }
        stride /= 2;
    }
    slots[0]
}

/// One value for every thread of the block.
pub(crate) struct PerThreadStorage<T>(Box<[T]>);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn new(threads: u32, init: impl Fn(u32) -> T) -> Self {
        let mut guard = ThreadGuard::default();
        Self(
            (0..threads)
                .map(|thread| {
                    guard.thread = thread;
                    init(thread)
                })
                .collect(),
        )
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, f: impl Fn(u32, &mut T)) {
        let mut guard = ThreadGuard::default();
        for (thread, value) in (0..).zip(self.0.iter_mut()) {
            guard.thread = thread;
            f(thread, value);
        }
    }

    #[inline(always)]
    pub(crate) fn each_ref(&self, f: impl Fn(u32, &T)) {
        let mut guard = ThreadGuard::default();
        for (thread, value) in (0..).zip(self.0.iter()) {
            guard.thread = thread;
            f(thread, value);
        }
    }
}

/// The memory of a shared array: as on the device, it lives as long as the block.
pub struct SharedStorage<T, const N: usize>(Box<[T]>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// A zeroed array.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(vec![T::zeroed(); N].into_boxed_slice())
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.0.as_mut_ptr())
    }
}

/// Where a shared array lies.
pub(crate) struct SharedPointer<T>(*mut T);

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPointer<T> {}

impl<T: Pod> SharedPointer<T> {
    /// # Safety
    /// `i` lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load(self, i: u32) -> T {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).read() }
    }

    /// # Safety
    /// `i` lies within the array, and no other thread touches it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store(self, i: u32, value: T) {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).write(value) }
    }
}
