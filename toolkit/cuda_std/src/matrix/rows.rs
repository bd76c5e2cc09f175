//! Values of the rows of sums, and products of which sums are a factor.

use super::source::check_rows;
use super::{MOST, MatrixA, MatrixB, MatrixElement, MatrixSource, MatrixSums};
use crate::seal::INSIDE;
use crate::unrolled::unrolled;
use crate::{PerLane, Warp};
use bytemuck::Pod;
use core::marker::PhantomData;

/// A lane's values of the rows in which it holds sums, one for each row of a matrix with 16 `R` rows.
///
/// Four lanes hold the sums of a row. [`MatrixSums::fold_rows`] gives each of them the value of its own sums, and
/// [`Warp::reduce_rows`] all four the value of the whole row.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Each row of a product divided by its largest element.
/// #[kernel(threads = 32)]
/// fn scaled(block: &mut Block, out: &mut Tile2d<f32, 16, 8, WriteOnly>, a: &[f16], b: &[f16]) {
///     let mut sums = block.per_thread(|_| MatrixSums::<f16, 1, 1>::zero());
///     block.warps_with(&mut sums, |warp, sums| {
///         let (a, b) = (warp.matrix_a(a, 0, 16), warp.matrix_b_by_columns(b, 0, 16));
///         warp.multiply(&a, &b, sums);
///         let most = warp.map(&*sums, |_, sums| sums.fold_rows(0.0, f32::max));
///         let most = warp.reduce_rows(&most, f32::max);
///         warp.each_with(sums, &most, |_, sums, most| sums.for_each_in_rows(most, |sum, most| *sum /= *most));
///     });
///     out.write_sums(block, &sums, |_, _, sum| sum);
/// }
/// # fn main() {
/// let a: Vec<_> = (0..16 * 16).map(|i| f16::from_f32((i / 16 + 1) as f32)).collect();
/// let b: Vec<_> = (0..8 * 16).map(|i| f16::from_f32((i / 16 + 1) as f32)).collect();
/// let mut out = [0.0; 128];
/// let args = scaled::Args { out: Matrix { data: &mut out[..], columns: 8 }, a: &a[..], b: &b[..] };
/// scaled::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
/// assert_eq!(out[8 * 11..8 * 12], [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]);
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct PerRow<T, const R: usize>(pub(super) [[T; 2]; R]);

impl<T: Copy, const R: usize> PerRow<T, R> {
    /// The same value for each row.
    #[inline(always)]
    #[must_use]
    pub fn splat(value: T) -> Self {
        Self([[value; 2]; R])
    }

    /// Values computed from those of the same rows.
    #[inline(always)]
    #[must_use]
    pub fn map<U: Copy, V>(&self, other: &PerRow<U, R>, f: impl Fn(T, U) -> V) -> PerRow<V, R> {
        let each = |r: usize| [f(self.0[r][0], other.0[r][0]), f(self.0[r][1], other.0[r][1])];
        PerRow(core::array::from_fn(each))
    }

    /// Whether `f` returns true for any row.
    #[inline(always)]
    pub fn any(&self, f: impl Fn(T) -> bool) -> bool {
        let mut any = false;
        unrolled::<R>(|r| any |= f(self.0[r as usize][0]) | f(self.0[r as usize][1]));
        any
    }
}

impl<E: MatrixElement, const R: usize, const C: usize> MatrixSums<E, R, C> {
    /// Folds the sums that the lane holds in each row, from the first column to the last one.
    ///
    /// [`PerRow`] has an example.
    #[inline(always)]
    #[must_use]
    pub fn fold_rows<T: Copy>(&self, init: T, f: impl Fn(T, E::Sum) -> T) -> PerRow<T, R> {
        let mut rows = [[init; 2]; R];
        unrolled::<R>(|r| {
            unrolled::<C>(|c| {
                let (rows, [a, b, x, y]) = (&mut rows[r as usize], self.0[r as usize][c as usize]);
                rows[0] = f(f(rows[0], a), b);
                rows[1] = f(f(rows[1], x), y);
            });
        });
        PerRow(rows)
    }

    /// Calls `f(sum, value)` for each sum that the lane holds, with the value of its row.
    ///
    /// [`PerRow`] has an example.
    #[inline(always)]
    pub fn for_each_in_rows<T>(&mut self, rows: &PerRow<T, R>, f: impl Fn(&mut E::Sum, &T)) {
        unrolled::<R>(|r| {
            unrolled::<C>(|c| {
                let (rows, sums) = (&rows.0[r as usize], &mut self.0[r as usize][c as usize]);
                unrolled::<4>(|j| f(&mut sums[j as usize], &rows[j as usize / 2]));
            });
        });
    }
}

