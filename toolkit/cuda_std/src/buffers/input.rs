//! Inputs of a kernel.

use crate::bounds::out_of_bounds;
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
    fn at_ref(&self, i: u32) -> &T {
        match self.get(i as usize) {
            Some(item) => item,
            None => out_of_bounds(),
        }
    }
}
