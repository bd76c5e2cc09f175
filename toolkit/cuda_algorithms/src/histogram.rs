//! Histogram: how often each value occurs.

use crate::parts;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::View;
use cuda_std::prelude::*;
use cuda_std::unrolled;

const THREADS: usize = 512;
/// Elements of a block.
pub const PART: usize = 1 << 16;
/// The most counters that a block keeps in shared memory.
pub const FEW: usize = 8192;

/// An unsigned integer that is counted.
pub trait Bin: DeviceLayout {
    /// Integers in a word of 32 bits.
    const IN_WORD: u32 = (32 / 8 / size_of::<Self>()) as u32;

    /// The index of its counter.
    fn bin(self) -> u32;

    /// That of integer `k` in a word.
    #[inline(always)]
    fn bin_of(word: u32, k: u32) -> u32 {
        let bits = 32 / Self::IN_WORD;
        word >> (k * bits) & (u32::MAX >> (32 - bits))
    }
}

macro_rules! bins {
    ($($number:ident)*) => { $(
        impl Bin for $number {
            #[inline(always)]
            fn bin(self) -> u32 {
                self.into()
            }
        }
    )* };
}

bins!(u8 u16 u32);

/// Calls `f` with those indices of `n` that are a thread's, of which `first` is the first one.
#[inline(always)]
fn each(first: u32, n: u32, f: impl Fn(u32)) {
    let mut at = first;
    while at < n {
        f(at);
        at = at.wrapping_add(THREADS as u32);
    }
}

/// Adds to `counts` how often each value occurs. Each block counts in shared memory first; there are at most `CELLS` counters.
#[kernel(
    threads = THREADS,
    requires(counts.len() <= CELLS, x.len().div_ceil(PART) == grid.x as usize),
    instances(
        count_few_8 = <u8, 256>,
        count_few_16 = <u16, FEW>,
        count_few_32 = <u32, FEW>,
    )
)]
pub fn count_few<T: Bin, const CELLS: usize>(
    block: &mut Block,
    counts: &Atomics<u32>,
    x: &[T],
    own: &mut Shared<u32, CELLS>,
) {
    /// Words that a thread loads before it counts what is in them.
    const AHEAD: usize = 8;
    // Words are loaded where they lie in memory as such; what is left at both ends, one by one.
    let (head, words, tail) = bytemuck::pod_align_to::<T, u32>(x);
    let (index, part) = (block.index(), const { PART as u32 / T::IN_WORD });
    let (first, n) = parts::of(words.len(), index, part);
    let (words, bins) = (View::of(words).part(first, n), counts.len());
    let mut own = own.fill(block, bins, |_| 0);
    own.update_atomic(block, THREADS as u32, |thread, cells, at| {
        let count = |bin: u32| {
            if bin < bins {
                cells.add(thread, bin, 1);
            }
        };
        let count_in = |word: u32| {
            unrolled::<4>(|k| {
                if k < T::IN_WORD {
                    count(T::bin_of(word, k))
                }
            })
        };
        if n == part {
            for turn in 0..part / (AHEAD * THREADS) as u32 {
                let mut some = [0; AHEAD];
                unrolled::<AHEAD>(|k| {
                    let row = (turn * AHEAD as u32) | k;
                    some[k as usize] = words.get((row * THREADS as u32) | (at % THREADS as u32));
                });
                unrolled::<AHEAD>(|k| count_in(some[k as usize]));
            }
        } else {
            each(at, n, |at| count_in(words.get(at)));
        }
        let count_end = |end: &[T]| {
            let (first, n) = parts::of(end.len(), index, PART as u32);
            each(at, n, |at| count(View::of(end).get(first.wrapping_add(at)).bin()));
        };
        count_end(head);
        count_end(tail);
    });
    block.for_each(bins, |thread, bin| {
        let count = own.get(bin);
        if count > 0 {
            counts.add(thread, bin, count);
        }
    });
}

/// Adds to `counts` how often each value occurs, of which there may be many.
#[kernel(
    threads = THREADS,
    requires(x.len().div_ceil(PART) == grid.x as usize),
    instances(count_many_16 = <u16>, count_many_32 = <u32>)
)]
pub fn count_many<T: Bin>(block: &mut Block, counts: &Atomics<u32>, x: &[T]) {
    let (first, n) = parts::of(x.len(), block.index(), PART as u32);
    let x = View::of(x).part(first, n);
    block.for_each(n, |thread, at| {
        let bin = x.get(at).bin();
        if bin < counts.len() {
            counts.add(thread, bin, 1);
        }
    });
}

/// Counts how often each value below `counts.len()` occurs: `counts[v]` is the number of elements that are `v`. Other values are not counted.
/// On a GPU this does not wait.
///
/// # Errors
/// Those of launches.
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (x, mut counts) = (machine.buffer(&[3u32, 0, 3, 9, 3])?, machine.zeroed(5)?);
/// cuda_algorithms::histogram(&machine, x.view(), counts.view_mut())?;
/// assert_eq!(counts.download()?, [1, 0, 0, 3, 0]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn histogram<T: Counted>(
    machine: &Machine,
    x: BufferView<'_, T>,
    mut counts: BufferViewMut<'_, u32>,
) -> Result<(), CudaError> {
    counts.zero()?;
    T::count(machine, x.len().div_ceil(PART) as u32, counts, x)
}

/// What a histogram counts: `u8`, `u16` and `u32`.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Counted: Bin {
    #[doc(hidden)]
    fn count(
        machine: &Machine,
        grid: u32,
        counts: BufferViewMut<'_, u32>,
        x: BufferView<'_, Self>,
    ) -> Result<(), CudaError>;
}

#[cfg(not(target_arch = "nvptx64"))]
impl Counted for u8 {
    fn count(
        machine: &Machine,
        grid: u32,
        counts: BufferViewMut<'_, u32>,
        x: BufferView<'_, u8>,
    ) -> Result<(), CudaError> {
        let of_bytes = counts.len().min(256);
        let mut counts = counts.slice(..of_bytes)?;
        let args = count_few::Args { counts: counts.reborrow(), x };
        count_few::launch::<u8, 256, _>(machine, grid, args)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! counted {
    ($($number:ident)*) => { $(
        impl Counted for $number {
            fn count(
                machine: &Machine,
                grid: u32,
                mut counts: BufferViewMut<'_, u32>,
                x: BufferView<'_, $number>,
            ) -> Result<(), CudaError> {
                if counts.len() <= FEW {
                    let args = count_few::Args { counts: counts.reborrow(), x };
                    count_few::launch::<$number, FEW, _>(machine, grid, args)
                } else {
                    let args = count_many::Args { counts: counts.reborrow(), x };
                    count_many::launch::<$number, _>(machine, grid, args)
                }
            }
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
counted!(u16 u32);
