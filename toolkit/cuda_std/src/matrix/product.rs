//! Products of rows that lie in tiles, many steps at a time.

use super::source::check_rows;
use super::{MatrixA, MatrixB, MatrixElement, MatrixSource, MatrixSums};
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::platform;
use crate::platform::PerThreadStorage;
use crate::seal::INSIDE;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::unrolled::unrolled;
use crate::{Block, PerLane, PerThread, Warp};

/// [`MatrixSums`] to which [`Warp::multiply_rows`] adds products. The elements of its last step are loaded but not multiplied
/// yet, so that the tensor cores have work while the block waits for the next tile. [`Block::finish_products`] adds this last
/// product.
///
/// [`Warp::multiply_rows`] has an example.
#[derive(Clone, Copy)]
pub struct MatrixProduct<E: MatrixElement, const R: usize, const C: usize> {
    pub(super) sums: MatrixSums<E, R, C>,
    rows: MatrixA<E, R>,
    columns: MatrixB<E, C>,
}

impl<E: MatrixElement, const R: usize, const C: usize> MatrixProduct<E, R, C> {
    /// No products.
    #[inline(always)]
    #[must_use]
    pub fn zero() -> Self {
        let (rows, columns) =
            (MatrixA([[0; 4]; R], core::marker::PhantomData), MatrixB([[0; 2]; C], core::marker::PhantomData));
        Self { sums: MatrixSums::zero(), rows, columns }
    }
}

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
impl<E: MatrixElement, const R: usize, const C: usize> MatrixProduct<E, R, C> {
    /// The sums of the first 16 rows.
    #[inline(always)]
    pub(super) fn first_sums(&mut self) -> &mut [[E::Sum; 4]; C] {
        &mut self.sums.0[0]
    }
}

impl<E: MatrixElement, const R: usize, const C: usize> Default for MatrixProduct<E, R, C> {
    fn default() -> Self {
        Self::zero()
    }
}

/// Checks that the rows and columns of [`Warp::multiply_rows`] exist and begin at words.
#[inline(always)]
#[track_caller]
fn check_factors<const STEPS: usize, E: MatrixElement, const R: usize, const C: usize>(
    (rows, first_row): (&(impl MatrixSource<E> + ?Sized), u32),
    (columns, first_column): (&(impl MatrixSource<E> + ?Sized), u32),
    stride: u32,
) {
    const { assert!(STEPS > 0 && STEPS <= 8, "there are 1 to 8 steps") };
    const { assert!(R > 0 && C > 0 && R * C <= 64, "a warp adds 1 to 64 products of 16 x 8 at once") };
    let depth = const { STEPS as u32 * E::DEPTH };
    check_rows::<E>(rows.count(INSIDE), first_row, stride, 16 * R as u32, depth, true);
    check_rows::<E>(columns.count(INSIDE), first_column, stride, 8 * C as u32, depth, true);
}

