//! Reduction: all elements combined to one.
//!
//! Each block combines a part of [`PART`] elements in the order of [`Block::reduce`], and the results are combined in the same way until
//! there is one. So the order depends only on the number of elements, and sums of floats have the same bits everywhere.

use crate::operation::{Largest, Operation, Smallest, Sum};
use crate::parts;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_host::{Buffer, BufferView, CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::View;
use cuda_std::prelude::*;

/// Elements of a block.
pub const PART: usize = 16_384;

/// The combination of each block's elements.
#[kernel(
    threads = 512,
    requires(results.len() == x.len().div_ceil(PART)),
    instances(
        sum_u32 = <u32, Sum>,
        sum_i32 = <i32, Sum>,
        sum_u64 = <u64, Sum>,
        sum_i64 = <i64, Sum>,
        sum_f32 = <f32, Sum>,
        sum_f64 = <f64, Sum>,
        smallest_u32 = <u32, Smallest>,
        smallest_i32 = <i32, Smallest>,
        smallest_u64 = <u64, Smallest>,
        smallest_i64 = <i64, Smallest>,
        smallest_f32 = <f32, Smallest>,
        smallest_f64 = <f64, Smallest>,
        largest_u32 = <u32, Largest>,
        largest_i32 = <i32, Largest>,
        largest_u64 = <u64, Largest>,
        largest_i64 = <i64, Largest>,
        largest_f32 = <f32, Largest>,
        largest_f64 = <f64, Largest>,
    )
)]
pub fn reduce_parts<T: DeviceLayout, O: Operation<T>>(
    block: &mut Block,
    results: &mut Chunk<T, 1, WriteOnly>,
    x: &[T],
) {
    let (first, n) = parts::of(x.len(), block.index(), PART as u32);
    let x = View::of(x).part(first, n);
    let result = block.reduce_ahead(n, O::NEUTRAL, |i| x.get(i), O::combine);
    results.set(block, 0, result);
}

/// Combines all elements by an operation: [`Sum`], [`Smallest`] or [`Largest`]. The result is the operation's neutral element if there are
/// none. Waits for it.
///
/// # Errors
/// Those of an allocation, of launches and of a copy to the host.
///
/// ```
/// use cuda_algorithms::{Largest, Sum, reduce};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let x = machine.buffer(&[1.5f32, -2.0, 4.0])?;
/// assert_eq!(reduce(&machine, Sum, x.view())?, 3.5);
/// assert_eq!(reduce(&machine, Largest, x.view())?, 4.0);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub fn reduce<T: DeviceLayout, O: Operation<T>>(
    machine: &Machine,
    operation: O,
    x: BufferView<'_, T>,
) -> Result<T, CudaError>
where
    reduce_parts::Kernel<T, O>: reduce_parts::Instance<T>,
{
    if x.is_empty() {
        return Ok(O::NEUTRAL);
    }
    let mut reduce = Reduce::new(machine, operation, x.len())?;
    Ok(reduce.run(x)?.download()?[0])
}

/// Reductions as [`reduce`]'s, in memory that several of them use one after the other, with results in the machine's memory.
///
/// ```
/// use cuda_algorithms::{Reduce, Smallest};
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut smallest = Reduce::new(&machine, Smallest, 100_000)?;
/// let x: Vec<i64> = (0..100_000).map(|i| (i - 700) * (i - 700)).collect();
/// let x = machine.buffer(&x)?;
/// assert_eq!(smallest.run(x.view())?.download()?, [0]);
/// assert_eq!(smallest.run(x.slice(..500)?)?.download()?, [201 * 201]);
/// # Ok::<(), CudaError>(())
/// ```
#[cfg(not(target_arch = "nvptx64"))]
pub struct Reduce<T: DeviceLayout, O> {
    machine: Machine,
    /// The results of parts, of parts of them, and so on.
    levels: Vec<Buffer<T>>,
    operation: std::marker::PhantomData<O>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<T: DeviceLayout, O: Operation<T>> Reduce<T, O>
where
    reduce_parts::Kernel<T, O>: reduce_parts::Instance<T>,
{
    /// Memory for reductions of at most `most` elements.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, _operation: O, most: usize) -> Result<Self, CudaError> {
        let (mut levels, mut len) = (Vec::new(), most);
        loop {
            len = len.div_ceil(PART).max(1);
            levels.push(machine.zeroed(len)?);
            if len == 1 {
                return Ok(Self { machine: machine.clone(), levels, operation: std::marker::PhantomData });
            }
        }
    }

    /// Combines all elements, of which there is one at least. The result is one element. On a GPU this does not wait.
    ///
    /// # Errors
    /// Those of launches; [`CudaError::OutOfBounds`] if there are no elements, or more than this has memory for.
    pub fn run(&mut self, x: BufferView<'_, T>) -> Result<BufferView<'_, T>, CudaError> {
        x.slice(..1)?;
        let mut parts = x.len().div_ceil(PART);
        let results = self.levels[0].slice_mut(..parts)?;
        reduce_parts::launch::<T, O, _>(&self.machine, parts as u32, reduce_parts::Args { results, x })?;
        for level in 1.. {
            if parts == 1 {
                return self.levels[level - 1].slice(..1);
            }
            let (done, left) = self.levels.split_at_mut(level);
            let x = done[level - 1].slice(..parts)?;
            parts = parts.div_ceil(PART);
            let args = reduce_parts::Args { results: left[0].slice_mut(..parts)?, x };
            reduce_parts::launch::<T, O, _>(&self.machine, parts as u32, args)?;
        }
        unreachable!("each level has fewer elements")
    }
}
