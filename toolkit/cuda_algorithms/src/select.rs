//! Selection: some elements of an array, in their order, without the others between them.
//!
//! Votes of warps and a scan count the elements that are kept before each one: its index in the output.

use crate::chained::{self, THREADS, next_part, position, turn};
#[cfg(not(target_arch = "nvptx64"))]
use crate::chained::{Count, States};
use crate::operation::Sum;
use crate::parts;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sort::{SortKey, SortValue};
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{View, unrolled};

/// Elements of a block whose threads have `items` each.
const fn part(items: usize) -> usize {
    THREADS * items
}

/// A thread's elements.
struct Own<T, const ITEMS: usize> {
    items: [T; ITEMS],
    /// Which of them are kept, as bits.
    kept: u32,
    /// The number of elements of its warp, later of its block, that are kept before each.
    before: [u32; ITEMS],
    /// The number of elements of its warp that are kept.
    total: u32,
}

impl<T: DeviceLayout, const ITEMS: usize> Own<T, ITEMS> {
    /// The elements at a thread's positions: `item` gives one, and whether it is kept.
    #[inline(always)]
    fn load(thread: Thread, item: impl Fn(u32) -> (T, bool)) -> Self {
        let mut own = Self { items: [T::zeroed(); ITEMS], kept: 0, before: [0; ITEMS], total: 0 };
        unrolled::<ITEMS>(|row| {
            let (item, is_kept) = item(position::<ITEMS>(thread, row));
            own.items[row as usize] = item;
            own.kept |= u32::from(is_kept) << row;
        });
        own
    }

    /// Whether element `row` is kept.
    #[inline(always)]
    fn is_kept(&self, row: u32) -> bool {
        self.kept >> row & 1 == 1
    }

    /// Counts the elements of a warp that are kept.
    #[inline(always)]
    fn count(warp: &mut Warp, own: &mut PerLane<Self>) {
        let votes: [u32; ITEMS] = warp.ballots(&*own, |_, own, row| own.is_kept(row));
        let mut total = 0u32;
        unrolled::<ITEMS>(|row| {
            let votes = votes[row as usize];
            warp.each(own, |lane, own| {
                let below = u32::MAX.wrapping_shr(31 - lane.index()) >> 1;
                own.before[row as usize] = total.wrapping_add((votes & below).count_ones());
            });
            total = total.wrapping_add(votes.count_ones());
        });
        warp.each(own, |_, own| own.total = total);
    }
}

/// Writes the elements that are kept, behind those of earlier parts.
///
/// They lie side by side in shared memory first, so that neighbouring threads write neighbouring elements. The others lie behind them.
#[inline(always)]
fn put<T: DeviceLayout, const ITEMS: usize, const PART: usize>(
    block: &mut Block,
    mut own: PerThread<Own<T, ITEMS>>,
    out: &Scatter<T>,
    (states, part): (&Atomics<u64>, u32),
    totals: &mut Shared<u32, THREADS>,
    found: &mut Shared<u32, 1>,
    side_by_side: &mut Shared<T, PART>,
) {
    const { assert!(PART == self::part(ITEMS), "shared memory has room for a part") };
    block.warps_with(&mut own, Own::count);
    let totals = totals.write(block, THREADS as u32, &own, |_, own| own.total);
    let mut before = chained::in_part::<u32, Sum, 1>(block, states, part, &totals);
    block.each_with(&mut own, &before, |thread, own, before| {
        unrolled::<ITEMS>(|row| {
            let kept = before.warp.wrapping_add(own.before[row as usize]);
            let others = position::<ITEMS>(thread, row).wrapping_sub(kept);
            own.before[row as usize] = if own.is_kept(row) { kept } else { before.block.wrapping_add(others) };
        });
    });
    let side_by_side = side_by_side.scatter(block, PART as u32, &own, |thread, own, slots| {
        unrolled::<ITEMS>(|row| slots.put(thread, own.before[row as usize] % PART as u32, own.items[row as usize]));
    });
    let earlier = chained::earlier_parts::<u32, Sum, 1>(block, states, part, &mut before, found);
    block.each(&mut before, |thread, before| {
        unrolled::<ITEMS>(|k| {
            let i = turn(thread, k);
            if i < before.block {
                out.put(thread, earlier.wrapping_add(i), side_by_side.get(i));
            }
        });
    });
}

