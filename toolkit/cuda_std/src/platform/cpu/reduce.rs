//! Reductions of teams and blocks.

use super::picks::{TURN, bits};
use super::turn::{Aligned, Ask, Turn, number};
use super::warp::WARP;
use super::{Crew, publish};
use crate::View;
use crate::bounds::{MAX_LENGTH, check_length};
use crate::panic::cpu::ThreadGuard;
use bytemuck::Pod;

/// Folds `step` over `0..m` in `L` interleaved slots and combines the slots by halving strides.
#[inline(always)]
pub(crate) fn team_reduce<const L: u32, T: Pod>(
    m: u32,
    identity: T,
    step: impl Fn(T, u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    check_length(m, MAX_LENGTH);
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

/// Like [`team_reduce`], with a single copy of the code of `step`.
#[inline(always)]
pub(crate) fn team_reduce_long<const L: u32, T: Pod>(
    m: u32,
    identity: T,
    step: impl Fn(T, u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    check_length(m, MAX_LENGTH);
    let mut slots = [identity; 32];
    for j in 0..m {
        let slot = &mut slots[(j % L) as usize];
        *slot = step(*slot, j);
    }
    halve(&mut slots[..L as usize], &combine)
}

/// Parts that are computed before they are added: a multiple of a turn, and of the number of a team's threads.
const PARTS: usize = 4 * TURN;

/// See [`crate::Team::reduce_parts`]. It alternates: first the parts of many `j`, then their sums. Equal words of different
/// parts are adjacent, so both loops process several `j` at a time.
///
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
    let mut parts = Aligned([[0.0; PARTS]; P]);
    let mut slots = Aligned(identity.map(|word| [word; 32]));
    let mut first = 0;
    while first < m {
        let n = (m - first).min(PARTS as u32);
        // SAFETY: the caller's.
        unsafe { compute_parts(&mut parts.0, (&a, &b), first, n, &part) };
        add_parts::<L, _, _>(&mut slots.0, &parts.0, n, &add);
        first += n;
    }
    halve_slots::<L, S>(identity, &slots.0, combine)
}

/// See [`crate::Team::reduce_near_parts`]. As [`team_reduce_parts`], but first the words of all `j`, and then the parts of those
/// that are together with a near one.
///
/// # Safety
/// `a` and `b` have `m` elements.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "an iterator would be a function without the processor's features")]
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
    // Whole turns, and all threads of a team, so that the first part is the first thread's.
    let near_together = L.max(TURN as u32);
    let (mut words, mut parts) = (Aligned([[0.0; PARTS]; W]), Aligned([[0.0; PARTS]; P]));
    let mut slots = Aligned(identity.map(|word| [word; 32]));
    let mut first = 0;
    while first < m {
        let n = (m - first).min(PARTS as u32);
        let (mut done, mut near) = (0, 0u64);
        while done < n {
            let (first, n) = (first.wrapping_add(done), (n - done).min(TURN as u32));
            // SAFETY: the caller's.
            let of_a = unsafe { Turn::new(&a, first, n) };
            let mut is_near = [0u8; TURN];
            for k in 0..TURN {
                let (near, own) = of_all(number(first, n, k), of_a.get(k));
                is_near[k] = u8::from(near);
                for word in 0..W {
                    words.0[word][done as usize + k] = own[word];
                }
            }
            near |= u64::from(bits(&is_near) & (u32::MAX >> (32 - n))) << done;
            done += TURN as u32;
        }
        add_parts::<L, _, _>(&mut slots.0, &words.0, n, &add_of_all);
        while near != 0 {
            let done = near.trailing_zeros() / near_together * near_together;
            near &= !(((1u64 << near_together) - 1) << done);
            let (first, n) = (first.wrapping_add(done), (n - done).min(near_together));
            // SAFETY: the caller's.
            unsafe { compute_parts(&mut parts.0, (&a, &b), first, n, &part) };
            add_parts::<L, _, _>(&mut slots.0, &parts.0, n, &add);
        }
        first += n;
    }
    halve_slots::<L, S>(identity, &slots.0, combine)
}

/// Computes the parts of `n` indices from `first` on, at most [`PARTS`], turn by turn.
///
/// # Safety
/// Their elements exist.
#[inline(always)]
unsafe fn compute_parts<A: Pod, B: Pod, const P: usize>(
    parts: &mut [[f32; PARTS]; P],
    (a, b): (&View<A>, &View<B>),
    first: u32,
    n: u32,
    part: &impl Fn(u32, A, B) -> [f32; P],
) {
    let mut done = 0;
    while done < n {
        let (first, n) = (first.wrapping_add(done), (n - done).min(TURN as u32));
        // SAFETY: the caller's.
        let (of_a, of_b) = unsafe { (Turn::new(a, first, n), Turn::new(b, first, n)) };
        for k in 0..TURN {
            let own = part(number(first, n, k), of_a.get(k), of_b.get(k));
            for word in 0..P {
                parts[word][done as usize + k] = own[word];
            }
        }
        done += TURN as u32;
    }
}

/// Adds `n` parts to the slots of a team's threads, in turn: the first to the first thread's.
#[inline(always)]
fn add_parts<const L: u32, const P: usize, const S: usize>(
    slots: &mut [[f32; 32]; S],
    parts: &[[f32; PARTS]; P],
    n: u32,
    add: &impl Fn([f32; S], [f32; P]) -> [f32; S],
) {
    /// Rounds that are added before a slot is stored. Each store would otherwise be waited for.
    const ROUNDS: usize = 4;
    let (mut begin, n, lanes) = (0, n as usize, L as usize);
    let mut add_to = |lane: usize, begin: usize, rounds: usize| {
        let mut sums = [0.0; S];
        for word in 0..S {
            sums[word] = slots[word][lane];
        }
        for round in 0..rounds {
            let mut own = [0.0; P];
            for word in 0..P {
                own[word] = parts[word][begin + round * lanes + lane];
            }
            sums = add(sums, own);
        }
        for word in 0..S {
            slots[word][lane] = sums[word];
        }
    };
    while n - begin >= ROUNDS * lanes {
        for lane in 0..lanes {
            add_to(lane, begin, ROUNDS);
        }
        begin += ROUNDS * lanes;
    }
    while n - begin >= lanes {
        for lane in 0..lanes {
            add_to(lane, begin, 1);
        }
        begin += lanes;
    }
    for lane in 0..n - begin {
        add_to(lane, begin, 1);
    }
}

/// Combines the slots by halving strides.
#[inline(always)]
fn halve_slots<const L: u32, const S: usize>(
    identity: [f32; S],
    slots: &[[f32; 32]; S],
    combine: impl Fn([f32; S], [f32; S]) -> [f32; S],
) -> [f32; S] {
    let mut all = [identity; 32];
    for (lane, sums) in all[..L as usize].iter_mut().enumerate() {
        for word in 0..S {
            sums[word] = slots[word][lane];
        }
    }
    halve(&mut all[..L as usize], &combine)
}

/// See [`crate::Team::votes`].
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "an iterator would be a function without the processor's features")]
pub(crate) fn team_votes<const L: u32>(ask: impl Fn(u32) -> bool) -> u32 {
    let mut answers = [0u8; WARP];
    for k in 0..L as usize {
        answers[k] = u8::from(ask(k as u32));
    }
    super::warp::bits(&answers)
}

