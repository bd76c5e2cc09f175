//! A whole grid and its phases: kernels with barriers across all blocks.

use crate::Thread;
use crate::access::Readable;
use crate::bounds::{MAX_LENGTH, check_index, check_length, crosses_warps};
use crate::platform::GridCrew;
use bytemuck::Pod;
use core::marker::PhantomData;

/// All blocks of a grid, outside of any phase: the first parameter of a kernel whose blocks meet.
///
/// Code that holds a `&mut WholeGrid` is the same for all threads of all blocks: it never learns which block runs it. In the same
/// way, code that holds a [`Block`](crate::Block) is the same for all threads of a block. So all blocks reach every phase, and no
/// block ends before the others. A phase ends when all blocks have finished it. Then all threads see what it wrote.
///
/// All blocks must be on the device at the same time, because they wait for each other. A launch of more blocks is refused;
/// `CudaExecutor::most_blocks_that_meet` gives a device's limit. A meeting of all blocks takes one or two microseconds, less than
/// another launch. On CPU cores, one core runs the blocks one after another, phase by phase.
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
}

/// A buffer that all blocks of a [`WholeGrid`] write in some phases and read in others.
///
/// Enforced by the compiler: an element has one writer in a phase, and nobody reads the memory in a phase that writes it. Reading
/// takes a [`Thread`], which only phases have, so all reads come before the meeting at the phase's end. Checked at run time:
/// indices.
///
/// [`WholeGrid`] has an example.
pub struct GridMemory<'a, T> {
    data: *mut T,
    len: u32,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod> GridMemory<'_, T> {
    /// # Safety
    /// `data` has `len` elements. While the kernel runs, only blocks of this grid touch them, and only through this type.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, len: u32) -> Self {
        Self { data, len, owner: PhantomData }
    }

    crate::bounds::counted!("elements");

    /// Element `i`, in a phase.
    ///
    /// # Panics
    /// When there is no such element.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, _thread: Thread, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds. A phase that writes holds the memory by `&mut`, so it was another phase, and all blocks have met
        // since.
        unsafe { self.data.add(i as usize).read() }
    }

    /// Writes `value(thread, i)` to every element `i` below `n`. Then all blocks meet.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    pub fn fill(&mut self, grid: &mut WholeGrid, n: u32, value: impl Fn(Thread, u32) -> T + Sync) {
        check_length(n, self.len);
        let data = Elements(self.data);
        grid.crew.each_index(n, |thread, i| {
            let item = value(Thread::new(thread), i);
            // SAFETY: in bounds. Index `i` belongs to one thread, and the closure cannot hold this memory. All blocks have met
            // since it was last read.
            unsafe { data.at(i).write(item) };
        });
        grid.crew.meet();
    }

    /// Changes every element `i` below `n` in place by `change`. Then all blocks meet.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](Self::len).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Divides each element by the sum.
    /// #[kernel(threads = 32)]
    /// fn shares(grid: &mut WholeGrid, x: &mut GridMemory<f32>) {
    ///     let n = x.len();
    ///     let sum = grid.reduce(n, 0.0, |thread, i| x.get(thread, i), |a, b| a + b);
    ///     x.update(grid, n, |_, _, x| *x /= sum);
    /// }
    /// # fn main() {
    /// let mut x = [1.0; 128];
    /// shares::launch(&CpuExecutor::new(), 2, shares::Args { x: &mut x }).unwrap();
    /// assert_eq!(x, [1.0 / 128.0; 128]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update(&mut self, grid: &mut WholeGrid, n: u32, change: impl Fn(Thread, u32, &mut T) + Sync) {
        check_length(n, self.len);
        let data = Elements(self.data);
        grid.crew.each_index(n, |thread, i| {
            // SAFETY: as in `fill`.
            change(Thread::new(thread), i, unsafe { &mut *data.at(i) });
        });
        grid.crew.meet();
    }
}

impl<T: Pod> Readable for GridMemory<'_, T> {}

/// The address of the elements, for the threads of a phase.
#[derive(Clone, Copy)]
struct Elements<T>(*mut T);

impl<T> Elements<T> {
    #[inline(always)]
    fn at(self, i: u32) -> *mut T {
        self.0.wrapping_add(i as usize)
    }
}

// SAFETY: this is only an address; each use states why it is sound.
unsafe impl<T: Pod> Sync for Elements<T> {}
// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod> Sync for GridMemory<'_, T> {}
// SAFETY: unique access to plain data.
unsafe impl<T: Pod> Send for GridMemory<'_, T> {}
