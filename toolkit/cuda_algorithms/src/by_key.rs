//! Reduction by key: the values of each run of equal keys combined to one.
//!
//! A warp combines the values of each run in rows of 32, and then in all of its rows. What it has at the end is a pair: the number of runs
//! that began, and the combination of the values since the last one did. Pairs are combined over warps and blocks as a scan's elements.

use crate::chained::{self, Before, THREADS, next_part, position, turn};
#[cfg(not(target_arch = "nvptx64"))]
use crate::chained::{Count, States};
use crate::operation::{Associative, Largest, Operation, Smallest, Sum};
use crate::parts;
use crate::sort::Pairs;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sort::{PairsArgs, SortKey};
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{View, unrolled};

/// Numbers that also count runs.
pub trait Number: DeviceLayout {
    /// 0.
    const NONE: Self;

    /// The sum of two counts.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// A count, which is below 2^32.
    fn count(self) -> u32;

    /// The number of a count.
    fn of_count(count: u32) -> Self;
}

macro_rules! numbers {
    ($($number:ident)*) => { $(
        impl Number for $number {
            const NONE: $number = 0;

            #[inline(always)]
            fn plus(self, other: $number) -> $number {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn of_count(count: u32) -> $number {
                count as $number
            }
        }
    )* };
}

numbers!(u32 i32 u64 i64);

/// Combines `[runs, value]`: a value belongs to the last run that begins, or to an earlier one if none does.
#[derive(Clone, Copy, Debug)]
pub struct ByKey<O>(O);

impl<T: Number, O: Operation<T>> Operation<[T; 2]> for ByKey<O> {
    const NEUTRAL: [T; 2] = [T::NONE, O::NEUTRAL];

    #[inline(always)]
    fn combine([earlier, a]: [T; 2], [later, b]: [T; 2]) -> [T; 2] {
        [earlier.plus(later), if later.count() > 0 { b } else { O::combine(a, b) }]
    }
}

impl<T: Number, O: Associative<T>> Associative<[T; 2]> for ByKey<O> {}

/// A thread's elements.
struct Own<K, T, const ITEMS: usize> {
    keys: [K; ITEMS],
    values: [T; ITEMS],
    /// Which of them begin a run, as bits.
    begins: u32,
    /// Which of them end a run.
    ends: u32,
    /// The number of runs that begin in its warp, up to each element and with it.
    runs: [u32; ITEMS],
    /// How many elements before each one, of those in its row, belong to its run.
    reach: [u32; ITEMS],
    /// The runs of its warp, and the values of the last one.
    total: [T; 2],
    /// Where each element goes.
    to: [u32; ITEMS],
}

impl<K: DeviceLayout + PartialEq, T: Number, const ITEMS: usize> Own<K, T, ITEMS> {
    /// The elements at a thread's positions: `element` gives the key and the value of one, and whether a run begins and ends there.
    #[inline(always)]
    fn load(thread: Thread, element: impl Fn(u32) -> (K, T, [bool; 2])) -> Self {
        let mut own = Self {
            keys: [K::zeroed(); ITEMS],
            values: [T::NONE; ITEMS],
            begins: 0,
            ends: 0,
            runs: [0; ITEMS],
            reach: [0; ITEMS],
            total: [T::NONE; 2],
            to: [0; ITEMS],
        };
        unrolled::<ITEMS>(|row| {
            let (key, value, [begins, ends]) = element(position::<ITEMS>(thread, row));
            own.keys[row as usize] = key;
            own.values[row as usize] = value;
            own.begins |= u32::from(begins) << row;
            own.ends |= u32::from(ends) << row;
        });
        own
    }

    /// Counts the runs of a warp and combines their values.
    #[inline(always)]
    fn combine<O: Associative<T>>(warp: &mut Warp, own: &mut PerLane<Self>) {
        let up_to = |lane: Lane| u32::MAX.wrapping_shr(31 - lane.index());
        let begins: [u32; ITEMS] = warp.ballots(&*own, |_, own, row| own.begins >> row & 1 == 1);
        let mut runs = 0u32;
        unrolled::<ITEMS>(|row| {
            let votes = begins[row as usize];
            warp.each(own, |lane, own| {
                let votes = votes & up_to(lane);
                own.runs[row as usize] = runs.wrapping_add(votes.count_ones());
                own.reach[row as usize] = lane.index().wrapping_sub(31 - (votes | 1).leading_zeros());
            });
            runs = runs.wrapping_add(votes.count_ones());
        });
        unrolled::<5>(|step| {
            let values = warp.map(&*own, |_, own| own.values);
            let earlier = warp.shuffle_up(&values, 1 << step);
            warp.each_with(own, &earlier, |_, own, earlier| {
                unrolled::<ITEMS>(|row| {
                    if own.reach[row as usize] >= 1 << step {
                        own.values[row as usize] = O::combine(earlier[row as usize], own.values[row as usize]);
                    }
                });
            });
        });
        let values = warp.map(&*own, |_, own| own.values);
        let (of_rows, mut earlier) = (warp.broadcast(&values, 31), O::NEUTRAL);
        unrolled::<ITEMS>(|row| {
            let (begins, of_row) = (begins[row as usize], of_rows[row as usize]);
            warp.each(own, |lane, own| {
                if begins & up_to(lane) == 0 {
                    own.values[row as usize] = O::combine(earlier, own.values[row as usize]);
                }
            });
            earlier = if begins == 0 { O::combine(earlier, of_row) } else { of_row };
        });
        warp.each(own, |_, own| own.total = [T::of_count(runs), earlier]);
    }
}

/// The results: a key and a value for each run.
#[derive(Arguments)]
pub struct Reduced<'a, K: DeviceLayout, T: DeviceLayout> {
    /// The keys.
    pub keys: &'a Scatter<'a, K>,
    /// The combination of their values.
    pub values: &'a Scatter<'a, T>,
}

