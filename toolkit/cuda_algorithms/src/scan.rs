//! Scan: each element combined with all those before it, in one pass by decoupled look-back (Merrill and Garland 2016).
//!
//! A block announces the combination of its part, looks back at those of earlier blocks until it finds one that has combined all blocks
//! before it, and then knows what comes before its own part. Where it finds such a block depends on time, so the operation must be
//! associative.

use crate::operation::{Associative, Largest, Smallest, Sum};
use crate::parts;
use bytemuck::cast;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{Buffer, BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{View, unrolled};

const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;
/// Elements of a thread.
const ITEMS: usize = 16;
/// Elements of a block.
pub const PART: usize = THREADS * ITEMS;

/// Marks in the words of a block, above 32 bits of an element: they have the combination of the block's own part, or of all parts up to it.
const OWN: u64 = 1 << 32;
const UP_TO: u64 = 2 << 32;

/// Combines all elements of parts before `part`. The warp looks back at 32 parts at a time. An element has `WORDS` words; all of them have
/// the same mark if they belong together, because marks only rise.
#[inline(always)]
fn look_back<T: DeviceLayout, O: Associative<T>, const WORDS: usize>(
    warp: &mut Warp,
    states: &Atomics<u64>,
    part: u32,
) -> T
where
    [u32; WORDS]: bytemuck::Pod,
{
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
        let is_whole = |words: &[u64; WORDS]| words.iter().all(|word| *word >= OWN && *word >> 32 == words[0] >> 32);
        if warp.any(&found, |_, words| !is_whole(words)) {
            continue;
        }
        // The nearest part with what comes up to it.
        let last = warp.ballot(&found, |_, words| words[0] >= UP_TO).trailing_zeros();
        let elements = warp.map(&found, |lane, words| {
            if lane.index() <= last { cast::<[u32; WORDS], T>(words.map(|word| word as u32)) } else { O::NEUTRAL }
        });
        // A lower lane's part is a later one.
        let all = warp.reduce(&elements, |later, earlier| O::combine(earlier, later));
        before = O::combine(all, before);
        end = if last < 32 { 0 } else { end.saturating_sub(32) };
    }
    before
}

/// Announces a block's combination.
#[inline(always)]
fn announce<T: DeviceLayout, const WORDS: usize>(
    warp: &mut Warp,
    states: &Atomics<u64>,
    part: u32,
    mark: u64,
    element: T,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    let words: [u32; WORDS] = cast(element);
    warp.per_lane(|lane| {
        if lane.index() == 0 {
            unrolled::<WORDS>(|word| {
                let state = mark | u64::from(words[word as usize]);
                // An exchange, because a store would wait for the stores of earlier results.
                states.exchange(lane.thread(), part.wrapping_mul(WORDS as u32).wrapping_add(word), state);
            });
        }
    });
}

