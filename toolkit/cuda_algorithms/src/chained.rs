//! Scans of parts of an array that blocks have, in one pass by decoupled look-back (Merrill and Garland 2016).
//!
//! A block announces the combination of its part, looks back at those of earlier blocks until it finds one that has combined all blocks
//! before it, and then knows what comes before its own part. Where it finds such a block depends on time, so the operation must be
//! associative. It need not be commutative.

use crate::operation::Associative;
use bytemuck::cast;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{Buffer, BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{Wait, unrolled};

/// Threads of a block.
pub const THREADS: usize = 256;
/// Warps of a block.
pub const WARPS: usize = THREADS / 32;

/// Marks in the words of a block, above 32 bits of an element: they have the combination of the block's own part, or of all parts up to it,
/// or there will be none.
const OWN: u64 = 1 << 32;
const UP_TO: u64 = 2 << 32;
const NOTHING: u64 = 3 << 32;

/// Combines all elements of parts before `part`; `None` if one of them will not be announced, because its block has panicked. The warp
/// looks back at 32 parts at a time. An element has `WORDS` words; all of them have the same mark if they belong together, because marks
/// only rise.
#[inline(always)]
fn look_back<T: DeviceLayout, O: Associative<T>, const WORDS: usize>(
    warp: &mut Warp,
    states: &Atomics<u64>,
    part: u32,
) -> Option<T>
where
    [u32; WORDS]: bytemuck::Pod,
{
    let mut wait = Wait::new();
    let (mut before, mut end) = (O::NEUTRAL, part);
    while end > 0 {
        let found = warp.per_lane(|lane| {
            let mut words = [UP_TO; WORDS];
            if let Some(at) = end.checked_sub(lane.index() + 1) {
                unrolled::<WORDS>(|word| {
                    words[word as usize] = states.load(lane.thread(), at.wrapping_mul(WORDS as u32).wrapping_add(word));
                });
            }
            words
        });
        let is_whole = |words: &[u64; WORDS]| {
            words.iter().all(|word| *word >= OWN && *word < NOTHING && *word >> 32 == words[0] >> 32)
        };
        if warp.any(&found, |_, words| !is_whole(words)) {
            if warp.any(&found, |_, words| words[0] >= NOTHING) || wait.is_endless() {
                return None;
            }
            continue;
        }
        // The nearest part with what comes up to it.
        let last = warp.ballot(&found, |_, words| words[0] >= UP_TO).trailing_zeros();
        let elements = warp.map(&found, |lane, words| {
            if lane.index() <= last { cast::<[u32; WORDS], T>(words.map(|word| word as u32)) } else { O::NEUTRAL }
        });
        // A lower lane's part is a later one. A reduction would not keep the order.
        let up_to = warp.inclusive_scan(&elements, |later, earlier| O::combine(earlier, later));
        before = O::combine(warp.broadcast(&up_to, 31), before);
        end = if last < 32 { 0 } else { end.saturating_sub(32) };
    }
    Some(before)
}

/// The mark and the combination that a block announces whose own is `own`, if `before` has what comes before it. Later blocks need not wait
/// as long for what will not come.
#[inline(always)]
fn with_own<T: DeviceLayout, O: Associative<T>>(before: Option<T>, own: T) -> (u64, T) {
    before.map_or((NOTHING, O::NEUTRAL), |before| (UP_TO, O::combine(before, own)))
}

/// What comes before a block, for which it has waited.
#[inline(always)]
fn waited_for<T>(before: Option<T>) -> T {
    let Some(before) = before else { panic!("a block before this one has panicked") };
    before
}

/// Announces a block's combination. One thread does.
#[inline(always)]
fn announce<T: DeviceLayout, const WORDS: usize>(
    thread: Thread,
    states: &Atomics<u64>,
    part: u32,
    mark: u64,
    element: T,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    let words: [u32; WORDS] = cast(element);
    unrolled::<WORDS>(|word| {
        let state = mark | u64::from(words[word as usize]);
        // An exchange, because a store would wait for the stores of earlier results.
        states.exchange(thread, part.wrapping_mul(WORDS as u32).wrapping_add(word), state);
    });
}

/// Takes the next part. A block that waits for a part then waits for a block that has begun. The last of `states` is the next ticket.
#[inline(always)]
pub fn next_part(block: &mut Block, states: &Atomics<u64>) -> u32 {
    block.once(|thread| states.add(thread, states.len().wrapping_sub(1), 1)) as u32
}

/// The position in its block's part of a thread's element `row`: a warp has neighbouring rows of 32 elements, and each lane one of each row.
#[inline(always)]
pub fn position<const ITEMS: usize>(thread: Thread, row: u32) -> u32 {
    const { assert!(ITEMS.is_power_of_two()) };
    (thread.index() / 32 % WARPS as u32 * 32 * ITEMS as u32) | (32 * row) | (thread.index() % 32)
}

/// The position in its block's part that a thread writes in turn `k`, if neighbouring threads write neighbouring elements.
#[inline(always)]
pub fn turn(thread: Thread, k: u32) -> u32 {
    (thread.index() % THREADS as u32) | (k * THREADS as u32)
}

/// Combines each element with all those before it, in its part and in earlier ones.
#[inline(always)]
pub fn scan<T: DeviceLayout, O: Associative<T>, const WORDS: usize, const ITEMS: usize>(
    block: &mut Block,
    own: &mut PerThread<[T; ITEMS]>,
    states: &Atomics<u64>,
    part: u32,
    totals: &mut Shared<T, THREADS>,
    befores: &mut Shared<T, WARPS>,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    // All rows of a warp at once, so that their shuffles do not wait for each other.
    block.warps_with(own, |warp, own| {
        let up_to = warp.inclusive_scan(&*own, |a: [T; ITEMS], b: [T; ITEMS]| {
            let mut both = a;
            unrolled::<ITEMS>(|row| both[row as usize] = O::combine(a[row as usize], b[row as usize]));
            both
        });
        let rows = warp.broadcast(&up_to, 31);
        warp.each_with(own, &up_to, |_, own, up_to| {
            let mut earlier = O::NEUTRAL;
            unrolled::<ITEMS>(|row| {
                own[row as usize] = O::combine(earlier, up_to[row as usize]);
                earlier = O::combine(earlier, rows[row as usize]);
            });
        });
    });
    let totals = totals.write(block, THREADS as u32, own, |_, own| own[ITEMS - 1]);
    let befores = before_warps::<T, O, WORDS>(block, states, part, &totals, befores);
    block.each(own, |thread, own| {
        let before = befores.get(thread.index() / 32 % WARPS as u32);
        unrolled::<ITEMS>(|row| own[row as usize] = O::combine(before, own[row as usize]));
    });
}

/// The combination of all elements before those of each warp, in its part and in earlier ones, from the combination of each warp's
/// elements, which its last thread has in `totals`.
#[inline(always)]
fn before_warps<'b, T: DeviceLayout, O: Associative<T>, const WORDS: usize>(
    block: &mut Block,
    states: &Atomics<u64>,
    part: u32,
    totals: &Tile<T>,
    befores: &'b mut Shared<T, WARPS>,
) -> Tile<'b, T>
where
    [u32; WORDS]: bytemuck::Pod,
{
    const { assert!(size_of::<T>() == 4 * WORDS, "an element has as many words") };
    // The first threads have them.
    let mut before = block.per_thread(|_| O::NEUTRAL);
    block.warps_with(&mut before, |warp, before| {
        if warp.index() > 0 {
            return;
        }
        let of_warps = warp
            .per_lane(|lane| if lane.index() < WARPS as u32 { totals.get(32 * lane.index() + 31) } else { O::NEUTRAL });
        let up_to = warp.inclusive_scan(&of_warps, O::combine);
        let all = warp.broadcast(&up_to, 31);
        let by_first = |warp: &mut Warp, mark, element| {
            warp.per_lane(|lane| {
                if lane.index() == 0 {
                    announce::<T, WORDS>(lane.thread(), states, part, mark, element);
                }
            });
        };
        if part > 0 {
            by_first(warp, OWN, all);
        }
        let looked = look_back::<T, O, WORDS>(warp, states, part);
        let (mark, element) = with_own::<T, O>(looked, all);
        by_first(warp, mark, element);
        let found = waited_for(looked);
        let earlier = warp.exclusive_scan(&of_warps, O::NEUTRAL, O::combine);
        warp.each_with(before, &earlier, |_, before, earlier| *before = O::combine(found, *earlier));
    });
    befores.write(block, WARPS as u32, &before, |_, before| *before)
}

