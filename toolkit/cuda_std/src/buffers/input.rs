//! Inputs of a kernel.

use crate::bounds::{check_indices, out_of_bounds};
use bytemuck::Pod;

/// Reading a kernel's input by a 32-bit index.
///
/// Enforced by the compiler: nobody writes an input while the kernel runs, because a launch borrows its inputs, and a buffer
/// that is an output is no other argument. Checked at run time: indices.
///
/// ```
/// use cuda_std::Input;
///
/// let x: &[f32] = &[0.5, 1.5, 2.5, 3.5];
/// assert_eq!(x.at(2), 2.5);
/// assert_eq!(x.part(1, 2), [1.5, 2.5]);
/// ```
pub trait Input<T> {
    /// The `n` elements from `first` on.
    ///
    /// # Panics
    /// When some of them do not exist.
    fn part(&self, first: u32, n: u32) -> &Self;

    /// Element `i`.
    ///
    /// It does the same as `self[i as usize]`, but without code that formats numbers for the panic message. On the device
    /// that code costs registers and stack.
    ///
    /// # Panics
    /// When `i` is not below the length.
    fn at(&self, i: u32) -> T;

    /// The elements at several indices. They are checked together, before anything is read, so the loads follow one another without
    /// a branch: of indices from data, each in its own [`at`](Self::at), a load would begin when the index before has been checked.
    ///
    /// # Panics
    /// When one of them is not below the length.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Sparse vectors of a dense one: the sum of elements, four at a time.
    /// #[kernel(threads = 32)]
    /// fn gathered(block: &mut Block, out: &mut Chunk<f32, 1>, x: &[f32], at: &[u32]) {
    ///     let (fours, rest) = at.as_chunks::<4>();
    ///     let of_four = |i: u32| x.at_each(fours.at(i)).into_iter().fold(0.0, |sum, x| sum + x);
    ///     let most = block.reduce(fours.len() as u32, 0.0, of_four, |a, b| a + b);
    ///     out.set(block, 0, rest.iter().fold(most, |sum, at| sum + x.at(*at)));
    /// }
    /// # fn main() {
    /// let (mut out, x) = ([0.0], [1.0, 2.0, 4.0, 8.0]);
    /// gathered::launch(&CpuExecutor::new(), 1, gathered::Args { out: &mut out, x: &x, at: &[3, 0, 0, 3, 2] }).unwrap();
    /// assert_eq!(out, [22.0]);
    /// # }
    /// ```
    fn at_each<const N: usize>(&self, at: [u32; N]) -> [T; N];

    /// The address of element `i`, for a later copy: [`DoubleBuffer::copy_ahead`](crate::DoubleBuffer::copy_ahead).
    ///
    /// # Panics
    /// When `i` is not below the length.
    fn at_ref(&self, i: u32) -> &T;
}

impl<T: Pod> Input<T> for [T] {
    #[inline(always)]
    #[track_caller]
    fn part(&self, first: u32, n: u32) -> &Self {
        match self.get(first as usize..).and_then(|rest| rest.get(..n as usize)) {
            Some(part) => part,
            None => out_of_bounds(),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn at(&self, i: u32) -> T {
        match self.get(i as usize) {
            Some(item) => *item,
            None => out_of_bounds(),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn at_each<const N: usize>(&self, at: [u32; N]) -> [T; N] {
        // An index has 32 bits.
        check_indices(at, u32::try_from(self.len()).unwrap_or(u32::MAX));
        // SAFETY: in bounds.
        at.map(|i| unsafe { *self.get_unchecked(i as usize) })
    }

    #[inline(always)]
    #[track_caller]
    fn at_ref(&self, i: u32) -> &T {
        match self.get(i as usize) {
            Some(item) => item,
            None => out_of_bounds(),
        }
    }
}