/// Calls `put(position, bit)` for every bit below `L` that is set, with its position among those.
#[inline(always)]
pub(crate) fn each_vote<const L: u32>(votes: u32, mut put: impl FnMut(u32, u32)) {
    let (mut left, mut position) = (votes & (u32::MAX >> (32 - L)), 0);
    while left != 0 {
        put(position, left.trailing_zeros());
        left &= left - 1;
        position += 1;
    }
}

/// See [`crate::PerMember`].
pub(crate) struct MemberStorage<T>([T; 32]);

impl<T: Pod> MemberStorage<T> {
    #[inline(always)]
    pub(crate) fn new<const L: u32>(value: impl Fn(u32) -> T) -> Self {
        let mut all = [T::zeroed(); 32];
        for (k, own) in all.iter_mut().enumerate().take(L as usize) {
            *own = value(k as u32);
        }
        Self(all)
    }

    #[inline(always)]
    pub(crate) fn each<const L: u32>(&mut self, change: impl Fn(u32, &mut T)) {
        for (k, own) in self.0.iter_mut().enumerate().take(L as usize) {
            change(k as u32, own);
        }
    }

    #[inline(always)]
    pub(crate) fn combine<const L: u32>(&self, combine: impl Fn(T, T) -> T) -> T {
        let mut all = self.0;
        halve(&mut all[..L as usize], &combine)
    }
}