/// Writes the elements whose flag is not 0.
///
/// `states` has a word of each block, then the next ticket; all 0 at first. That of the last block has the number of elements.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        out.len() == x.len(),
        flags.len() == x.len(),
        x.len().div_ceil(PART) == grid.x as usize,
        states.len() == grid.x as usize + 1,
    ),
    instances(select_4 = <u32, 16, 4096>, select_8 = <u64, 8, 2048>, select_16 = <[u64; 2], 4, 1024>)
)]
pub fn select_parts<T: DeviceLayout, const ITEMS: usize, const PART: usize>(
    block: &mut Block,
    out: &Scatter<T>,
    states: &Atomics<u64>,
    x: &[T],
    flags: &[u8],
    totals: &mut Shared<u32, THREADS>,
    found: &mut Shared<u32, 1>,
    side_by_side: &mut Shared<T, PART>,
) {
    let part = next_part(block, states);
    let (first, n) = parts::of(x.len(), part, PART as u32);
    let (x, flags) = (View::of(x).part(first, n), View::of(flags).part(first, n));
    let own = block.per_thread(|thread| {
        if n == PART as u32 {
            Own::load(thread, |at| (x.get(at), flags.get(at) != 0))
        } else {
            let (x, flags) = (x.clamped(), flags.clamped());
            Own::load(thread, |at| (x.get(at), at < n && flags.get(at) != 0))
        }
    });
    put::<T, ITEMS, PART>(block, own, out, (states, part), totals, found, side_by_side);
}

/// What is written of the first element of a run: the element, or, with 1, its index.
pub trait Written<T, const INDEX: usize>: DeviceLayout {
    /// That of element `i`.
    fn of(element: T, i: u32) -> Self;
}

impl<T: DeviceLayout> Written<T, 0> for T {
    #[inline(always)]
    fn of(element: T, _: u32) -> T {
        element
    }
}

impl<T: DeviceLayout> Written<T, 1> for u32 {
    #[inline(always)]
    fn of(_: T, i: u32) -> u32 {
        i
    }
}

/// Writes the first element of each run of equal elements, or its index.
///
/// `states` as for [`select_parts()`].
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        out.len() == x.len(),
        x.len().div_ceil(PART) == grid.x as usize,
        states.len() == grid.x as usize + 1,
    ),
    instances(
        unique_1 = <u8, u8, 0, 16, 4096>,
        unique_2 = <u16, u16, 0, 16, 4096>,
        unique_4 = <u32, u32, 0, 16, 4096>,
        unique_8 = <u64, u64, 0, 8, 2048>,
        runs_1 = <u8, u32, 1, 16, 4096>,
        runs_2 = <u16, u32, 1, 16, 4096>,
        runs_4 = <u32, u32, 1, 16, 4096>,
        runs_8 = <u64, u32, 1, 8, 2048>,
    )
)]
pub fn unique_parts<
    T: DeviceLayout + PartialEq,
    W: Written<T, INDEX>,
    const INDEX: usize,
    const ITEMS: usize,
    const PART: usize,
>(
    block: &mut Block,
    out: &Scatter<W>,
    states: &Atomics<u64>,
    x: &[T],
    totals: &mut Shared<u32, THREADS>,
    found: &mut Shared<u32, 1>,
    side_by_side: &mut Shared<W, PART>,
) {
    let part = next_part(block, states);
    let (first, n) = parts::of(x.len(), part, PART as u32);
    let x = View::of(x);
    let own = block.per_thread(|thread| {
        if n == PART as u32 && first > 0 {
            let x = x.part(first - 1, PART as u32 + 1);
            Own::load(thread, |at| {
                let (item, earlier) = (x.get(at + 1), x.get(at));
                (W::of(item, first.wrapping_add(at)), item != earlier)
            })
        } else {
            let x = x.clamped();
            Own::load(thread, |at| {
                let i = first.wrapping_add(at);
                let (item, earlier) = (x.get(i), x.get(i.saturating_sub(1)));
                (W::of(item, i), at < n && (i == 0 || item != earlier))
            })
        }
    });
    put::<W, ITEMS, PART>(block, own, out, (states, part), totals, found, side_by_side);
}