impl Warp {
    /// Adds the product of 16 `R` rows and 8 `C` columns. Each has `STEPS` times [`DEPTH`](MatrixElement::DEPTH) elements. The
    /// rows lie in `rows.0`, a tile or an input; row `r` begins at element `rows.1 + stride r`. `columns` gives the columns in
    /// the same way.
    ///
    /// The results are those of [`matrix_a`](Self::matrix_a), [`matrix_b_by_columns`](Self::matrix_b_by_columns) and
    /// [`multiply`](Self::multiply), step by step. It is faster for tiles of shared memory whose rows begin at multiples of 16
    /// bytes: one check covers all lanes, and a step's elements are loaded while those of the previous step are multiplied.
    ///
    /// # Panics
    /// When an element does not exist, or a row or column does not begin at a multiple of 4 bytes.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// A times the transpose of B: 16 rows and 8 rows with 64 elements each.
    /// #[kernel(threads = 32)]
    /// fn product(block: &mut Block, out: &mut Tile2d<f32, 16, 8, WriteOnly>, a: &[f16], b: &[f16], tile: &mut Shared<f16, 1536>) {
    ///     let tile = tile.fill(block, 1536, |i| if i < 1024 { a.at(i) } else { b.at(i - 1024) });
    ///     let mut product = block.per_thread(|_| MatrixProduct::<f16, 1, 1>::zero());
    ///     block.warps_with(&mut product, |warp, product| {
    ///         warp.multiply_rows::<4, _, _, _>((&tile, 0), (&tile, 1024), 64, product);
    ///     });
    ///     let sums = block.finish_products(product);
    ///     out.write_sums(block, &sums, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let numbers = |n: u32, most: u32| -> Vec<f16> { (0..64 * n).map(|i| f16::from_f32((i % most) as f32)).collect() };
    /// let (a, b, mut out) = (numbers(16, 7), numbers(8, 5), [0.0; 128]);
    /// let args = product::Args { out: Matrix { data: &mut out[..], columns: 8 }, a: &a[..], b: &b[..] };
    /// product::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    /// let expected: u32 = (0..64).map(|k| (64 * 3 + k) % 7 * ((64 * 6 + k) % 5)).sum();
    /// assert_eq!(out[3 * 8 + 6], expected as f32);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn multiply_rows<const STEPS: usize, E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        rows: (&(impl MatrixSource<E> + ?Sized), u32),
        columns: (&(impl MatrixSource<E> + ?Sized), u32),
        stride: u32,
        product: &mut PerLane<MatrixProduct<E, R, C>>,
    ) {
        check_factors::<STEPS, E, R, C>(rows, columns, stride);
        let ((rows, first_row), (columns, first_column)) = (rows, columns);
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
        if super::is_in_parts(rows, first_row | stride) && super::is_in_parts(columns, first_column) {
            platform::ask_lanes();
            // SAFETY: both matrices exist, and their rows begin at multiples of 16 bytes. All lanes are alive and come here
            // together.
            unsafe {
                multiply_steps::<STEPS, _, _, _>((rows, first_row), (columns, first_column), stride, product, |_| {})
            };
            return;
        }
        for k in 0..STEPS as u32 {
            let first = |first: u32| first.wrapping_add(k * E::DEPTH);
            let x = self.matrix_a(rows, first(first_row), stride);
            let y = self.matrix_b_by_columns(columns, first(first_column), stride);
            self.add_products(product);
            self.each_with(product, (&x, &y), |_, own, (x, y)| (own.rows, own.columns) = (*x, *y));
        }
    }

    /// As [`multiply_rows`](Self::multiply_rows), but all products are added before it returns. [`Stages::copy_windows_ahead`] has an
    /// example.
    ///
    /// [`Stages::copy_windows_ahead`]: crate::Stages::copy_windows_ahead
    ///
    /// # Panics
    /// As [`multiply_rows`](Self::multiply_rows).
    #[inline(always)]
    #[track_caller]
    pub fn multiply_all_rows<const STEPS: usize, E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        (rows, first_row): (&(impl MatrixSource<E> + ?Sized), u32),
        (columns, first_column): (&(impl MatrixSource<E> + ?Sized), u32),
        stride: u32,
        sums: &mut PerLane<MatrixSums<E, R, C>>,
    ) {
        check_factors::<STEPS, E, R, C>((rows, first_row), (columns, first_column), stride);
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
        if super::is_in_parts(rows, first_row | stride) && super::is_in_parts(columns, first_column) {
            platform::ask_lanes();
            let (lane, own) = (platform::lane(), sums.0.own_mut());
            unrolled::<STEPS>(|k| {
                let (row, column) = (first_row.wrapping_add(k * E::DEPTH), first_column.wrapping_add(k * E::DEPTH));
                // SAFETY: both matrices exist, and their rows begin at multiples of 16 bytes. All lanes are alive and come here
                // together.
                unsafe {
                    let x = super::shared_words::<E, _, R, 4>(rows, lane, row, [stride, 16], super::place_a);
                    let y = super::shared_words::<E, _, C, 2>(columns, lane, column, [stride, 8], super::place_b);
                    platform::stay_together();
                    let (x, y) = (MatrixA(x, core::marker::PhantomData), MatrixB(y, core::marker::PhantomData));
                    platform::multiply_own(&x, &y, own);
                }
            });
            return;
        }
        for k in 0..STEPS as u32 {
            let x = self.matrix_a(rows, first_row.wrapping_add(k * E::DEPTH), stride);
            let y = self.matrix_b_by_columns(columns, first_column.wrapping_add(k * E::DEPTH), stride);
            self.multiply(&x, &y, sums);
        }
    }

    /// Adds the product of the loaded elements.
    #[inline(always)]
    fn add_products<E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        product: &mut PerLane<MatrixProduct<E, R, C>>,
    ) {
        let (x, y) = (self.map(&*product, |_, own| own.rows), self.map(&*product, |_, own| own.columns));
        let mut sums = self.map(&*product, |_, own| own.sums);
        self.multiply(&x, &y, &mut sums);
        self.each_with(product, &sums, |_, own, sums| own.sums = *sums);
    }
}

/// The steps of [`Warp::multiply_rows`] for rows in shared memory. `between(k)` runs after the loads of step `k` have begun.
///
/// # Safety
/// Both matrices exist, and their rows begin at multiples of 16 bytes. All lanes are alive and come here together. In `between`, no
/// thread ends, and all lanes take the same branches.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
pub(super) unsafe fn multiply_steps<const STEPS: usize, E: MatrixElement, const R: usize, const C: usize>(
    (rows, first_row): (&(impl MatrixSource<E> + ?Sized), u32),
    (columns, first_column): (&(impl MatrixSource<E> + ?Sized), u32),
    stride: u32,
    product: &mut PerLane<MatrixProduct<E, R, C>>,
    mut between: impl FnMut(u32),
) {
    let lane = platform::lane();
    let own = product.0.own_mut();
    unrolled::<STEPS>(|k| {
        let (row, column) = (first_row.wrapping_add(k * E::DEPTH), first_column.wrapping_add(k * E::DEPTH));
        // SAFETY: the caller's.
        let (x, y) = unsafe {
            (
                super::shared_words::<E, _, R, 4>(rows, lane, row, [stride, 16], super::place_a),
                super::shared_words::<E, _, C, 2>(columns, lane, column, [stride, 8], super::place_b),
            )
        };
        between(k);
        platform::stay_together();
        // SAFETY: the caller's.
        unsafe { platform::multiply_own(&own.rows, &own.columns, &mut own.sums) };
        (own.rows.0, own.columns.0) = (x, y);
    });
}

impl Block {
    /// The sums with all products.
    ///
    /// [`Warp::multiply_rows`] has an example.
    #[inline(always)]
    pub fn finish_products<E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        mut product: PerThread<MatrixProduct<E, R, C>>,
    ) -> PerThread<MatrixSums<E, R, C>> {
        self.warps_with(&mut product, |warp, product| warp.add_products(product));
        PerThread(PerThreadStorage::new(self.phase(), |index| product.0.own(index).sums))
    }
}