/// Calls `put` with the position and the value of every `j` below `m` that satisfies `ask`, in increasing order, and
/// returns their number. It asks for many `j` before it stores any, so that it may ask for several at a time.
#[inline(always)]
pub(crate) fn team_collect<const L: u32>(m: u32, ask: impl Ask, put: impl Fn(u32, u32)) -> u32 {
    check_length(m, MAX_LENGTH);
    let (mut count, mut first) = (0, 0);
    while first < m {
        let n = (m - first).min(WARP as u32);
        let mut left = ask.votes(first, n);
        while left != 0 {
            put(count, first.wrapping_add(left.trailing_zeros()));
            left &= left - 1;
            count += 1;
        }
        first += n;
    }
    count
}

/// Reductions on a device alternate between two halves of shared memory. A core needs no shared memory for them.
#[derive(Clone, Copy)]
pub(crate) struct GroupsHalf;

impl GroupsHalf {
    pub(crate) const FIRST: Self = Self;

    #[inline(always)]
    pub(crate) fn next(&mut self) -> Self {
        *self
    }
}

/// See [`crate::Block::reduce`] for the tree.
#[inline(always)]
pub(crate) fn block_reduce<const AHEAD: bool, T: Pod>(
    crew: Crew,
    _half: GroupsHalf,
    n: u32,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    const SLOTS: usize = crate::platform::REDUCE_SLOTS as usize;
    check_length(n, MAX_LENGTH);
    let mut guard = ThreadGuard::default();
    let mut groups = [identity; 32];
    let occupied = n.min(SLOTS as u32).div_ceil(32);
    let (warps, lanes) = (crew.numbers(occupied), crew.numbers(32));
    for k in 0..occupied {
        let group = warps.at(k);
        let mut slots = [identity; 32];
        for k in 0..32 {
            let lane = lanes.at(k);
            let mut i = group * 32 + lane;
            guard.thread = i % crew.threads();
            if i < n {
                let slot = &mut slots[lane as usize % 32];
                // With one copy of the code of `value`, the compiler inlines it.
                let mut is_first = true;
                loop {
                    let item = value(i);
                    *slot = if is_first { item } else { combine(*slot, item) };
                    if n - i <= SLOTS as u32 {
                        break;
                    }
                    is_first = false;
                    i += SLOTS as u32;
                }
            }
        }
        groups[group as usize % 32] = halve(&mut slots, &combine);
    }
    publish();
    halve(&mut groups, &combine)
}

/// Combines with strides `len/2, len/4, .. 1`; the lower index is the left operand.
#[inline(always)]
pub(super) fn halve<T: Copy>(slots: &mut [T], combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = slots.len() / 2;
    while stride > 0 {
        for i in 0..stride {
            slots[i] = combine(slots[i], slots[i + stride]);
        }
        stride /= 2;
    }
    slots[0]
}

/// Gives all threads the value that thread `from`, which exists, computes from its index.
#[inline(always)]
pub(crate) fn block_broadcast<T: Pod>(_crew: Crew, _half: GroupsHalf, from: u32, value: impl Fn(u32) -> T) -> T {
    let _guard = ThreadGuard { thread: from };
    let value = value(from);
    publish();
    value
}