impl<E: MatrixElement<Sum = f32>, const R: usize, const C: usize> MatrixSums<E, R, C> {
    /// Columns `16 k` to `16 k + 15` as a left matrix: neighbouring sums are what a lane holds of a word there.
    #[inline(always)]
    pub(super) fn factor<F: MatrixElement>(&self, k: u32) -> MatrixA<F, R> {
        let mut words = [[0; 4]; R];
        unrolled::<R>(|r| {
            unrolled::<4>(|j| {
                let sums = &self.0[r as usize][(2 * k + j / 2) as usize];
                let first = 2 * (j as usize % 2);
                words[r as usize][j as usize] = F::rounded([sums[first], sums[first + 1]], INSIDE);
            });
        });
        MatrixA(words, PhantomData)
    }
}

impl Warp {
    /// Combines the values that the four lanes of a row hold, and gives the result to all four: those of the first two and of
    /// the last two lanes, then both results.
    ///
    /// [`PerRow`] has an example.
    #[inline(always)]
    pub fn reduce_rows<T: Pod, const R: usize>(
        &mut self,
        rows: &PerLane<PerRow<T, R>>,
        f: impl Fn(T, T) -> T + Sync,
    ) -> PerLane<PerRow<T, R>> {
        let mut own = self.map(rows, |_, rows| rows.0);
        unrolled::<2>(|bit| {
            let other = self.shuffle_xor(&own, 1 << bit);
            self.each_with(&mut own, &other, |lane, own, other| {
                let is_first = lane.index() & 1 << bit == 0;
                let both = |own: T, other: T| if is_first { f(own, other) } else { f(other, own) };
                *own = core::array::from_fn(|r| [both(own[r][0], other[r][0]), both(own[r][1], other[r][1])]);
            });
        });
        self.map(&own, |_, own| PerRow(*own))
    }

    /// Adds to `product` the product of `factor`, whose sums are rounded to 16 bits (to nearest, ties to even), and a right matrix of
    /// 8 `C` rows that is stored row by row. Row `r` has 8 `N` elements, in panels of 64 columns: panel `p` of it begins at element
    /// `rows.1 + stride r + panel p`. So no element of the left matrix passes through memory.
    ///
    /// The results are those of [`matrix_b_by_rows`](Self::matrix_b_by_rows) and [`multiply`](Self::multiply), 16 rows at a time.
    /// It is fastest for rows in shared memory that begin at multiples of 16 bytes. The build stops unless elements have 16 bits and
    /// the sums have a multiple of 16 columns.
    ///
    /// # Panics
    /// When an element does not exist.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// (A B) C for matrices of 16 x 16.
    /// #[kernel(threads = 32)]
    /// fn chain(block: &mut Block, out: &mut Tile2d<f32, 16, 16, WriteOnly>, a: &[bf16], b: &[bf16], c: &[bf16]) {
    ///     let mut product = block.per_thread(|_| MatrixSums::<bf16, 1, 2>::zero());
    ///     block.warps_with(&mut product, |warp, product| {
    ///         let (a, b) = (warp.matrix_a(a, 0, 16), warp.matrix_b_by_rows(b, 0, 16));
    ///         let mut sums = warp.per_lane(|_| MatrixSums::<bf16, 1, 2>::zero());
    ///         warp.multiply(&a, &b, &mut sums);
    ///         warp.multiply_sums(&sums, (c, 0), [16, 0], product);
    ///     });
    ///     out.write_sums(block, &product, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let shift = |by: usize| -> Vec<_> {
    ///     (0..256).map(|i| bf16::from_f32(if i % 16 == (i / 16 + by) % 16 { 1.0 } else { 0.0 })).collect()
    /// };
    /// let (a, b, c, mut out) = (shift(3), shift(4), (0..=255).map(|i| bf16::from_f32(i as f32)).collect::<Vec<_>>(), [0.0; 256]);
    /// let data = Matrix { data: &mut out[..], columns: 16 };
    /// chain::launch(&CpuExecutor::new(), (1, 1), chain::Args { out: data, a: &a[..], b: &b[..], c: &c[..] }).unwrap();
    /// assert_eq!((out[0], out[16 * 10 + 5]), (7.0 * 16.0, 16.0 * 1.0 + 5.0));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn multiply_sums<
        E: MatrixElement<Sum = f32>,
        F: MatrixElement,
        const R: usize,
        const C: usize,
        const N: usize,
    >(
        &mut self,
        factor: &PerLane<MatrixSums<E, R, C>>,
        (rows, first): (&(impl MatrixSource<F> + ?Sized), u32),
        [stride, panel]: [u32; 2],
        product: &mut PerLane<MatrixSums<F, R, N>>,
    ) {
        const { assert!(F::PER_WORD == 2, "elements made from sums have 16 bits") };
        const { assert!(C.is_multiple_of(2), "the sums have a multiple of 16 columns") };
        const { assert!(N <= MOST, "a warp adds to at most 64 matrices at once") };
        for p in 0..const { N.div_ceil(8) as u32 } {
            let columns = const { 8 * N as u32 }.wrapping_sub(64 * p).min(64);
            let Some(first) = panel.checked_mul(p).and_then(|begin| begin.checked_add(first)) else {
                crate::bounds::out_of_bounds()
            };
            check_rows::<F>(rows.count(INSIDE), first, stride, 8 * C as u32, columns, false);
        }
        let begin = |k: u32| first.wrapping_add(stride.wrapping_mul(16 * k));
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
        if super::is_in_parts(rows, first | stride | panel) && N.is_multiple_of(2) {
            use crate::platform;
            platform::ask_lanes();
            let (lane, own, factor) = (platform::lane(), product.0.own_mut(), factor.0.own(0));
            unrolled::<{ MOST / 2 }>(|k| {
                if k < const { C as u32 / 2 } {
                    let left = factor.factor(k);
                    platform::stay_together();
                    // SAFETY: all lanes are alive and come here together, and all rows exist, at multiples of 16 bytes.
                    unsafe { multiply_by_rows(&left, rows, lane, begin(k), [stride, panel], own) };
                }
            });
            return;
        }
        for k in 0..const { C as u32 / 2 } {
            let left = self.map(factor, |_, sums| sums.factor(k));
            let right = self.map_panels(rows, begin(k), [stride, panel]);
            self.multiply(&left, &right, product);
        }
    }

