//! Products of small matrices, which a warp computes by tensor cores.

#![allow(non_camel_case_types)] // `tf32`, as the other numbers.

mod element;
mod product;
mod source;
mod store;

pub use element::{MatrixElement, tf32};
pub use product::MatrixProduct;
pub use source::{MatrixSource, Swizzled, swizzled};

use crate::platform::{self, LaneStorage};
use crate::seal::INSIDE;
use crate::unrolled::unrolled;
use crate::{Lane, PerLane, Warp};
use source::check_rows;

/// What a lane holds of a matrix of 16 `R` rows and [`DEPTH`](MatrixElement::DEPTH) columns, the left one of a product: registers, of
/// which [`Warp::multiply`] knows what is where.
#[derive(Clone, Copy)]
pub struct MatrixA<E, const R: usize>(pub(crate) [[u32; 4]; R], core::marker::PhantomData<E>);

/// What a lane holds of a matrix of [`DEPTH`](MatrixElement::DEPTH) rows and 8 `C` columns, the right one of a product.
#[derive(Clone, Copy)]
pub struct MatrixB<E, const C: usize>(pub(crate) [[u32; 2]; C], core::marker::PhantomData<E>);

/// What a lane holds of a matrix of 16 `R` rows and 8 `C` columns, to which products are added.
///
/// It lives where a lane's or a thread's own values do: in a [`PerLane`] within a phase of warps, or in a
/// [`PerThread`](crate::PerThread) from phase to phase. [`Warp::multiply`] has an example.
#[derive(Clone, Copy)]
pub struct MatrixSums<E: MatrixElement, const R: usize, const C: usize>(pub(crate) [[[E::Sum; 4]; C]; R]);

/// Where lane `lane` has its word `j` of a left matrix: row, and word of the row.
#[inline(always)]
pub(crate) fn place_a(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4 + 8 * (j % 2), lane % 4 + 4 * (j / 2))
}

/// Where it has its word `j` of a right one: column, and word of the column.
#[inline(always)]
pub(crate) fn place_b(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4, lane % 4 + 4 * j)
}

/// Where it has its sum `j`: row and column.
#[inline(always)]
pub(crate) fn place_sum(lane: u32, j: u32) -> (u32, u32) {
    (lane / 4 + 8 * (j / 2), 2 * (lane % 4) + j % 2)
}

/// The elements of a word, each of which `element` gives.
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
    /// Zeroes.
    #[inline(always)]
    #[must_use]
    pub fn zero() -> Self {
        Self([[[bytemuck::Zeroable::zeroed(); 4]; C]; R])
    }

    /// Calls `f(row, column, sum)` for each sum that the lane holds: two neighbours of a row, and two of the row eight below,
    /// in each 16 x 8.
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

/// Whether rows lie in shared memory and begin at multiples of 16 bytes, if `begin` and all strides do.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
fn is_in_parts<E: MatrixElement, S: MatrixSource<E> + ?Sized>(_from: &S, begin: u32) -> bool {
    S::IS_SHARED && begin.is_multiple_of(4 * E::PER_WORD)
}

/// As [`words`], for [rows](is_in_parts) that instructions load in parts of 8 rows each.
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
    place: impl Fn(u32, u32) -> (u32, u32),
) -> [[u32; J]; N] {
    let lines = |part: u32, row: u32| {
        let (line, at) = place(0, part % J as u32);
        let line = line.wrapping_add(row).wrapping_add((part / J as u32).wrapping_mul(height));
        let begin = first.wrapping_add(stride.wrapping_mul(line));
        from.address(begin.wrapping_add(at.wrapping_mul(E::PER_WORD)), INSIDE)
    };
    // SAFETY: the caller's: all lanes come here, and the rows are there.
    let loaded: [[u32; J]; N] = unsafe { platform::load_rows(lane, lines) };
    let mut words = [[0; J]; N];
    unrolled::<N>(|n| {
        unrolled::<J>(|j| {
            words[n as usize][j as usize] = E::seen(loaded[n as usize][j as usize], INSIDE);
        });
    });
    words
}

/// A lane's words of a matrix in `N` parts of `height` rows (of the left matrix) or columns (of the right one), of which each
/// begins `stride` elements after the one before. `place` says which of them, and which of its words, is word `j` of the lane.
///
/// # Safety
/// The matrix begins at element `first`; all of it is there, and its rows or columns begin at multiples of a word. All lanes of the
/// warp get here together.
#[inline(always)]
unsafe fn words<E: MatrixElement, S: MatrixSource<E> + ?Sized, const N: usize, const J: usize>(
    from: &S,
    lane: u32,
    first: u32,
    [stride, height]: [u32; 2],
    place: impl Fn(u32, u32) -> (u32, u32),
) -> [[u32; J]; N] {
    let mut words = [[0; J]; N];
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    if is_in_parts(from, first | stride) {
        platform::ask_lanes();
        // SAFETY: the caller's: all lanes come here, and the rows are there.
        return unsafe { shared_words(from, lane, first, [stride, height], place) };
    }
    unrolled::<N>(|n| {
        unrolled::<J>(|j| {
            let (line, at) = place(lane, j);
            let begin = first.wrapping_add(stride.wrapping_mul(line.wrapping_add(n.wrapping_mul(height))));
            // SAFETY: the caller's.
            let word = unsafe { from.word(begin.wrapping_add(at.wrapping_mul(E::PER_WORD)), INSIDE) };
            words[n as usize][j as usize] = E::seen(word, INSIDE);
        });
    });
    words
}

