//! Memory that all blocks of a grid share.

use super::WholeGrid;
use crate::Thread;
use crate::access::Readable;
use crate::bounds::{check_index, check_length, crosses_warps};
use bytemuck::Pod;
use core::marker::PhantomData;

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
        let data = self.begin(grid, n);
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
        let data = self.begin(grid, n);
        grid.crew.each_index(n, |thread, i| {
            // SAFETY: as in `fill`.
            change(Thread::new(thread), i, unsafe { &mut *data.at(i) });
        });
        grid.crew.meet();
    }

    /// As [`fill`](Self::fill), with the first of the two results of `value`. It reduces the second ones as
    /// [`WholeGrid::reduce_in_order`] does, with the same use of `scratch`.
    ///
    /// # Panics
    /// When `n` exceeds the length of either memory.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Moves each element half way to the mean of all, until all are near.
    /// #[kernel(threads = 64)]
    /// fn together(grid: &mut WholeGrid, x: &mut GridMemory<f32>, scratch: &mut GridMemory<f32>, enough: f32) {
    ///     let n = x.len();
    ///     let (mut first, mut second) = scratch.split_at(n);
    ///     let mut sum = x.update_reduce(grid, &mut first, n, 0.0, |_, _, x| *x, |a, b| a + b);
    ///     loop {
    ///         let mean = sum / n as f32;
    ///         let square = |_, _, x: &mut f32| {
    ///             *x += 0.5 * (mean - *x);
    ///             (*x - mean) * (*x - mean)
    ///         };
    ///         let off = x.update_reduce(grid, &mut second, n, 0.0, square, |a, b| a + b);
    ///         if off < enough {
    ///             return;
    ///         }
    ///         sum = x.update_reduce(grid, &mut first, n, 0.0, |_, _, x| *x, |a, b| a + b);
    ///     }
    /// }
    /// # fn main() {
    /// let (mut x, mut scratch) = ([1.0f32, 2.0, 6.0], [0.0; 6]);
    /// let args = together::Args { x: &mut x[..], scratch: &mut scratch[..], enough: 1e-6 };
    /// together::launch(&CpuExecutor::new(), 1, args).unwrap();
    /// assert!(x.iter().all(|x| (x - 3.0).abs() < 0.001));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn fill_reduce<V: Pod>(
        &mut self,
        grid: &mut WholeGrid,
        scratch: &mut GridMemory<'_, V>,
        n: u32,
        identity: V,
        value: impl Fn(Thread, u32) -> (T, V) + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V {
        let (data, partial) = (self.begin(grid, n), scratch.begin_scratch(grid, n));
        let write = |thread, i| {
            let (item, value) = value(Thread::new(thread), i);
            // SAFETY: as in `fill`.
            unsafe { data.at(i).write(item) };
            value
        };
        grid.crew.each_index_reduce(n, partial, identity, write, combine)
    }

    /// As [`update`](Self::update), and reduces the results of `change` like [`fill_reduce`](Self::fill_reduce), which has an
    /// example.
    ///
    /// # Panics
    /// When `n` exceeds the length of either memory.
    #[inline(always)]
    #[track_caller]
    pub fn update_reduce<V: Pod>(
        &mut self,
        grid: &mut WholeGrid,
        scratch: &mut GridMemory<'_, V>,
        n: u32,
        identity: V,
        change: impl Fn(Thread, u32, &mut T) -> V + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V {
        let (data, partial) = (self.begin(grid, n), scratch.begin_scratch(grid, n));
        let write = |thread, i| {
            // SAFETY: as in `fill`.
            change(Thread::new(thread), i, unsafe { &mut *data.at(i) })
        };
        grid.crew.each_index_reduce(n, partial, identity, write, combine)
    }

    /// Begins a phase that writes the first `n` elements.
    #[inline(always)]
    #[track_caller]
    fn begin(&mut self, grid: &mut WholeGrid, n: u32) -> Elements<T> {
        check_length(n, self.len);
        grid.crew.open(self.data, n);
        Elements(self.data)
    }

    /// As [`begin`](Self::begin), for the values of a reduction.
    #[inline(always)]
    #[track_caller]
    pub(super) fn begin_scratch(&mut self, grid: &mut WholeGrid, n: u32) -> *mut T {
        crosses_warps::<T>();
        self.begin(grid, n).0
    }

    /// Its `n` elements from `first` on.
    ///
    /// # Panics
    /// When there are fewer.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Fills the second of three parts with the sums of pairs of the others.
    /// #[kernel(threads = 32)]
    /// fn sums(grid: &mut WholeGrid, x: &mut GridMemory<[u32; 2]>) {
    ///     let n = x.len() / 3;
    ///     let mut numbers = x.part(0, 3 * n);
    ///     let mut numbers = numbers.flatten();
    ///     let (mut front, back) = numbers.split_at(4 * n);
    ///     let (first, mut second) = front.split_at(2 * n);
    ///     let (first, last) = (first.view(), back.view().part(0, 2 * n));
    ///     second.fill(grid, 2 * n, |thread, i| first.get(thread, i) + last.get(thread, i));
    /// }
    /// # fn main() {
    /// let mut x = [[1, 2], [0, 0], [10, 20], [7, 7]];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { x: &mut x }).unwrap();
    /// assert_eq!(x, [[1, 2], [11, 22], [10, 20], [7, 7]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn part(&mut self, first: u32, n: u32) -> GridMemory<'_, T> {
        check_length(first, self.len);
        check_length(n, self.len.wrapping_sub(first));
        // SAFETY: a part of this memory, which stays borrowed while it lives.
        unsafe { GridMemory::new(self.data.wrapping_add(first as usize), n) }
    }

    /// The elements before `mid` and the others. A phase can read one part and write the other. See [`part`](Self::part) for an
    /// example.
    ///
    /// # Panics
    /// When `mid` exceeds [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    pub fn split_at(&mut self, mid: u32) -> (GridMemory<'_, T>, GridMemory<'_, T>) {
        check_length(mid, self.len);
        let rest = self.len.wrapping_sub(mid);
        // SAFETY: two disjoint parts of this memory, which stays borrowed while they live.
        unsafe { (GridMemory::new(self.data, mid), GridMemory::new(self.data.wrapping_add(mid as usize), rest)) }
    }

    /// The memory for phases to read.
    #[inline(always)]
    #[must_use]
    pub fn view(&self) -> GridView<'_, T> {
        GridView { data: self.data, len: self.len, owner: PhantomData }
    }
}

