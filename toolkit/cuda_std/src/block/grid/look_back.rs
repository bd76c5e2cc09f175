//! Values that blocks hand on from part to part, by decoupled look-back (Merrill and Garland 2016).

use crate::bounds::crosses_warps;
use crate::buffers::{AtomicMemory as _, Atomics};
use crate::unrolled::unrolled;
use crate::warp::Warp;
use crate::{Block, Thread, Wait};
use bytemuck::Pod;

/// Marks in the words of a part, above 32 bits of its value: it is the part's own value, or the combination up to it, or there will be
/// none.
const OWN: u64 = 1 << 32;
const UP_TO: u64 = 2 << 32;
const NOTHING: u64 = 3 << 32;

/// The most words of a value.
const MOST: usize = 8;

/// The index of a word of a part. (A larger one would panic when it is used.)
#[inline(always)]
fn at<T>(part: u32, word: u32) -> u32 {
    part.wrapping_mul(size_of::<T>() as u32 / 4).wrapping_add(word)
}

/// Calls `f` with the number of each word of a value.
#[inline(always)]
fn each_word<T>(mut f: impl FnMut(u32)) {
    crosses_warps::<T>();
    unrolled::<MOST>(|word| {
        if (word as usize) < const { size_of::<T>() / 4 } {
            f(word);
        }
    });
}

/// A value of its words.
#[inline(always)]
fn joined<T: Pod>(words: [u32; MOST]) -> T {
    bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&words)[..size_of::<T>()])
}

/// Announces a part's value. One thread does.
#[inline(always)]
fn announce<T: Pod>(thread: Thread, states: &Atomics<u64>, part: u32, mark: u64, value: T) {
    let mut words = [0u32; MOST];
    bytemuck::bytes_of_mut(&mut words)[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    each_word::<T>(|word| {
        // An exchange, because a store would wait for the stores of earlier results.
        states.exchange(thread, at::<T>(part, word), mark | u64::from(words[word as usize]));
    });
}

/// The combination of the values of all parts before `part`; `None` if one of them will not be announced. The warp looks back at 32 parts
/// at a time.
#[inline(always)]
fn earlier<T: Pod + Sync>(
    warp: &mut Warp,
    states: &Atomics<u64>,
    part: u32,
    identity: T,
    combine: &(impl Fn(T, T) -> T + Sync),
) -> Option<T> {
    let mut wait = Wait::new();
    let (mut before, mut end) = (identity, part);
    while end > 0 {
        let found = warp.per_lane(|lane| {
            let mut words = [UP_TO; MOST];
            if let Some(part) = end.checked_sub(lane.index() + 1) {
                each_word::<T>(|word| words[word as usize] = states.load(lane.thread(), at::<T>(part, word)));
            }
            words
        });
        // All words of a value have the same mark if they belong together, because marks only rise.
        let is_whole = |words: &[u64; MOST]| {
            let mut is_whole = true;
            each_word::<T>(|word| {
                is_whole &= words[word as usize] >= OWN && words[word as usize] >> 32 == words[0] >> 32;
            });
            is_whole & (words[0] < NOTHING)
        };
        if warp.any(&found, |_, words| !is_whole(words)) {
            if warp.any(&found, |_, words| words[0] >= NOTHING) || wait.is_endless() {
                return None;
            }
            continue;
        }
        // The nearest part with the combination up to it. The parts in between have their own values.
        let last = warp.ballot(&found, |_, words| words[0] >= UP_TO).trailing_zeros();
        let values =
            warp.map(
                &found,
                |lane, words| {
                    if lane.index() <= last { joined::<T>(words.map(|word| word as u32)) } else { identity }
                },
            );
        // A lower lane's part is a later one. A reduction would not keep the order.
        let up_to = warp.inclusive_scan(&values, |later, earlier| combine(earlier, later));
        before = combine(warp.broadcast(&up_to, 31), before);
        end = if last < 32 { 0 } else { end.saturating_sub(32) };
    }
    Some(before)
}

impl Block {
    /// Takes the next part of work that blocks share: 0, then 1 and so on. The last element of `states` counts them, from 0 on.
    /// [`look_back`](Self::look_back) has an example. This takes one barrier.
    #[inline(always)]
    #[track_caller]
    pub fn next_part(&mut self, states: &Atomics<u64>) -> u32 {
        self.once(|thread| states.add(thread, states.len().wrapping_sub(1), 1)) as u32
    }

    /// Combines the values of all parts before `part`, one value for each part, by looking back at what other blocks have announced. So
    /// a scan of a large array takes one launch. `value` is this part's, which all threads have. `combine` must be associative: where a
    /// block finds a combination depends on time. It need not be commutative. `identity` must be neutral. This takes one barrier.
    ///
    /// `states` has as many elements for each part as a value has words of 32 bits (at most 8), and then those of
    /// [`next_part`](Self::next_part), all 0 at first. A launch takes each part once, from `next_part`: then a block waits only for blocks
    /// that have begun.
    ///
    /// # Panics
    /// If a part before this one is never announced, because nobody takes it or its block has panicked: after as long as a [`Wait`] takes.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Each element with all those before it, in parts of 64.
    /// #[kernel(threads = 64, requires(out.len() == x.len() && states.len() == grid.x as usize + 1))]
    /// fn scan(block: &mut Block, out: &Scatter<u32>, states: &Atomics<u64>, x: &[u32]) {
    ///     let part = block.next_part(states);
    ///     let own = block.per_thread(|thread| x.get((64 * part + thread.index()) as usize).map_or(0, |x| *x));
    ///     let (mut sums, all) = block.inclusive_scan_rows(&own, 0, |_, own| [*own], u32::wrapping_add);
    ///     let before = block.look_back(states, part, all, 0, u32::wrapping_add);
    ///     block.each(&mut sums, |thread, sums| {
    ///         let i = 64 * part + thread.index();
    ///         if i < out.len() {
    ///             out.put(thread, i, before.wrapping_add(sums[0]));
    ///         }
    ///     });
    /// }
    /// # fn main() {
    /// let (mut out, mut states) = ([0; 1000], [0; 17]);
    /// let args = scan::Args { out: &mut out[..], states: &mut states[..], x: &[3; 1000][..] };
    /// scan::launch(&CpuExecutor::new(), 16, args).unwrap();
    /// assert!((1..).zip(out).all(|(n, sum)| sum == 3 * n));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn look_back<T: Pod + Sync>(
        &mut self,
        states: &Atomics<u64>,
        part: u32,
        value: T,
        identity: T,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        let mut found = self.per_thread(|_| identity);
        self.warps_with(&mut found, |warp, found| {
            if warp.index() > 0 {
                return;
            }
            let by_first = |warp: &mut Warp, mark, value| {
                warp.per_lane(|lane| {
                    if lane.index() == 0 {
                        announce(lane.thread(), states, part, mark, value);
                    }
                });
            };
            if part > 0 {
                by_first(warp, OWN, value);
            }
            let before = earlier(warp, states, part, identity, &combine);
            // Later blocks need not wait as long for what will not come.
            let (mark, up_to) = before.map_or((NOTHING, identity), |before| (UP_TO, combine(before, value)));
            by_first(warp, mark, up_to);
            let Some(before) = before else { panic!("an earlier part of the look-back was not announced") };
            warp.each(found, |_, found| *found = before);
        });
        self.broadcast(&found, 0)
    }
}
