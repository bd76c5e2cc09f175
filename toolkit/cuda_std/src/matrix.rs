//! Products of small matrices, which a warp computes with tensor cores.

#![allow(non_camel_case_types)] // `tf32` is named like the other types.

mod ahead;
mod chain;
mod element;
mod parts;
mod product;
mod rows;
mod source;
mod store;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
mod warpgroup;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
mod warpgroup_chain;
mod windows;

pub use chain::MatrixRows;
pub use element::{MatrixElement, tf32, tf32x4};
pub use product::MatrixProduct;
pub use rows::PerRow;
pub use source::{MatrixSource, Swizzled, swizzled};
pub use windows::in_panels;

use crate::platform::{self, LaneStorage};
use crate::seal::INSIDE;
use crate::unrolled::unrolled;
use crate::{Lane, PerLane, Warp};
use source::check_rows;

/// The most matrices that a warp loads or adds products to at once.
const MOST: usize = 64;

/// A lane's part of a left matrix with 16 `R` rows and [`DEPTH`](MatrixElement::DEPTH) columns: registers, in the layout that
/// [`Warp::multiply`] needs.
#[derive(Clone, Copy)]
pub struct MatrixA<E, const R: usize>(pub(crate) [[u32; 4]; R], core::marker::PhantomData<E>);

/// A lane's part of a right matrix with [`DEPTH`](MatrixElement::DEPTH) rows and 8 `C` columns.
#[derive(Clone, Copy)]
pub struct MatrixB<E, const C: usize>(pub(crate) [[u32; 2]; C], core::marker::PhantomData<E>);

/// A lane's part of a matrix with 16 `R` rows and 8 `C` columns, to which products are added.
///
/// Keep it with a lane's or a thread's own values: in a [`PerLane`] within a warp phase, or in a [`PerThread`](crate::PerThread)
/// from phase to phase. [`Warp::multiply`] has an example.
#[derive(Clone, Copy)]
pub struct MatrixSums<E: MatrixElement, const R: usize, const C: usize>(pub(crate) [[[E::Sum; 4]; C]; R]);

/// The position of lane `lane`'s word `j` in a left matrix: row, and word of the row.
#[inline(always)]
pub(crate) fn place_a(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4 + 8 * (j % 2), lane % 4 + 4 * (j / 2))
}

/// The position of a lane's word `j` in a right matrix: column, and word of the column.
#[inline(always)]
pub(crate) fn place_b(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4, lane % 4 + 4 * j)
}

/// The position of a lane's sum `j`: row and column.
#[inline(always)]
pub(crate) fn place_sum(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4 + 8 * (j / 2), 2 * (lane % 4) + j % 2)
}

/// Combines the elements of a word; `element` gives each of them.
#[inline(always)]
fn word<E: MatrixElement>(element: impl Fn(u32) -> E) -> u32 {
    let mut word = 0;
    for i in 0..E::PER_WORD {
        word |= element(i).bits(INSIDE) << (32 / E::PER_WORD * i);
    }
    word
}

impl<E: MatrixElement, const R: usize> MatrixA<E, R> {
    /// The lane's part of the matrix with `value(row, column)`.
    #[inline(always)]
    #[must_use]
    pub fn of(lane: Lane, value: impl Fn(u32, u32) -> E) -> Self {
        let mut words = [[0; 4]; R];
        unrolled::<R>(|r| {
            for j in 0..4 {
                let (row, at) = place_a(lane.index(), j);
                words[r as usize][j as usize] = word(|i| value(16 * r + row, E::PER_WORD * at + i));
            }
        });
        Self(words, core::marker::PhantomData)
    }
}

impl<E: MatrixElement, const C: usize> MatrixB<E, C> {
    /// The lane's part of the matrix with `value(row, column)`.
    #[inline(always)]
    #[must_use]
    pub fn of(lane: Lane, value: impl Fn(u32, u32) -> E) -> Self {
        let mut words = [[0; 2]; C];
        unrolled::<C>(|c| {
            for j in 0..2 {
                let (column, at) = place_b(lane.index(), j);
                words[c as usize][j as usize] = word(|i| value(E::PER_WORD * at + i, 8 * c + column));
            }
        });
        Self(words, core::marker::PhantomData)
    }
}

