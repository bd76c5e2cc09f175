//! A whole grid and its phases: kernels with barriers across all blocks.

mod memory;

pub use memory::{GridMemory, GridView};

use crate::Thread;
use crate::bounds::{MAX_LENGTH, check_length, crosses_warps};
use crate::platform::GridCrew;
use bytemuck::Pod;

/// All blocks of a grid, outside of any phase: the first parameter of a kernel whose blocks meet.
///
/// Code that holds a `&mut WholeGrid` is the same for all threads of all blocks: it never learns which block runs it. In the same
/// way, code that holds a [`Block`](crate::Block) is the same for all threads of a block. So all blocks reach every phase, and no
/// block ends before the others. A phase ends when all blocks have finished it. Then all threads see what it wrote.
///
/// All blocks must be on the device at the same time, because they wait for each other. A launch of more blocks is refused;
/// `CudaExecutor::most_blocks_that_meet` gives a device's limit. A meeting of all blocks takes one or two microseconds, less than
/// another launch. On CPU cores, one thread runs the code between phases, and threads of rayon's current pool help with phases of
/// many elements.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Smooths until the largest change is small. One launch does it, however many turns it takes. `other` is scratch.
/// #[kernel(threads = 64, requires(other.len() == x.len(), x.len() >= 3))]
/// fn smooth(grid: &mut WholeGrid, x: &mut GridMemory<f32>, other: &mut GridMemory<f32>, turns: &Atomics<u32>, enough: f32) {
///     let n = x.len();
///     loop {
///         other.fill(grid, n, |thread, i| {
///             let at = |i| x.get(thread, i);
///             if i == 0 || i == n - 1 { at(i) } else { 0.25 * at(i - 1) + 0.5 * at(i) + 0.25 * at(i + 1) }
///         });
///         let change = |thread, i| (other.get(thread, i) - x.get(thread, i)).abs();
///         let most = grid.reduce(n, 0.0, change, |a, b| if a > b { a } else { b });
///         x.fill(grid, n, |thread, i| other.get(thread, i));
///         grid.for_each(1, |thread, _| {
///             turns.add(thread, 0, 1);
///         });
///         if most <= enough {
///             return;
///         }
///     }
/// }
///
/// # fn main() {
/// let mut x: Vec<f32> = (0..200).map(|i| if i < 100 { 0.0 } else { 1.0 }).collect();
/// let (mut other, mut turns) = (vec![0.0; 200], [0]);
/// let args = smooth::Args { x: &mut x[..], other: &mut other[..], turns: &mut turns[..], enough: 0.004 };
/// smooth::launch(&CpuExecutor::new(), 3, args).unwrap();
/// assert!(turns[0] > 10 && x.is_sorted() && x[90] > 0.0);
/// # }
/// ```
///
/// A phase's closure cannot hold the grid, and cannot read the memory that it writes:
///
/// ```compile_fail,E0500
/// # use cuda_std::prelude::*;
/// fn nested(grid: &mut WholeGrid, x: &mut GridMemory<f32>) {
///     x.fill(grid, 1, |_, _| grid.reduce(9, 0.0, |_, _| 1.0, |a, b| a + b));
/// }
/// ```
/// ```compile_fail,E0502
/// # use cuda_std::prelude::*;
/// fn shifted(grid: &mut WholeGrid, x: &mut GridMemory<f32>) {
///     x.fill(grid, 9, |thread, i| x.get(thread, i + 1));
/// }
/// ```
///
/// Such a kernel cannot have memory that belongs to one block:
///
/// ```compile_fail
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn mixed(grid: &mut WholeGrid, out: &mut Chunk<f32, 64>) {}
/// ```
pub struct WholeGrid {
    crew: GridCrew,
}

impl WholeGrid {
    #[inline(always)]
    pub(crate) fn new(crew: GridCrew) -> Self {
        Self { crew }
    }

    /// The number of blocks.
    #[inline(always)]
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.crew.blocks()
    }

    /// The number of threads of each block, from the kernel's attribute.
    #[inline(always)]
    #[must_use]
    pub fn threads_per_block(&self) -> u32 {
        self.crew.threads()
    }

    /// Runs `f(thread, i)` for every `i` below `n`, for example for atomic operations. Then all blocks meet.
    ///
    /// # Panics
    /// When `n` exceeds `u32::MAX - 1024`.
    #[inline(always)]
    #[track_caller]
    pub fn for_each(&mut self, n: u32, f: impl Fn(Thread, u32) + Sync) {
        check_length(n, MAX_LENGTH);
        self.crew.each_index(n, |thread, i| f(Thread::new(thread), i));
        self.crew.meet();
    }

    /// Reduces `value(thread, 0), .. value(thread, n - 1)`. All threads of all blocks get the result, which is `identity` for `n
    /// == 0`.
    ///
    /// Each block reduces `ceil(n / blocks)` values. Then all blocks reduce the blocks' results. Both use the order of
    /// [`Block::reduce`](crate::Block::reduce). So the order of operations depends only on `n` and the number of blocks.
    ///
    /// # Panics
    /// When `n` exceeds `u32::MAX - 1024`.
    #[inline(always)]
    #[track_caller]
    pub fn reduce<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(Thread, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_warps::<T>();
        check_length(n, MAX_LENGTH);
        self.crew.reduce(n, identity, |thread, i| value(Thread::new(thread), i), combine)
    }

    /// As [`reduce`](Self::reduce), but in the order of [`Block::reduce`](crate::Block::reduce) over all `n` values: it depends only
    /// on `n`. So a block computes the same bits from the same values.
    ///
    /// `scratch` has at least `n` elements, whose contents are unspecified afterwards. On a GPU, the threads store the values there,
    /// the blocks meet, and each block reduces all values. The next phase that writes the same scratch memory waits for all blocks
    /// once more. So reductions in turn are faster with two scratch memories. See [`GridMemory::fill_reduce`] for an example.
    ///
    /// # Panics
    /// When `n` exceeds the length of `scratch`.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn by_all(grid: &mut WholeGrid, x: &[f32], scratch: &mut GridMemory<f32>, sum: &mut GridMemory<f32>) {
    ///     let found = grid.reduce_in_order(scratch, x.len() as u32, 0.0, |_, i| x.at(i), |a, b| a + b);
    ///     sum.fill(grid, 1, |_, _| found);
    /// }
    ///
    /// #[kernel(threads = 256)]
    /// fn by_one(block: &mut Block, x: &[f32], sum: &mut Chunk<f32, 1>) {
    ///     let found = block.reduce(x.len() as u32, 0.0, |i| x.at(i), |a, b| a + b);
    ///     sum.set(block, 0, found);
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..5000).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    /// let (mut scratch, mut all, mut one) = (vec![0.0; 5000], [0.0], [0.0]);
    /// let args = by_all::Args { x: &x[..], scratch: &mut scratch[..], sum: &mut all[..] };
    /// by_all::launch(&CpuExecutor::new(), 7, args).unwrap();
    /// by_one::launch(&CpuExecutor::new(), 1, by_one::Args { x: &x[..], sum: &mut one[..] }).unwrap();
    /// assert_eq!(all[0].to_bits(), one[0].to_bits());
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn reduce_in_order<T: Pod>(
        &mut self,
        scratch: &mut GridMemory<'_, T>,
        n: u32,
        identity: T,
        value: impl Fn(Thread, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        let partial = scratch.begin_scratch(self, n);
        self.crew.each_index_reduce(n, partial, identity, |thread, i| value(Thread::new(thread), i), combine)
    }
}
