//! Writing sums of products.

use super::{MatrixElement, MatrixSums};
use crate::access::Access;
use crate::bounds::check_length;
use crate::unrolled::unrolled;
use crate::{Block, PerThread, Shared, Tile, Tile2d};
use bytemuck::Pod;

/// Runs code for each two neighbouring sums that a thread holds, with their row and their even column. A warp has 16 `R` rows and
/// 8 `C` columns, and `across` warps lie side by side.
///
/// This is a macro instead of a function with a closure: a closure that is too long to inline would take the sums by reference,
/// and they would leave their registers.
macro_rules! each_pair {
    ($thread:ident, $sums:ident, $across:ident, |$row:ident, $column:ident, $pair:ident| $body:block) => {
        each_pair!($thread, $sums, $across, |$row, $column, $pair| $body,
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
    };
    ($thread:ident, $sums:ident, $across:ident, |$row:ident, $column:ident, $pair:ident| $body:block, $($part:literal)*) => {{
        let (warp, lane) = ($thread.index() / 32, $thread.index() % 32);
        let top = (warp / $across).wrapping_mul(16 * R as u32).wrapping_add(lane / 4);
        let left = (warp % $across).wrapping_mul(8 * C as u32).wrapping_add(2 * (lane % 4));
        $(
            if const { $part < R * C } {
                let (r, c) = ($part / C, $part % C);
                let [first, second, third, fourth] = $sums.0[r % R][c];
                let ($row, $column) = (top.wrapping_add(16 * r as u32), left.wrapping_add(8 * c as u32));
                let $pair = [first, second];
                $body
                let ($row, $pair) = ($row.wrapping_add(8), [third, fourth]);
                $body
            }
        )*
    }};
}

/// The number of warps side by side, and the number of all warps.
const fn parts<const ROWS: usize, const COLUMNS: usize, const R: usize, const C: usize>() -> (u32, u32) {
    assert!(R > 0 && C > 0 && R * C <= 64, "a warp has 1 to 64 parts of 16 x 8 sums");
    assert!(
        ROWS.is_multiple_of(16 * R) && COLUMNS.is_multiple_of(8 * C),
        "a tile is cut into whole parts of 16 R rows and 8 C columns, one a warp"
    );
    ((COLUMNS / (8 * C)) as u32, (ROWS / (16 * R) * (COLUMNS / (8 * C))) as u32)
}

impl<T: Pod, const ROWS: usize, const COLUMNS: usize, A: Access> Tile2d<'_, T, ROWS, COLUMNS, A> {
    /// Writes the whole tile from the sums of products of all warps: `value(row, column, sum)`, with row and column counted in
    /// the tile.
    ///
    /// A warp has a part of 16 `R` rows and 8 `C` columns. With `across = COLUMNS / (8 C)`, warp `w` has part `w % across` in row
    /// `w / across` of parts. Warps beyond the tile write nothing. The build stops if `R` and `C` do not divide the tile into
    /// whole parts.
    ///
    /// # Panics
    /// When the block has fewer warps than the tile has parts.
    ///
    /// [`Warp::multiply`](crate::Warp::multiply) has an example. These parts do not fit:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn three(block: &mut Block, out: &mut Tile2d<f32, 16, 8>) {
    ///     let sums = block.per_thread(|_| MatrixSums::<f16, 1, 3>::zero());
    ///     out.write_sums(block, &sums, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let out = Matrix { data: &mut [0.0; 128][..], columns: 8 };
    /// three::launch(&CpuExecutor::new(), (1, 1), three::Args { out }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_sums<E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        sums: &PerThread<MatrixSums<E, R, C>>,
        value: impl Fn(u32, u32, E::Sum) -> T + Sync,
    ) {
        let (across, parts) = const { parts::<ROWS, COLUMNS, R, C>() };
        let (rows, columns) = (self.rows(), self.columns());
        check_length(parts, block.threads() / 32);
        block.open(self.claim());
        // A whole tile of elements with 2 or 4 bytes: a lane may write two neighbours at once.
        let is_whole = rows == ROWS as u32 && columns == COLUMNS as u32;
        let in_pairs = const { size_of::<T>() == 2 || size_of::<T>() == 4 }
            && is_whole
            && self.matrix()[1].is_multiple_of(2)
            && self.at(0, 0).addr().is_multiple_of(2 * size_of::<T>());
        sums.each_ref(block.phase(), |thread, own| {
            // Warps without a part would write below the tile.
            if thread.index() / 32 >= parts {
                return;
            }
            if in_pairs {
                each_pair!(thread, own, across, |row, column, pair| {
                    let items = [value(row, column, pair[0]), value(row, column.wrapping_add(1), pair[1])];
                    let to = self.at(row, column);
                    // SAFETY: as below, for two elements. They begin at a multiple of their size because rows do. A whole tile has
                    // all parts.
                    unsafe {
                        if const { size_of::<T>() == 2 } {
                            to.cast::<u32>().write(core::mem::transmute_copy(&items));
                        } else {
                            to.cast::<u64>().write(core::mem::transmute_copy(&items));
                        }
                    };
                });
                return;
            }
            each_pair!(thread, own, across, |row, column, pair| {
                unrolled::<2>(|j| {
                    let (column, sum) = (column.wrapping_add(j), pair[j as usize]);
                    if row < rows && column < columns {
                        let item = value(row, column, sum);
                        // SAFETY: within the tile. Each sum belongs to one lane, and the closure cannot hold the tile.
                        unsafe { self.at(row, column).write(item) };
                    }
                });
            });
        });
        block.close(A::READABLE);
    }
}