impl<E: MatrixElement, const R: usize, const C: usize> MatrixSums<E, R, C> {
    /// Sums that are all zero.
    #[inline(always)]
    #[must_use]
    pub fn zero() -> Self {
        Self([[[bytemuck::Zeroable::zeroed(); 4]; C]; R])
    }

    /// Calls `f(row, column, sum)` for each sum that the lane holds. In each 16 x 8 these are two neighbours in a row and two in
    /// the row eight below.
    #[inline(always)]
    pub fn for_each(&mut self, lane: Lane, mut f: impl FnMut(u32, u32, &mut E::Sum)) {
        unrolled::<R>(|r| {
            unrolled::<C>(|c| {
                unrolled::<4>(|j| {
                    let (row, column) = place_sum(lane.index(), j);
                    f(16 * r + row, 8 * c + column, &mut self.0[r as usize][c as usize][j as usize]);
                });
            });
        });
    }
}

impl<E: MatrixElement, const R: usize, const C: usize> Default for MatrixSums<E, R, C> {
    fn default() -> Self {
        Self::zero()
    }
}

/// Whether the rows lie in shared memory and begin at multiples of 16 bytes, provided that `begin` and all strides do.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
fn is_in_parts<E: MatrixElement, S: MatrixSource<E> + ?Sized>(_from: &S, begin: u32) -> bool {
    S::IS_SHARED && begin.is_multiple_of(4 * E::PER_WORD)
}

/// As [`words`], for [such rows](is_in_parts). An instruction loads 8 rows at a time.
///
/// # Safety
/// As for [`words`], and all lanes are alive.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
unsafe fn shared_words<E: MatrixElement, S: MatrixSource<E> + ?Sized, const N: usize, const J: usize>(
    from: &S,
    lane: u32,
    first: u32,
    [stride, height]: [u32; 2],
    position: impl Fn(u32, u32) -> (u32, u32),
) -> [[u32; J]; N] {
    let lines = |part: u32, row: u32| {
        let (line, at) = position(0, part % J as u32);
        let line = line.wrapping_add(row).wrapping_add((part / J as u32).wrapping_mul(height));
        let begin = first.wrapping_add(stride.wrapping_mul(line));
        from.address(begin.wrapping_add(at.wrapping_mul(E::PER_WORD)), INSIDE)
    };
    // SAFETY: ensured by the caller: all lanes come here, and the rows exist.
    let loaded: [[u32; J]; N] = unsafe { platform::load_rows(lane, lines) };
    let mut words = [[0; J]; N];
    unrolled::<N>(|n| {
        unrolled::<J>(|j| {
            words[n as usize][j as usize] = E::seen(loaded[n as usize][j as usize], INSIDE);
        });
    });
    words
}

/// A lane's words of a matrix in `N` parts. A part has `height` rows (of the left matrix) or columns (of the right one). Each row
/// or column begins `stride` elements after the previous one. `position` gives the row or column, and the word in it, of the lane's
/// word `j`.
///
/// # Safety
/// The matrix begins at element `first`. All of it exists, and its rows or columns begin at multiples of a word. All lanes of the
/// warp come here together.
#[inline(always)]
unsafe fn words<E: MatrixElement, S: MatrixSource<E> + ?Sized, const N: usize, const J: usize>(
    from: &S,
    lane: u32,
    first: u32,
    [stride, height]: [u32; 2],
    position: impl Fn(u32, u32) -> (u32, u32),
) -> [[u32; J]; N] {
    let mut words = [[0; J]; N];
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    if is_in_parts(from, first | stride) {
        platform::ask_lanes();
        // SAFETY: ensured by the caller: all lanes come here, and the rows exist.
        return unsafe { shared_words(from, lane, first, [stride, height], position) };
    }
    unrolled::<N>(|n| {
        unrolled::<J>(|j| {
            let (line, at) = position(lane, j);
            let begin = first.wrapping_add(stride.wrapping_mul(line.wrapping_add(n.wrapping_mul(height))));
            // SAFETY: ensured by the caller.
            let word = unsafe { from.word(begin.wrapping_add(at.wrapping_mul(E::PER_WORD)), INSIDE) };
            words[n as usize][j as usize] = E::seen(word, INSIDE);
        });
    });
    words
}