/// What comes before a thread's elements.
#[derive(Clone, Copy)]
pub struct Before<T> {
    /// The combination of its block's elements before those of its warp.
    pub warp: T,
    /// That of all of the block's elements.
    pub block: T,
    /// That of all elements of earlier parts; the first warp's threads have it first.
    earlier: T,
}

/// Combines what each warp has, which its last thread has in `totals`, and announces the block's combination.
#[inline(always)]
pub fn in_part<T: DeviceLayout, O: Associative<T>, const WORDS: usize>(
    block: &mut Block,
    states: &Atomics<u64>,
    part: u32,
    totals: &Tile<T>,
) -> PerThread<Before<T>>
where
    [u32; WORDS]: bytemuck::Pod,
{
    const { assert!(size_of::<T>() == 4 * WORDS, "an element has as many words") };
    block.per_thread(|thread| {
        let mut before = Before { warp: O::NEUTRAL, block: O::NEUTRAL, earlier: O::NEUTRAL };
        unrolled::<WARPS>(|warp| {
            if warp == thread.index() / 32 % WARPS as u32 {
                before.warp = before.block;
            }
            before.block = O::combine(before.block, totals.get(32 * warp + 31));
        });
        if thread.index() == 0 {
            let mark = if part == 0 { UP_TO } else { OWN };
            announce::<T, WORDS>(thread, states, part, mark, before.block);
        }
        before
    })
}