/// Writes the elements whose flag is not 0 to `out`, in their order, and returns their number. The elements of `out` behind them keep their
/// values. Waits for the number.
///
/// # Errors
/// Those of an allocation, of launches and of a copy to the host; [`LaunchError`](cuda_std::launch::LaunchError) if `flags` or `out` has
/// another length than `x`.
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (x, flags) = (machine.buffer(&[1.5f32, 2.5, 3.5, 4.5])?, machine.buffer(&[1u8, 0, 0, 1])?);
/// let mut out = machine.zeroed(4)?;
/// let n = cuda_algorithms::select(&machine, x.view(), flags.view(), out.view_mut())?;
/// assert_eq!(out.download()?[..n], [1.5, 4.5]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn select<T: SortValue>(
    machine: &Machine,
    x: BufferView<'_, T>,
    flags: BufferView<'_, u8>,
    out: BufferViewMut<'_, T>,
) -> Result<usize, CudaError>
where
    T::Word: Selected,
{
    Select::new(machine, x.len())?.select(x, flags, out)?.get()
}

/// Writes the first element of each run of equal elements to `out`, and returns their number, as [`select()`] does. Of sorted elements these are
/// all that differ. Floats are equal if their bits are.
///
/// # Errors
/// As [`select()`].
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (x, mut out) = (machine.buffer(&[5i32, 5, -1, -1, -1, 5])?, machine.zeroed(6)?);
/// let n = cuda_algorithms::unique(&machine, x.view(), out.view_mut())?;
/// assert_eq!(out.download()?[..n], [5, -1, 5]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn unique<T: SortKey>(
    machine: &Machine,
    x: BufferView<'_, T>,
    out: BufferViewMut<'_, T>,
) -> Result<usize, CudaError>
where
    T::Word: InRuns,
{
    Select::new(machine, x.len())?.unique(x, out)?.get()
}

/// Writes where each run of equal elements begins to `out`, and returns the number of runs, as [`unique`] does.
///
/// # Errors
/// As [`select()`].
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let (x, mut begins) = (machine.buffer(&[5u8, 5, 1, 1, 1, 5])?, machine.zeroed(6)?);
/// let n = cuda_algorithms::runs(&machine, x.view(), begins.view_mut())?;
/// assert_eq!(begins.download()?[..n], [0, 2, 5]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn runs<T: SortKey>(
    machine: &Machine,
    x: BufferView<'_, T>,
    begins: BufferViewMut<'_, u32>,
) -> Result<usize, CudaError>
where
    T::Word: InRuns,
{
    Select::new(machine, x.len())?.runs(x, begins)?.get()
}

/// Selections in memory that several of them use one after the other.
///
/// ```
/// use cuda_algorithms::Select;
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut select = Select::new(&machine, 1000)?;
/// let (x, mut out) = (machine.buffer(&[7u64, 7, 9])?, machine.zeroed(3)?);
/// select.unique(x.view(), out.view_mut())?; // does not wait for a GPU
/// let n = select.select(x.view(), machine.buffer(&[0, 1, 1])?.view(), out.view_mut())?.get()?;
/// assert_eq!(out.download()?[..n], [7, 9]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub struct Select(States);