/// Combines each element with those before it; without itself, one place later, if `EXCLUSIVE` is 1.
///
/// `states` has the words of each block, then the next ticket; all 0 at first.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        out.len() == x.len(),
        x.len().div_ceil(PART) == grid.x as usize,
        states.len() == WORDS * grid.x as usize + 1,
    ),
    instances(
        scan_sum_u32 = <u32, Sum, 1, 0>,
        scan_sum_i32 = <i32, Sum, 1, 0>,
        scan_sum_u64 = <u64, Sum, 2, 0>,
        scan_sum_i64 = <i64, Sum, 2, 0>,
        scan_smallest_u32 = <u32, Smallest, 1, 0>,
        scan_smallest_i32 = <i32, Smallest, 1, 0>,
        scan_largest_u32 = <u32, Largest, 1, 0>,
        scan_largest_i32 = <i32, Largest, 1, 0>,
        scan_sum_before_u32 = <u32, Sum, 1, 1>,
        scan_sum_before_i32 = <i32, Sum, 1, 1>,
        scan_sum_before_u64 = <u64, Sum, 2, 1>,
        scan_sum_before_i64 = <i64, Sum, 2, 1>,
        scan_smallest_before_u32 = <u32, Smallest, 1, 1>,
        scan_smallest_before_i32 = <i32, Smallest, 1, 1>,
        scan_largest_before_u32 = <u32, Largest, 1, 1>,
        scan_largest_before_i32 = <i32, Largest, 1, 1>,
    )
)]
pub fn scan_parts<T: DeviceLayout, O: Associative<T>, const WORDS: usize, const EXCLUSIVE: usize>(
    block: &mut Block,
    out: &Scatter<T>,
    states: &Atomics<u64>,
    x: &[T],
    totals: &mut Shared<T, THREADS>,
    befores: &mut Shared<T, WARPS>,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    const { assert!(size_of::<T>() == 4 * WORDS, "an element has as many words") };
    // A block that waits for a part waits for a block that has begun.
    let part = block.once(|thread| states.add(thread, states.len().wrapping_sub(1), 1)) as u32;
    let (first, n) = parts::of(x.len(), part, PART as u32);
    let x = View::of(x).part(first, n);
    // A warp has neighbouring rows of 32 elements, and each lane one of each row.
    let position = |thread: Thread, row: u32| {
        (thread.index() / 32 % WARPS as u32 * 32 * ITEMS as u32) | (32 * row) | (thread.index() % 32)
    };
    let mut own = block.per_thread(|thread| {
        let mut own = [O::NEUTRAL; ITEMS];
        if n == PART as u32 {
            unrolled::<ITEMS>(|row| own[row as usize] = x.get(position(thread, row)));
        } else {
            unrolled::<ITEMS>(|row| {
                let at = position(thread, row);
                if at < n {
                    own[row as usize] = x.get(at);
                }
            });
        }
        own
    });
    // All rows of a warp at once, so that their shuffles do not wait for each other.
    block.warps_with(&mut own, |warp, own| {
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
    let totals = totals.write(block, THREADS as u32, &own, |_, own| own[ITEMS - 1]);
    // What comes before each warp's elements. The first threads have it.
    let mut before = block.per_thread(|_| O::NEUTRAL);
    block.warps_with(&mut before, |warp, before| {
        if warp.index() > 0 {
            return;
        }
        let of_warps = warp
            .per_lane(|lane| if lane.index() < WARPS as u32 { totals.get(32 * lane.index() + 31) } else { O::NEUTRAL });
        let all = warp.reduce(&of_warps, O::combine);
        if part > 0 {
            announce::<T, WORDS>(warp, states, part, OWN, all);
        }
        let found = look_back::<T, O, WORDS>(warp, states, part);
        announce::<T, WORDS>(warp, states, part, UP_TO, O::combine(found, all));
        let earlier = warp.exclusive_scan(&of_warps, O::NEUTRAL, O::combine);
        warp.each_with(before, &earlier, |_, before, earlier| *before = O::combine(found, *earlier));
    });
    let befores = befores.write(block, WARPS as u32, &before, |_, before| *before);
    let later = EXCLUSIVE as u32;
    block.each(&mut own, |thread, own| {
        let before = befores.get(thread.index() / 32 % WARPS as u32);
        let mut to = [0; ITEMS];
        unrolled::<ITEMS>(|row| {
            own[row as usize] = O::combine(before, own[row as usize]);
            to[row as usize] = first.wrapping_add(position(thread, row)).wrapping_add(later);
        });
        // The block's elements have as many results, unless the last one would be that of an element behind the end.
        if n == PART as u32 && first.wrapping_add(n).wrapping_add(later) <= out.len() {
            out.put_each(thread, to, *own);
        } else {
            unrolled::<ITEMS>(|row| {
                if position(thread, row) < n && to[row as usize] < out.len() {
                    out.put(thread, to[row as usize], own[row as usize]);
                }
            });
        }
        if later > 0 && part == 0 && thread.index() == 0 {
            out.put(thread, 0, O::NEUTRAL);
        }
    });
}

/// Combines each element with all those before it, by an associative operation: [`Sum`], [`Smallest`] or [`Largest`] of integers.
///
/// # Errors
/// Those of an allocation and of launches; [`LaunchError`](cuda_std::launch::LaunchError) if `out` has another length.
///
/// ```
/// use cuda_algorithms::{Sum, scan};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (x, mut out) = (machine.buffer(&[1u32, 2, 3, 4])?, machine.zeroed(4)?);
/// scan(&machine, Sum, x.view(), out.view_mut())?;
/// assert_eq!(out.download()?, [1, 3, 6, 10]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn scan<T: Scanned<O>, O>(
    machine: &Machine,
    operation: O,
    x: BufferView<'_, T>,
    out: BufferViewMut<'_, T>,
) -> Result<(), CudaError> {
    Scan::new(machine, operation, x.len())?.run(x, out)
}

/// Scans as [`scan`]'s, and those without each element itself, in memory that several of them use one after the other.
///
/// ```
/// use cuda_algorithms::{Scan, Sum};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut scan = Scan::new(&machine, Sum, 4)?;
/// let (x, mut out) = (machine.buffer(&[1u64, 2, 3, 4])?, machine.zeroed(4)?);
/// scan.run_exclusive(x.view(), out.view_mut())?;
/// assert_eq!(out.download()?, [0, 1, 3, 6]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub struct Scan<O> {
    machine: Machine,
    states: Buffer<u64>,
    operation: std::marker::PhantomData<O>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<O> Scan<O> {
    /// Memory for scans of at most `most` elements.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, _operation: O, most: usize) -> Result<Self, CudaError> {
        let states = machine.zeroed(2 * most.div_ceil(PART) + 1)?;
        Ok(Self { machine: machine.clone(), states, operation: std::marker::PhantomData })
    }

    /// Combines each element with all those before it. On a GPU this does not wait.
    ///
    /// # Errors
    /// As [`scan`]; [`CudaError::OutOfBounds`] if there are more elements than this has memory for.
    pub fn run<T: Scanned<O>>(&mut self, x: BufferView<'_, T>, out: BufferViewMut<'_, T>) -> Result<(), CudaError> {
        let (grid, states) = self.begin::<T>(x.len())?;
        T::inclusive(&self.machine, grid, out, self.states.slice_mut(..states)?, x)
    }

    /// Combines all elements before each; the first one gets the neutral element. On a GPU this does not wait.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_exclusive<T: Scanned<O>>(
        &mut self,
        x: BufferView<'_, T>,
        out: BufferViewMut<'_, T>,
    ) -> Result<(), CudaError> {
        let (grid, states) = self.begin::<T>(x.len())?;
        T::exclusive(&self.machine, grid, out, self.states.slice_mut(..states)?, x)
    }

    /// The grid, and the number of states.
    fn begin<T>(&mut self, n: usize) -> Result<(u32, usize), CudaError> {
        let grid = n.div_ceil(PART);
        let states = size_of::<T>() / 4 * grid + 1;
        self.states.slice_mut(..states)?.zero()?;
        Ok((grid as u32, states))
    }
}