impl Warp {
    /// Loads a left matrix, 16 `R` rows of [`DEPTH`](MatrixElement::DEPTH) elements: row `r` begins at element `first + stride r`
    /// of a tile of shared memory or of an input.
    ///
    /// With rows of a power of two, the lanes' loads from shared memory wait for each other: 16 bytes behind each row spread
    /// them over all banks.
    ///
    /// # Panics
    /// When an element is not there, or a row does not begin at a multiple of 4 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_a<E: MatrixElement, const R: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixA<E, R>> {
        check_rows::<E>(from.count(INSIDE), first, stride, 16 * R as u32, E::DEPTH, true);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
            // SAFETY: all of the matrix is there, and its rows begin at multiples of a word.
            let words = unsafe { words::<E, _, R, 4>(from, lane, first, [stride, 16], place_a) };
            MatrixA(words, core::marker::PhantomData)
        }))
    }

    /// Loads a right matrix of [`DEPTH`](MatrixElement::DEPTH) rows that lies column by column: its column `c`, of 8 `C`, begins at
    /// element `first + stride c`. That is how it is used, so that a load has a whole word.
    ///
    /// # Panics
    /// When an element is not there, or a column does not begin at a multiple of 4 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_b_by_columns<E: MatrixElement, const C: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixB<E, C>> {
        check_rows::<E>(from.count(INSIDE), first, stride, 8 * C as u32, E::DEPTH, true);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
            // SAFETY: as in `matrix_a`, of columns.
            let words = unsafe { words::<E, _, C, 2>(from, lane, first, [stride, 8], place_b) };
            MatrixB(words, core::marker::PhantomData)
        }))
    }

    /// Loads a right matrix that lies row by row: row `r`, of [`DEPTH`](MatrixElement::DEPTH), has 8 `C` elements and begins at element
    /// `first + stride r`. Element by element, which takes two or four times as many loads as
    /// [`matrix_b_by_columns`](Self::matrix_b_by_columns).
    ///
    /// # Panics
    /// When an element is not there.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_b_by_rows<E: MatrixElement, const C: usize>(
        &mut self,
        from: &(impl MatrixSource<E> + ?Sized),
        first: u32,
        stride: u32,
    ) -> PerLane<MatrixB<E, C>> {
        check_rows::<E>(from.count(INSIDE), first, stride, E::DEPTH, 8 * C as u32, false);
        let index = self.index();
        PerLane(LaneStorage::new(self.phase(), index, |lane| {
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

    /// Adds the product of `a` and `b` to `sums`, by `R C` instructions for tensor cores: 16 `R` x [`DEPTH`](MatrixElement::DEPTH) by
    /// `DEPTH` x 8 `C`.
    ///
    /// All lanes take part, since all come here: this takes the warp, as a shuffle does. Each call asks once whether all
    /// lanes are alive, so that a call of many products takes less than many calls.
    ///
    /// # What comes out
    ///
    /// Products of `i8` are exact, and their sums wrap around: the same bits everywhere.
    ///
    /// Products of floats are exact, too; how they are added is the chip's own matter. Let `S` be the sum of the absolute values
    /// of the [`DEPTH`](MatrixElement::DEPTH) products and of what is added to, where a factor counts as no less than the smallest
    /// number of its type that is not subnormal (`2^-14` for `f16`: chips align products by their exponents' bits).
    ///
    /// - If all products, and what is added to, are multiples of one power of two `u`, and `S` is at most `2^24 u`, then results are exact
    ///   and have the same bits everywhere: whole numbers with `S` up to 16,777,216, for example.
    /// - Otherwise, where `S` is below `2^127`, a result on a GPU is within `2^-18 S + 2^-126` of the exact one. (That leaves room
    ///   for what is known of chips: 17 terms cut off at the largest one's 24 bits, in up to four steps.) On CPU cores products
    ///   are added in `f64` and rounded to `f32` once, so that a result is within `2^-24 S + 2^-149`.
    /// - A NaN is `0x7fffffff`.
    ///
    /// # Which chips
    ///
    /// Those of compute capability 8.0 and later. A kernel that is built for an older one, as kernels are where nothing is said, does
    /// not compile: `CudaBuilder::arch` says for which. On CPU cores it runs in any case.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// C = A B for row-major matrices: a block for each 32 x 32 of C, of 2 x 2 warps.
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
    /// A lane by itself multiplies nothing, and `f32` is rounded to `tf32` first:
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
