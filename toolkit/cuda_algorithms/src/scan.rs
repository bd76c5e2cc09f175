//! Scan: each element combined with all those before it.

#[cfg(not(target_arch = "nvptx64"))]
use crate::chained::States;
use crate::chained::{self, THREADS, WARPS, next_part, position};
use crate::operation::{Associative, Largest, Smallest, Sum};
use crate::parts;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{View, unrolled};

/// Elements of a thread.
const ITEMS: usize = 16;
/// Elements of a block.
pub const PART: usize = THREADS * ITEMS;

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
    let part = next_part(block, states);
    let (first, n) = parts::of(x.len(), part, PART as u32);
    let x = View::of(x).part(first, n);
    let mut own = block.per_thread(|thread| {
        let mut own = [O::NEUTRAL; ITEMS];
        if n == PART as u32 {
            unrolled::<ITEMS>(|row| own[row as usize] = x.get(position::<ITEMS>(thread, row)));
        } else {
            unrolled::<ITEMS>(|row| {
                let at = position::<ITEMS>(thread, row);
                if at < n {
                    own[row as usize] = x.get(at);
                }
            });
        }
        own
    });
    chained::scan::<T, O, WORDS, ITEMS>(block, &mut own, states, part, totals, befores);
    let later = EXCLUSIVE as u32;
    block.each(&mut own, |thread, own| {
        let mut to = [0; ITEMS];
        unrolled::<ITEMS>(|row| {
            to[row as usize] = first.wrapping_add(position::<ITEMS>(thread, row)).wrapping_add(later);
        });
        // The block's elements have as many results, unless the last one would be that of an element behind the end.
        if n == PART as u32 && first.wrapping_add(n).wrapping_add(later) <= out.len() {
            out.put_each(thread, to, *own);
        } else {
            unrolled::<ITEMS>(|row| {
                if position::<ITEMS>(thread, row) < n && to[row as usize] < out.len() {
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
    states: States,
    operation: std::marker::PhantomData<O>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<O> Scan<O> {
    /// Memory for scans of at most `most` elements.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, _operation: O, most: usize) -> Result<Self, CudaError> {
        Ok(Self { states: States::new(machine, 2 * most.div_ceil(PART))?, operation: std::marker::PhantomData })
    }

    /// Combines each element with all those before it. On a GPU this does not wait.
    ///
    /// # Errors
    /// As [`scan`]; [`CudaError::OutOfBounds`] if there are more elements than this has memory for.
    pub fn run<T: Scanned<O>>(&mut self, x: BufferView<'_, T>, out: BufferViewMut<'_, T>) -> Result<(), CudaError> {
        self.launch::<T>(x.len(), |machine, grid, states| T::inclusive(machine, grid, out, states, x))
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
        self.launch::<T>(x.len(), |machine, grid, states| T::exclusive(machine, grid, out, states, x))
    }

    fn launch<T>(
        &mut self,
        n: usize,
        launch: impl FnOnce(&Machine, u32, BufferViewMut<'_, u64>) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        self.states.launch(n.div_ceil(PART), size_of::<T>() / 4, launch).map(drop)
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
