//! A block's own range of a global buffer.

use crate::access::{Access, ReadWrite, Readable};
use crate::buffers::elements::{Elements, by_resolved};
use crate::platform::Location;
use crate::seal::{INSIDE, Inside};
use crate::{Part, View};
use bytemuck::Pod;
use core::marker::PhantomData;

/// The `N` elements of a buffer that belong only to this block, for reading and writing: a parameter of the kernel.
///
/// Block `b` owns the elements from `b * N` to before `(b + 1) * N`, or to the end of the buffer. A launch must have
/// exactly as many blocks as cover the buffer, whose length is at most `u32::MAX` elements. The buffer keeps its old values
/// until the kernel writes them.
///
/// `&mut Chunk<f32, 4096, WriteOnly>` declares that the kernel only writes it, which saves barriers; see
/// [`WriteOnly`](crate::access::WriteOnly).
///
/// Checked at launch: the grid, so that each chunk belongs to one block. Enforced by the compiler: a phase that writes
/// gives each element to one thread, and holds the chunk by `&mut`, so that nothing reads it at the same time. Checked at
/// run time: indices and lengths. Not enforced: that an element is written before it is read.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Each block reverses its own four elements.
/// #[kernel(threads = 32)]
/// fn reverse(block: &mut Block, out: &mut Chunk<u32, 4>, x: &[u32]) {
///     let (n, first) = (out.len(), out.start());
///     out.fill(block, n, |i| x.at(first + n - 1 - i));
/// }
/// # fn main() {
/// let x = [0, 1, 2, 3, 4, 5];
/// let mut out = [0; 6];
/// let blocks = Grid::to_cover(out.len(), 4) as u32;
/// reverse::launch(&CpuExecutor::new(), blocks, reverse::Args { out: &mut out, x: &x }).unwrap();
/// assert_eq!(out, [3, 2, 1, 0, 5, 4]); // the last chunk ends with the buffer
/// # }
/// ```
pub struct Chunk<'a, T, const N: usize, A = ReadWrite> {
    buffer: *mut T,
    /// The first element's index, and the buffer's length.
    start: u32,
    end: u32,
    access: A,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod, const N: usize, A: Access> Chunk<'_, T, N, A> {
    /// # Safety
    /// `buffer` has `len` elements. Only this chunk reads and writes the `N` elements from `block * N` on. The first of them
    /// exists.
    #[inline(always)]
    pub(crate) unsafe fn new(block: u32, buffer: *mut T, len: u32) -> Self {
        const { assert!(N > 0 && N <= i32::MAX as usize, "a chunk has at least one element, and at most 2^31 - 1") };
        Self { buffer, start: block.wrapping_mul(N as u32), end: len, access: A::UNTOUCHED, owner: PhantomData }
    }

    /// The index of the chunk's first element in the whole buffer.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        self.start
    }
}

impl<T: Pod, const N: usize> Chunk<'_, T, N> {
    /// The first `n` elements, for reading. Phases with indices below `n` need no check of each access.
    ///
    /// # Panics
    /// When `n` exceeds the chunk's length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn view(&self, n: u32) -> View<'_, T> {
        self.resolved(INSIDE).limited(n)
    }

    /// All elements, as a part that can be split.
    #[inline(always)]
    pub fn whole(&mut self) -> Part<'_, T> {
        self.resolved(INSIDE)
    }
}

impl<'a, T: Pod, const N: usize, A: Access> Elements for Chunk<'a, T, N, A> {
    type Item = T;
    type Resolved = Part<'a, T>;

    #[inline(always)]
    fn resolved(&self, _: Inside) -> Part<'a, T> {
        let rest = self.end.wrapping_sub(self.start);
        let len = if rest < N as u32 { rest } else { N as u32 };
        // SAFETY: see `new`.
        unsafe { Part::new(self.buffer.wrapping_add(self.start as usize), len) }
    }

    const READABLE: bool = A::READABLE;

    #[inline(always)]
    fn claim(&mut self, _: Inside) -> bool {
        self.access.claim()
    }

    by_resolved!();
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod, const N: usize, A> Sync for Chunk<'_, T, N, A> {}
// SAFETY: a chunk is unique access to plain data.
unsafe impl<T: Pod, const N: usize, A> Send for Chunk<'_, T, N, A> {}

impl<T: Pod, const N: usize> Readable for Chunk<'_, T, N> {}