#[cfg(not(target_arch = "nvptx64"))]
impl Select {
    /// Memory for selections among at most `most` elements.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, most: usize) -> Result<Self, CudaError> {
        // Elements of 16 bytes have the smallest parts.
        Ok(Self(States::new(machine, most.div_ceil(part(<[u64; 2]>::ITEMS)))?))
    }

    /// As [`select()`], but on a GPU this does not wait.
    ///
    /// # Errors
    /// As there; [`CudaError::OutOfBounds`] if there are more elements than this has memory for.
    pub fn select<T: SortValue>(
        &mut self,
        x: BufferView<'_, T>,
        flags: BufferView<'_, u8>,
        out: BufferViewMut<'_, T>,
    ) -> Result<Count<'_>, CudaError>
    where
        T::Word: Selected,
    {
        self.0.launch(x.len().div_ceil(part(T::Word::ITEMS)), 1, |machine, grid, states| {
            T::Word::select(machine, grid, out.cast(), states, x.cast(), flags)
        })
    }

    /// As [`unique`], without waiting.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn unique<T: SortKey>(
        &mut self,
        x: BufferView<'_, T>,
        out: BufferViewMut<'_, T>,
    ) -> Result<Count<'_>, CudaError>
    where
        T::Word: InRuns,
    {
        self.0.launch(x.len().div_ceil(part(T::Word::ITEMS)), 1, |machine, grid, states| {
            T::Word::firsts(machine, grid, out.cast(), states, x.cast())
        })
    }

    /// As [`runs`], without waiting.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn runs<T: SortKey>(
        &mut self,
        x: BufferView<'_, T>,
        begins: BufferViewMut<'_, u32>,
    ) -> Result<Count<'_>, CudaError>
    where
        T::Word: InRuns,
    {
        self.0.launch(x.len().div_ceil(part(T::Word::ITEMS)), 1, |machine, grid, states| {
            T::Word::begins(machine, grid, begins, states, x.cast())
        })
    }
}

/// Words that can be selected: `u32`, `u64` and `[u64; 2]`.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Selected: DeviceLayout {
    #[doc(hidden)]
    const ITEMS: usize;

    #[doc(hidden)]
    fn select(
        machine: &Machine,
        grid: u32,
        out: BufferViewMut<'_, Self>,
        states: BufferViewMut<'_, u64>,
        x: BufferView<'_, Self>,
        flags: BufferView<'_, u8>,
    ) -> Result<(), CudaError>;
}

/// Words of which runs are found: unsigned integers.
#[cfg(not(target_arch = "nvptx64"))]
pub trait InRuns: DeviceLayout {
    #[doc(hidden)]
    const ITEMS: usize;

    #[doc(hidden)]
    fn firsts(
        machine: &Machine,
        grid: u32,
        out: BufferViewMut<'_, Self>,
        states: BufferViewMut<'_, u64>,
        x: BufferView<'_, Self>,
    ) -> Result<(), CudaError>;

    #[doc(hidden)]
    fn begins(
        machine: &Machine,
        grid: u32,
        out: BufferViewMut<'_, u32>,
        states: BufferViewMut<'_, u64>,
        x: BufferView<'_, Self>,
    ) -> Result<(), CudaError>;
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! selected {
    ($($word:ty: $items:literal,)*) => { $(
        impl Selected for $word {
            const ITEMS: usize = $items;

            fn select(
                machine: &Machine,
                grid: u32,
                mut out: BufferViewMut<'_, $word>,
                mut states: BufferViewMut<'_, u64>,
                x: BufferView<'_, $word>,
                flags: BufferView<'_, u8>,
            ) -> Result<(), CudaError> {
                let args = select_parts::Args { out: out.reborrow(), states: states.reborrow(), x, flags };
                select_parts::launch::<$word, $items, { part($items) }, _>(machine, grid, args)
            }
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
selected!(u32: 16, u64: 8, [u64; 2]: 4,);

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! in_runs {
    ($($word:ident: $items:literal,)*) => { $(
        impl InRuns for $word {
            const ITEMS: usize = $items;

            fn firsts(
                machine: &Machine,
                grid: u32,
                mut out: BufferViewMut<'_, $word>,
                mut states: BufferViewMut<'_, u64>,
                x: BufferView<'_, $word>,
            ) -> Result<(), CudaError> {
                let args = unique_parts::Args { out: out.reborrow(), states: states.reborrow(), x };
                unique_parts::launch::<$word, $word, 0, $items, { part($items) }, _>(machine, grid, args)
            }

            fn begins(
                machine: &Machine,
                grid: u32,
                mut out: BufferViewMut<'_, u32>,
                mut states: BufferViewMut<'_, u64>,
                x: BufferView<'_, $word>,
            ) -> Result<(), CudaError> {
                let args = unique_parts::Args { out: out.reborrow(), states: states.reborrow(), x };
                unique_parts::launch::<$word, u32, 1, $items, { part($items) }, _>(machine, grid, args)
            }
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
in_runs!(u8: 16, u16: 16, u32: 16, u64: 8,);