/// Elements of a block for values of `words` words.
const fn part(words: usize) -> usize {
    THREADS * 16 / words
}

/// Combines the values of each run of equal keys.
///
/// `states` has the words of each block, then the next ticket; all 0 at first. The first of the last block's has the number of runs.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        reduced.keys.len() == pairs.keys.len(),
        reduced.values.len() == pairs.keys.len(),
        pairs.values.len() == pairs.keys.len(),
        pairs.keys.len().div_ceil(PART) == grid.x as usize,
        states.len() == WORDS * grid.x as usize + 1,
    ),
    instances(
        sums_u32_by_4 = <u32, u32, Sum, 2, 8, 2048>,
        sums_u64_by_4 = <u32, u64, Sum, 4, 4, 1024>,
        smallest_u32_by_4 = <u32, u32, Smallest, 2, 8, 2048>,
        smallest_i32_by_4 = <u32, i32, Smallest, 2, 8, 2048>,
        largest_u32_by_4 = <u32, u32, Largest, 2, 8, 2048>,
        largest_i32_by_4 = <u32, i32, Largest, 2, 8, 2048>,
        sums_u32_by_8 = <u64, u32, Sum, 2, 8, 2048>,
        sums_u64_by_8 = <u64, u64, Sum, 4, 4, 1024>,
        smallest_u32_by_8 = <u64, u32, Smallest, 2, 8, 2048>,
        smallest_i32_by_8 = <u64, i32, Smallest, 2, 8, 2048>,
        largest_u32_by_8 = <u64, u32, Largest, 2, 8, 2048>,
        largest_i32_by_8 = <u64, i32, Largest, 2, 8, 2048>,
    )
)]
pub fn reduce_by_key_parts<
    K: DeviceLayout + PartialEq,
    T: Number,
    O: Associative<T>,
    const WORDS: usize,
    const ITEMS: usize,
    const PART: usize,