/// The combination of all elements of earlier parts, after [`in_part`].
#[inline(always)]
pub fn earlier_parts<T: DeviceLayout, O: Associative<T>, const WORDS: usize>(
    block: &mut Block,
    states: &Atomics<u64>,
    part: u32,
    before: &mut PerThread<Before<T>>,
    found: &mut Shared<T, 1>,
) -> T
where
    [u32; WORDS]: bytemuck::Pod,
{
    block.warps_with(before, |warp, before| {
        if warp.index() == 0 && part > 0 {
            let looked = look_back::<T, O, WORDS>(warp, states, part);
            warp.each(before, |lane, before| {
                before.earlier = looked.unwrap_or(O::NEUTRAL);
                if lane.index() == 0 {
                    let (mark, element) = with_own::<T, O>(looked, before.block);
                    announce::<T, WORDS>(lane.thread(), states, part, mark, element);
                }
            });
            waited_for(looked);
        }
    });
    found.write(block, 1, before, |_, before| before.earlier).get(0)
}

/// The words of blocks, in memory that several launches use one after the other.
#[cfg(not(target_arch = "nvptx64"))]
pub struct States {
    machine: Machine,
    words: Buffer<u64>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl States {
    /// Memory for launches whose blocks have at most `most` words together.
    pub fn new(machine: &Machine, most: usize) -> Result<Self, CudaError> {
        Ok(Self { machine: machine.clone(), words: machine.zeroed(most + 1)? })
    }

    /// Launches `grid` blocks of `words` words each. Their words and the next ticket are 0. The result is the first word of the last block.
    pub fn launch(
        &mut self,
        grid: usize,
        words: usize,
        launch: impl FnOnce(&Machine, u32, BufferViewMut<'_, u64>) -> Result<(), CudaError>,
    ) -> Result<Count<'_>, CudaError> {
        let mut states = self.words.slice_mut(..words * grid + 1)?;
        states.zero()?;
        launch(&self.machine, grid as u32, states)?;
        let last = grid.checked_sub(1).map(|last| self.words.slice(words * last..words * last + 1));
        Ok(Count(last.transpose()?))
    }
}

/// How many elements a launch has written, in the machine's memory.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct Count<'a>(Option<BufferView<'a, u64>>);

#[cfg(not(target_arch = "nvptx64"))]
impl Count<'_> {
    /// Waits for the number.
    ///
    /// # Errors
    /// Those of a copy to the host, and of the launch.
    pub fn get(self) -> Result<usize, CudaError> {
        self.0.map_or(Ok(0), |word| Ok(word.download()?[0] as u32 as usize))
    }
}