impl<T: Pod, const N: usize> GridMemory<'_, [T; N]> {
    /// The elements of the arrays. See [`part`](Self::part) for an example.
    #[inline(always)]
    #[must_use]
    pub fn flatten(&mut self) -> GridMemory<'_, T> {
        // Without overflow checks, the product wraps to a smaller length, which is still sound.
        let len = self.len * N as u32;
        // SAFETY: an array is its elements; this memory stays borrowed while the result lives.
        unsafe { GridMemory::new(self.data.cast::<T>(), len) }
    }
}

/// Elements of a [`GridMemory`] that no phase writes meanwhile. Reading takes a [`Thread`], as there.
#[derive(Clone, Copy)]
pub struct GridView<'a, T> {
    data: *const T,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<T: Pod> GridView<'_, T> {
    crate::bounds::counted!("elements");

    /// Its `n` elements from `first` on.
    ///
    /// # Panics
    /// When there are fewer.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn part(&self, first: u32, n: u32) -> Self {
        check_length(first, self.len);
        check_length(n, self.len.wrapping_sub(first));
        Self { data: self.data.wrapping_add(first as usize), len: n, owner: PhantomData }
    }

    /// Element `i`, in a phase.
    ///
    /// # Panics
    /// When there is no such element.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, _thread: Thread, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds. The memory is borrowed, so phases that wrote it have ended, and all blocks have met since.
        unsafe { self.data.add(i as usize).read() }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod> Sync for GridView<'_, T> {}
// SAFETY: reading plain data.
unsafe impl<T: Pod> Send for GridView<'_, T> {}

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