impl Warp {
    /// Loads a left matrix of 16 `R` rows with [`DEPTH`](MatrixElement::DEPTH) elements each from a tile of shared memory or from
    /// an input. Row `r` begins at element `first + stride r`.
    ///
    /// If the stride is a power of two, the lanes' loads from shared memory have bank conflicts. 16 bytes of padding after each
    /// row spread them over all banks.
    ///
    /// # Panics
    /// When an element does not exist, or a row does not begin at a multiple of 4 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_a<E: MatrixElement, const R: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixA<E, R>> {
        const { assert!(R <= MOST, "a warp loads at most 64 matrices at once") };
        check_rows::<E>(from.count(INSIDE), first, stride, 16 * R as u32, E::DEPTH, true);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
            // SAFETY: all of the matrix exists, and its rows begin at multiples of a word.
            let words = unsafe { words::<E, _, R, 4>(from, lane, first, [stride, 16], place_a) };
            MatrixA(words, core::marker::PhantomData)
        }))
    }

    /// Loads a right matrix of [`DEPTH`](MatrixElement::DEPTH) rows and 8 `C` columns that is stored column by column. Column `c`
    /// begins at element `first + stride c`. Tensor cores use this order, so each load gets a whole word.
    ///
    /// # Panics
    /// When an element does not exist, or a column does not begin at a multiple of 4 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_b_by_columns<E: MatrixElement, const C: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixB<E, C>> {
        const { assert!(C <= MOST, "a warp loads at most 64 matrices at once") };
        check_rows::<E>(from.count(INSIDE), first, stride, 8 * C as u32, E::DEPTH, true);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
            // SAFETY: as in `matrix_a`, for columns.
            let words = unsafe { words::<E, _, C, 2>(from, lane, first, [stride, 8], place_b) };
            MatrixB(words, core::marker::PhantomData)
        }))
    }

    /// Loads a right matrix of [`DEPTH`](MatrixElement::DEPTH) rows that is stored row by row. Row `r` has 8 `C` elements and
    /// begins at element `first + stride r`. 16-bit elements in shared memory whose rows begin at multiples of 16 bytes are turned
    /// while they are loaded. All others are loaded one by one, which takes two or four times as many loads as
    /// [`matrix_b_by_columns`](Self::matrix_b_by_columns).
    ///
    /// # Panics
    /// When an element does not exist.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_b_by_rows<E: MatrixElement, const C: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixB<E, C>> {
        const { assert!(C <= MOST, "a warp loads at most 64 matrices at once") };
        check_rows::<E>(from.count(INSIDE), first, stride, E::DEPTH, 8 * C as u32, false);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
            #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
            if const { E::PER_WORD == 2 } && is_in_parts(from, first | stride) {
                let line = |part: u32, row: u32| {
                    let begin = first.wrapping_add(stride.wrapping_mul(row + 8 * (part % 2)));
                    from.address(begin.wrapping_add(8 * (part / 2)), INSIDE)
                };
                platform::ask_lanes();
                // SAFETY: all lanes come here, and the rows exist.
                return MatrixB(unsafe { platform::load_columns(lane, line) }, core::marker::PhantomData);
            }
            let mut words = [[0; 2]; C];
            unrolled::<C>(|c| {
                unrolled::<2>(|j| {
                    let (column, at) = place_b(lane, j);
                    let begin = first.wrapping_add(column).wrapping_add(c.wrapping_mul(8));
                    let word = word::<E>(|i| {
                        let row = at.wrapping_mul(E::PER_WORD).wrapping_add(i);
                        // SAFETY: as in `matrix_a`.
                        unsafe { from.element(begin.wrapping_add(stride.wrapping_mul(row)), INSIDE) }
                    });
                    words[c as usize][j as usize] = E::seen(word, INSIDE);
                });
            });
            MatrixB(words, core::marker::PhantomData)
        }))
    }

    /// Adds the product of `a` and `b` to `sums`, by `R C` tensor core instructions: 16 `R` x [`DEPTH`](MatrixElement::DEPTH) by
    /// `DEPTH` x 8 `C`.
    ///
    /// Like a shuffle, this takes the warp, so all lanes take part. Each call checks once that all lanes are alive. So one call
    /// with many products costs less than many calls.
    ///
    /// # Results
    ///
    /// Products of `i8` are exact, and their sums wrap around. The bits are the same everywhere.
    ///
    /// Products of floats are exact too. How they are added depends on the chip. Let `S` be the sum of the absolute values of the
    /// [`DEPTH`](MatrixElement::DEPTH) products and of the old sum. In `S`, a factor counts at least as much as the smallest
    /// normal number of its type (`2^-14` for `f16`), because chips align products by the bits of their exponents.
    ///
    /// - The result is exact, with the same bits everywhere, if all products and the old sum are multiples of one power of two
    ///   `u`, and `S` is at most `2^24 u`. One example is whole numbers with `S` up to 16,777,216.
    /// - Otherwise, if `S` is below `2^127`, a result on a GPU is within `2^-18 S + 2^-126` of the exact one. (This bound leaves
    ///   a margin for the known chips: they add 17 terms, cut off at the largest one's 24 bits, in up to four steps.) On CPU
    ///   cores products are added in `f64` and rounded to `f32` once, so a result is within `2^-24 S + 2^-149`.
    /// - A NaN is `0x7fffffff`.
    ///
    /// # Supported chips
    ///
    /// Compute capability 8.0 and later. A kernel that is built for an older chip does not compile. The default architecture is
    /// older; `CudaBuilder::arch` sets another one. On CPU cores it always runs.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// C = A B for row-major matrices. Each block of 2 x 2 warps computes 32 x 32 elements of C.
    /// #[kernel(threads = 128)]
    /// fn product(block: &mut Block, c: &mut Tile2d<f32, 32, 32, WriteOnly>, a: &[f16], b: &[f16], depth: u32) {
    ///     let (top, left, columns) = (c.first_row(), c.first_column(), c.matrix()[1]);
    ///     let mut sums = block.per_thread(|_| MatrixSums::<f16, 1, 2>::zero());
    ///     block.warps_with(&mut sums, |warp, sums| {
    ///         let (top, left) = (top + warp.index() / 2 * 16, left + warp.index() % 2 * 16);
    ///         for k in (0..depth).step_by(16) {
    ///             let a = warp.matrix_a(a, top * depth + k, depth);
    ///             let b = warp.matrix_b_by_rows(b, k * columns + left, columns);
    ///             warp.multiply(&a, &b, sums);
    ///         }
    ///     });
    ///     c.write_sums(block, &sums, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let a: Vec<_> = (0..32 * 16).map(|i| f16::from_f32((i % 7) as f32)).collect();
    /// let b: Vec<_> = (0..16 * 32).map(|i| f16::from_f32((i % 5) as f32)).collect();
    /// let mut out = [0.0; 32 * 32];
    /// let c = Matrix { data: &mut out[..], columns: 32 };
    /// product::launch(&CpuExecutor::new(), (1, 1), product::Args { c, a: &a, b: &b, depth: 16 }).unwrap();
    /// let expected: f32 = (0..16).map(|k| a[3 * 16 + k].to_f32() * b[k * 32 + 20].to_f32()).sum();
    /// assert_eq!(out[3 * 32 + 20], expected);
    /// # }
    /// ```
    ///
    /// A single lane cannot multiply, and `f32` must be rounded to `tf32` first:
    ///
    /// ```compile_fail,E0500
    /// # use cuda_std::prelude::*;
    /// fn by_lanes(warp: &mut Warp, a: &PerLane<MatrixA<f16, 1>>, b: &PerLane<MatrixB<f16, 1>>) {
    ///     let mut sums = warp.per_lane(|_| MatrixSums::<f16, 1, 1>::zero());
    ///     warp.map(a, |_, _| warp.multiply(a, b, &mut sums));
    /// }
    /// ```
    /// ```compile_fail,E0277
    /// # use cuda_std::prelude::*;
    /// fn floats(warp: &mut Warp, x: &[f32]) {
    ///     let a: PerLane<MatrixA<f32, 1>> = warp.matrix_a(x, 0, 8);
    /// }
    /// ```
    #[inline(always)]
    pub fn multiply<E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        a: &PerLane<MatrixA<E, R>>,
        b: &PerLane<MatrixB<E, C>>,
        sums: &mut PerLane<MatrixSums<E, R, C>>,
    ) {
        const { assert!(R > 0 && C > 0 && R * C <= 64, "a warp adds 1 to 64 products of 16 x 8 at once") };
        platform::multiply(&a.0, &b.0, &mut sums.0);
    }
}