>(
    block: &mut Block,
    reduced: Reduced<'_, K, T>,
    states: &Atomics<u64>,
    pairs: Pairs<'_, K, T>,
    totals: &mut Shared<[T; 2], THREADS>,
    found: &mut Shared<[T; 2], 1>,
    firsts: &mut Shared<K, PART>,
    results: &mut Shared<T, PART>,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    const { assert!(PART == THREADS * ITEMS && PART == self::part(WORDS), "shared memory has room for a part") };
    let part = next_part(block, states);
    let len = pairs.keys.len() as u32;
    let (first, n) = parts::of(pairs.keys.len(), part, PART as u32);
    let (keys, values) = (View::of(pairs.keys), View::of(pairs.values).part(first, n));
    let mut own = block.per_thread(|thread| {
        if n == PART as u32 && first > 0 && len - first > PART as u32 {
            let keys = keys.part(first - 1, PART as u32 + 2);
            Own::<K, T, ITEMS>::load(thread, |at| {
                let [before, key, behind] = [0, 1, 2].map(|k| keys.get(at + k));
                (key, values.get(at), [key != before, key != behind])
            })
        } else {
            let (keys, values) = (keys.clamped(), values.clamped());
            Own::load(thread, |at| {
                let i = first.wrapping_add(at);
                let [before, key, behind] = [i.saturating_sub(1), i, i.wrapping_add(1)].map(|i| keys.get(i));
                let begins = at < n && (i == 0 || key != before);
                let ends = at < n && (i.wrapping_add(1) == len || key != behind);
                (key, values.get(at), [begins, ends])
            })
        }
    });
    // Whether runs begin with the part and end with it.
    let (ends, keys) = (first.wrapping_add(n), keys.clamped());
    let begins = u32::from(first == 0 || keys.get(first) != keys.get(first.wrapping_sub(1)));
    let ends = u32::from(ends == len || keys.get(ends) != keys.get(ends.wrapping_sub(1)));

    block.warps_with(&mut own, Own::combine::<O>);
    let totals = totals.write(block, THREADS as u32, &own, |_, own| own.total);
    let mut before = chained::in_part::<[T; 2], ByKey<O>, WORDS>(block, states, part, &totals);
    let begun = |before: &Before<[T; 2]>| before.block[0].count();
    let ended = |before: &Before<[T; 2]>| begun(before).wrapping_sub(begins).wrapping_add(ends);
    block.each_with(&mut own, &before, |thread, own, before| {
        unrolled::<ITEMS>(|row| {
            let (at, row) = (position::<ITEMS>(thread, row), row as usize);
            if own.runs[row] == 0 {
                own.values[row] = O::combine(before.warp[1], own.values[row]);
            }
            own.runs[row] = own.runs[row].wrapping_add(before.warp[0].count());
            let runs = own.runs[row];
            // The others lie behind those that begin a run.
            let others = begun(before).wrapping_add(at.wrapping_sub(runs));
            own.to[row] = if own.begins >> row & 1 == 1 { runs.wrapping_sub(1) } else { others };
        });
    });
    let firsts = firsts.scatter(block, PART as u32, &own, |thread, own, slots| {
        unrolled::<ITEMS>(|row| slots.put(thread, own.to[row as usize] % PART as u32, own.keys[row as usize]));
    });
    block.each_with(&mut own, &before, |thread, own, before| {
        unrolled::<ITEMS>(|row| {
            let (at, row) = (position::<ITEMS>(thread, row), row as usize);
            // The runs that end before an element are those that have begun, without its own.
            let earlier = own.runs[row].wrapping_sub(begins);
            let others = ended(before).wrapping_add(at.wrapping_sub(earlier));
            let to = if own.ends >> row & 1 == 1 { earlier } else { others };
            own.to[row] = if at < n { to } else { at };
        });
    });
    let results = results.scatter(block, PART as u32, &own, |thread, own, slots| {
        unrolled::<ITEMS>(|row| slots.put(thread, own.to[row as usize] % PART as u32, own.values[row as usize]));
    });
    let earlier = chained::earlier_parts::<[T; 2], ByKey<O>, WORDS>(block, states, part, &mut before, found);
    let runs = earlier[0].count();
    block.each(&mut before, |thread, before| {
        unrolled::<ITEMS>(|k| {
            let i = turn(thread, k);
            if i < begun(before) {
                reduced.keys.put(thread, runs.wrapping_add(i), firsts.get(i));
            }
            if i < ended(before) {
                let value = results.get(i);
                // The first one may have begun in an earlier part.
                let value = if i == 0 && begins == 0 { O::combine(earlier[1], value) } else { value };
                reduced.values.put(thread, runs.wrapping_add(begins).wrapping_sub(1).wrapping_add(i), value);
            }
        });
    });
}

/// Combines the values of each run of equal keys by an associative operation, writes a key and a value for each run, and returns their number.
/// Of sorted keys these are all that differ. The elements of `out` behind them keep their values. Waits for the number.
///
/// Operations: [`Sum`] of integers of 32 and 64 bits, [`Smallest`] and [`Largest`] of 32. Keys have 32 or 64 bits; floats are equal if their
/// bits are.
///
/// # Errors
/// Those of an allocation, of launches and of a copy to the host; [`LaunchError`](cuda_std::launch::LaunchError) if the buffers' lengths differ.
///
/// ```
/// use cuda_algorithms::{Sum, reduce_by_key};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (keys, values) = (machine.buffer(&[2u32, 2, 7, 7, 7, 9])?, machine.buffer(&[1i32, 1, 10, 10, 10, 5])?);
/// let (mut of_runs, mut sums) = (machine.zeroed(6)?, machine.zeroed(6)?);
/// let out = (of_runs.view_mut(), sums.view_mut());
/// let n = reduce_by_key(&machine, Sum, (keys.view(), values.view()), out)?;
/// assert_eq!((&of_runs.download()?[..n], &sums.download()?[..n]), (&[2, 7, 9][..], &[2, 30, 5][..]));
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn reduce_by_key<K: SortKey, T: DeviceLayout, O>(
    machine: &Machine,
    operation: O,
    pairs: (BufferView<'_, K>, BufferView<'_, T>),
    out: (BufferViewMut<'_, K>, BufferViewMut<'_, T>),
) -> Result<usize, CudaError>
where
    K::Word: RunsOf<T, O>,
{
    ReduceByKey::new(machine, operation, pairs.0.len())?.run(pairs, out)?.get()
}

