//! Reduction by key: the values of each run of equal keys combined to one.
//!
//! A scan combines pairs: the number of runs that begin, and the combination of the values since the last one began. Where a run ends, it
//! has the run's number and its result.

use crate::chained::{self, THREADS, WARPS, next_part, position};
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

/// The results: a key and a value for each run.
#[derive(Arguments)]
pub struct Reduced<'a, K: DeviceLayout, T: DeviceLayout> {
    /// The keys.
    pub keys: &'a Scatter<'a, K>,
    /// The combination of their values.
    pub values: &'a Scatter<'a, T>,
}

/// Combines the values of each run of equal keys.
///
/// `states` has the words of each block, then the next ticket; all 0 at first. The first of the last block's has the number of runs.
#[kernel(
    threads = THREADS,
    requires(
        reduced.keys.len() == pairs.keys.len(),
        reduced.values.len() == pairs.keys.len(),
        pairs.values.len() == pairs.keys.len(),
        pairs.keys.len().div_ceil(THREADS * ITEMS) == grid.x as usize,
        states.len() == WORDS * grid.x as usize + 1,
    ),
    instances(
        sums_u32_by_4 = <u32, u32, Sum, 2, 16>,
        sums_u64_by_4 = <u32, u64, Sum, 4, 8>,
        smallest_u32_by_4 = <u32, u32, Smallest, 2, 16>,
        smallest_i32_by_4 = <u32, i32, Smallest, 2, 16>,
        largest_u32_by_4 = <u32, u32, Largest, 2, 16>,
        largest_i32_by_4 = <u32, i32, Largest, 2, 16>,
        sums_u32_by_8 = <u64, u32, Sum, 2, 16>,
        sums_u64_by_8 = <u64, u64, Sum, 4, 8>,
        smallest_u32_by_8 = <u64, u32, Smallest, 2, 16>,
        smallest_i32_by_8 = <u64, i32, Smallest, 2, 16>,
        largest_u32_by_8 = <u64, u32, Largest, 2, 16>,
        largest_i32_by_8 = <u64, i32, Largest, 2, 16>,
    )
)]
pub fn reduce_by_key_parts<
    K: DeviceLayout + PartialEq,
    T: Number,
    O: Associative<T>,
    const WORDS: usize,
    const ITEMS: usize,
>(
    block: &mut Block,
    reduced: Reduced<'_, K, T>,
    states: &Atomics<u64>,
    pairs: Pairs<'_, K, T>,
    totals: &mut Shared<[T; 2], THREADS>,
    befores: &mut Shared<[T; 2], WARPS>,
) where
    [u32; WORDS]: bytemuck::Pod,
{
    let part = next_part(block, states);
    let (first, n) = parts::of(pairs.keys.len(), part, (THREADS * ITEMS) as u32);
    let (keys, values) = (View::of(pairs.keys).clamped(), View::of(pairs.values).part(first, n).clamped());
    let mut own = block.per_thread(|thread| {
        let mut own = [ByKey::<O>::NEUTRAL; ITEMS];
        unrolled::<ITEMS>(|row| {
            let at = position::<ITEMS>(thread, row);
            let i = first.wrapping_add(at);
            let begins = (i == 0) | (keys.get(i) != keys.get(i.saturating_sub(1)));
            let value = values.get(at);
            if at < n {
                own[row as usize] = [T::of_count(u32::from(begins)), value];
            }
        });
        own
    });
    chained::scan::<[T; 2], ByKey<O>, WORDS, ITEMS>(block, &mut own, states, part, totals, befores);
    block.each(&mut own, |thread, own| {
        unrolled::<ITEMS>(|row| {
            let at = position::<ITEMS>(thread, row);
            let i = first.wrapping_add(at);
            let ends = (i.wrapping_add(1) == pairs.keys.len() as u32) | (keys.get(i) != keys.get(i.wrapping_add(1)));
            if (at < n) & ends {
                let [runs, value] = own[row as usize];
                let run = runs.count().wrapping_sub(1);
                reduced.keys.put(thread, run, keys.get(i));
                reduced.values.put(thread, run, value);
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
        // Two words for each 16 elements of a thread, or four for 8.
        let states = States::new(machine, 4 * most.div_ceil(THREADS * 8))?;
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
        self.states.launch(keys.len().div_ceil(THREADS * 32 / words), words, |machine, grid, states| {
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
    ($($key:ident, $number:ident as $word:ident by $operation:ident: $words:literal, $items:literal;)*) => { $(
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
                reduce_by_key_parts::launch::<$key, $word, $operation, $words, $items, _>(machine, grid, args)
            }
        }
    )* };
}

// Sums of signed and of unsigned numbers have the same bits.
#[cfg(not(target_arch = "nvptx64"))]
runs_of! {
    u32, u32 as u32 by Sum: 2, 16;
    u32, i32 as u32 by Sum: 2, 16;
    u32, u64 as u64 by Sum: 4, 8;
    u32, i64 as u64 by Sum: 4, 8;
    u32, u32 as u32 by Smallest: 2, 16;
    u32, i32 as i32 by Smallest: 2, 16;
    u32, u32 as u32 by Largest: 2, 16;
    u32, i32 as i32 by Largest: 2, 16;
    u64, u32 as u32 by Sum: 2, 16;
    u64, i32 as u32 by Sum: 2, 16;
    u64, u64 as u64 by Sum: 4, 8;
    u64, i64 as u64 by Sum: 4, 8;
    u64, u32 as u32 by Smallest: 2, 16;
    u64, i32 as i32 by Smallest: 2, 16;
    u64, u32 as u32 by Largest: 2, 16;
    u64, i32 as i32 by Largest: 2, 16;
}