/// Elements that can be scanned by an operation.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not scanned by `{O}`",
    note = "`u32`, `i32`, `u64` and `i64` are by `Sum`, the first two by `Smallest` and `Largest`; sums of floats have no order here"
)]
pub trait Scanned<O>: DeviceLayout {
    #[doc(hidden)]
    fn inclusive(
        machine: &Machine,
        grid: u32,
        out: BufferViewMut<'_, Self>,
        states: BufferViewMut<'_, u64>,
        x: BufferView<'_, Self>,
    ) -> Result<(), CudaError>;

    #[doc(hidden)]
    fn exclusive(
        machine: &Machine,
        grid: u32,
        out: BufferViewMut<'_, Self>,
        states: BufferViewMut<'_, u64>,
        x: BufferView<'_, Self>,
    ) -> Result<(), CudaError>;
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! scanned {
    ($($number:ident by $operation:ident: $words:literal,)*) => { $(
        impl Scanned<$operation> for $number {
            fn inclusive(
                machine: &Machine,
                grid: u32,
                mut out: BufferViewMut<'_, $number>,
                mut states: BufferViewMut<'_, u64>,
                x: BufferView<'_, $number>,
            ) -> Result<(), CudaError> {
                let args = scan_parts::Args { out: out.reborrow(), states: states.reborrow(), x };
                scan_parts::launch::<$number, $operation, $words, 0, _>(machine, grid, args)
            }

            fn exclusive(
                machine: &Machine,
                grid: u32,
                mut out: BufferViewMut<'_, $number>,
                mut states: BufferViewMut<'_, u64>,
                x: BufferView<'_, $number>,
            ) -> Result<(), CudaError> {
                let args = scan_parts::Args { out: out.reborrow(), states: states.reborrow(), x };
                scan_parts::launch::<$number, $operation, $words, 1, _>(machine, grid, args)
            }
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
scanned! {
    u32 by Sum: 1,
    i32 by Sum: 1,
    u64 by Sum: 2,
    i64 by Sum: 2,
    u32 by Smallest: 1,
    i32 by Smallest: 1,
    u32 by Largest: 1,
    i32 by Largest: 1,
}