impl<T: Pod, const N: usize> Shared<T, N> {
    /// Writes `ROWS` rows of `COLUMNS` elements, one row after another, from the sums of products of all warps, and returns them.
    /// The warps' parts are those of [`Tile2d::write_sums`]. The build stops if the array is too small.
    ///
    /// # Panics
    /// When the block has fewer warps than there are parts.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The largest sum in each row of a product, by one warp.
    /// #[kernel(threads = 32)]
    /// fn most(block: &mut Block, out: &mut Chunk<i32, 16>, a: &[i8], b: &[i8], tile: &mut Shared<i32, 128>) {
    ///     let mut sums = block.per_thread(|_| MatrixSums::<i8, 1, 1>::zero());
    ///     block.warps_with(&mut sums, |warp, sums| {
    ///         let (a, b) = (warp.matrix_a(a, 0, 32), warp.matrix_b_by_columns(b, 0, 32));
    ///         warp.multiply(&a, &b, sums);
    ///     });
    ///     let tile = tile.write_sums::<16, 8, _, 1, 1>(block, &sums, |_, _, sum| sum);
    ///     out.fill(block, 16, |row| (0..8).fold(i32::MIN, |most, k| most.max(tile.get(8 * row + k))));
    /// }
    /// # fn main() {
    /// let (a, b): (Vec<i8>, Vec<i8>) = ((0..512).map(|i| (i / 32) as i8).collect(), vec![-3; 256]);
    /// let mut out = [0; 16];
    /// most::launch(&CpuExecutor::new(), 1, most::Args { out: &mut out, a: &a, b: &b }).unwrap();
    /// assert_eq!(out[15], 15 * -3 * 32);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn write_sums<const ROWS: usize, const COLUMNS: usize, E: MatrixElement, const R: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        sums: &PerThread<MatrixSums<E, R, C>>,
        value: impl Fn(u32, u32, E::Sum) -> T + Sync,
    ) -> Tile<'_, T> {
        const { assert!(ROWS * COLUMNS <= N, "the array has room for all rows") };
        let (across, parts) = const { parts::<ROWS, COLUMNS, R, C>() };
        check_length(parts, block.threads() / 32);
        block.open(self.claim());
        let data = self.pointer();
        sums.each_ref(block.phase(), |thread, own| {
            if thread.index() / 32 < parts {
                each_pair!(thread, own, across, |row, column, pair| {
                    unrolled::<2>(|j| {
                        let (column, sum) = (column.wrapping_add(j), pair[j as usize]);
                        let item = value(row, column, sum);
                        // SAFETY: in bounds. Each sum belongs to one lane, and the closure cannot hold the array.
                        unsafe { data.store(row.wrapping_mul(COLUMNS as u32).wrapping_add(column), item) };
                    });
                });
            }
        });
        block.close(true);
        // SAFETY: every part was written and waited for; the array stays borrowed.
        unsafe { Tile::new(data, (ROWS * COLUMNS) as u32, true) }
    }
}