/// Reductions as [`reduce_by_key`]'s, in memory that several of them use one after the other.
///
/// ```
/// use cuda_algorithms::{Largest, ReduceByKey};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut largest = ReduceByKey::new(&machine, Largest, 100)?;
/// let (keys, values) = (machine.buffer(&[1.5f64, 1.5, 0.5])?, machine.buffer(&[3u32, 8, 4])?);
/// let (mut of_runs, mut found) = (machine.zeroed(3)?, machine.zeroed(3)?);
/// let out = (of_runs.view_mut(), found.view_mut());
/// let n = largest.run((keys.view(), values.view()), out)?.get()?;
/// assert_eq!(found.download()?[..n], [8, 4]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub struct ReduceByKey<O> {
    states: States,
    operation: std::marker::PhantomData<O>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<O> ReduceByKey<O> {
    /// Memory for reductions of at most `most` values.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, _operation: O, most: usize) -> Result<Self, CudaError> {
        // Values of 64 bits have the smallest parts, of four words.
        let states = States::new(machine, 4 * most.div_ceil(part(4)))?;
        Ok(Self { states, operation: std::marker::PhantomData })
    }

    /// As [`reduce_by_key`], but on a GPU this does not wait.
    ///
    /// # Errors
    /// As there; [`CudaError::OutOfBounds`] if there are more values than this has memory for.
    pub fn run<K: SortKey, T: DeviceLayout>(
        &mut self,
        (keys, values): (BufferView<'_, K>, BufferView<'_, T>),
        (of_runs, results): (BufferViewMut<'_, K>, BufferViewMut<'_, T>),
    ) -> Result<Count<'_>, CudaError>
    where
        K::Word: RunsOf<T, O>,
    {
        let words = size_of::<[T; 2]>() / 4;
        self.states.launch(keys.len().div_ceil(part(words)), words, |machine, grid, states| {
            K::Word::reduce(machine, grid, (of_runs.cast(), results), states, (keys.cast(), values))
        })
    }
}

/// Words of keys for whose runs values are combined by an operation.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "values of `{T}` are not reduced by key by `{O}`",
    note = "`u32`, `i32`, `u64` and `i64` are by `Sum`, the first two by `Smallest` and `Largest`; keys have 32 or 64 bits"
)]
pub trait RunsOf<T: DeviceLayout, O>: DeviceLayout {
    #[doc(hidden)]
    fn reduce(
        machine: &Machine,
        grid: u32,
        out: (BufferViewMut<'_, Self>, BufferViewMut<'_, T>),
        states: BufferViewMut<'_, u64>,
        pairs: (BufferView<'_, Self>, BufferView<'_, T>),
    ) -> Result<(), CudaError>;
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! runs_of {
    ($($key:ident, $number:ident as $word:ident by $operation:ident: $words:literal;)*) => { $(
        impl RunsOf<$number, $operation> for $key {
            fn reduce(
                machine: &Machine,
                grid: u32,
                (keys, values): (BufferViewMut<'_, $key>, BufferViewMut<'_, $number>),
                mut states: BufferViewMut<'_, u64>,
                pairs: (BufferView<'_, $key>, BufferView<'_, $number>),
            ) -> Result<(), CudaError> {
                let (mut keys, mut values) = (keys, values.cast::<$word>());
                let args = reduce_by_key_parts::Args {
                    reduced: ReducedArgs { keys: keys.reborrow(), values: values.reborrow() },
                    states: states.reborrow(),
                    pairs: PairsArgs { keys: pairs.0, values: pairs.1.cast::<$word>() },
                };
                reduce_by_key_parts::launch::<$key, $word, $operation, $words, { part($words) / THREADS }, { part($words) }, _>(machine, grid, args)
            }
        }
    )* };
}

// Sums of signed and of unsigned numbers have the same bits.
#[cfg(not(target_arch = "nvptx64"))]
runs_of! {
    u32, u32 as u32 by Sum: 2;
    u32, i32 as u32 by Sum: 2;
    u32, u64 as u64 by Sum: 4;
    u32, i64 as u64 by Sum: 4;
    u32, u32 as u32 by Smallest: 2;
    u32, i32 as i32 by Smallest: 2;
    u32, u32 as u32 by Largest: 2;
    u32, i32 as i32 by Largest: 2;
    u64, u32 as u32 by Sum: 2;
    u64, i32 as u32 by Sum: 2;
    u64, u64 as u64 by Sum: 4;
    u64, i64 as u64 by Sum: 4;
    u64, u32 as u32 by Smallest: 2;
    u64, i32 as i32 by Smallest: 2;
    u64, u32 as u32 by Largest: 2;
    u64, i32 as i32 by Largest: 2;
}