    /// A right matrix of 16 rows in panels.
    ///
    /// # Panics
    /// When an element does not exist.
    #[inline(always)]
    #[track_caller]
    fn map_panels<F: MatrixElement, const N: usize>(
        &mut self,
        rows: &(impl MatrixSource<F> + ?Sized),
        first: u32,
        [stride, panel]: [u32; 2],
    ) -> PerLane<MatrixB<F, N>> {
        let mut right = self.per_lane(|_| MatrixB([[0; 2]; N], PhantomData));
        unrolled::<N>(|n| {
            let begin = first.wrapping_add(panel.wrapping_mul(n / 8)).wrapping_add(8 * (n % 8));
            let part = self.matrix_b_by_rows::<F, 1>(rows, begin, stride);
            self.each_with(&mut right, &part, |_, right, part| right.0[n as usize] = part.0[0]);
        });
        right
    }
}

/// Adds the product of `left` and 16 rows. Two times eight columns are loaded at a time, so that they take few registers.
///
/// # Safety
/// All lanes are alive and come here together. The rows exist and begin at multiples of 16 bytes in shared memory.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
unsafe fn multiply_by_rows<F: MatrixElement, const R: usize, const N: usize>(
    left: &MatrixA<F, R>,
    rows: &(impl MatrixSource<F> + ?Sized),
    lane: u32,
    first: u32,
    [stride, panel]: [u32; 2],
    product: &mut MatrixSums<F, R, N>,
) {
    use crate::platform;
    unrolled::<{ MOST / 2 }>(|pair| {
        let n = (2 * pair) as usize;
        if n < N {
            let line = |part: u32, row: u32| {
                let column = 2 * pair + part / 2;
                let begin = first.wrapping_add(panel.wrapping_mul(column / 8)).wrapping_add(8 * (column % 8));
                rows.address(begin.wrapping_add(stride.wrapping_mul(row + 8 * (part % 2))), INSIDE)
            };
            // SAFETY: the caller's.
            unsafe {
                let right = platform::load_columns::<2>(lane, line);
                unrolled::<R>(|r| {
                    unrolled::<2>(|i| {
                        let sums = &mut product.0[r as usize][n + i as usize];
                        *sums = F::multiply(left.0[r as usize], right[i as usize], *sums, INSIDE);
                    });
                });
            }
        }
    });
}
