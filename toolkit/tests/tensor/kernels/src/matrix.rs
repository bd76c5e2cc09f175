//! Matrix products with tensor cores.

use cuda_std::prelude::*;

/// C + A B for a row-major A and a column-major B, with `depth` elements each; C has 32 columns and belongs to one block.
/// Uses two by two warps, with 16 x 16 elements each.
#[inline(always)]
fn product<E: MatrixElement + Sync>(
    block: &mut Block,
    out: &mut Tile2d<E::Sum, 32, 32, WriteOnly>,
    (a, b, c): (&[E], &[E], &[E::Sum]),
    depth: u32,
) {
    let (top, left, columns) = (out.first_row(), out.first_column(), out.matrix()[1]);
    let mut sums = block.per_thread(|_| MatrixSums::<E, 1, 2>::zero());
    block.warps_with(&mut sums, |warp, sums| {
        let (top, left) = (top + warp.index() / 2 * 16, left + warp.index() % 2 * 16);
        warp.each(sums, |lane, sums| {
            sums.for_each(lane, |row, column, sum| *sum = c.at((top + row) * columns + left + column));
        });
        for k in (0..depth).step_by(E::DEPTH as usize) {
            let a = warp.matrix_a(a, top * depth + k, depth);
            let b = warp.matrix_b_by_columns(b, left * depth + k, depth);
            warp.multiply(&a, &b, sums);
        }
    });
    out.write_sums(block, &sums, |_, _, sum| sum);
}

macro_rules! products {
    ($($name:ident: $element:ident, $sum:ident;)*) => {$(
        /// C + A B for a row-major A and a column-major B.
        #[kernel(threads = 128)]
        pub fn $name(
            block: &mut Block,
            out: &mut Tile2d<$sum, 32, 32, WriteOnly>,
            a: &[$element],
            b: &[$element],
            c: &[$sum],
            depth: u32,
        ) {
            product(block, out, (a, b, c), depth);
        }
    )*};
}

products! {
    product_f16: f16, f32;
    product_i8: i8, i32;
    product_bf16: bf16, f32;
    product_tf32: tf32, f32;
    product_e4m3: e4m3, f32;
    product_e5m2: e5m2, f32;
}

/// Elements of a row of a tile in shared memory: 32, plus 8 so that rows begin in different banks.
const ROW: u32 = 40;

macro_rules! tiled {
    ($($name:ident: $element:ident, $eight:ident;)*) => {$(
        /// A B for row-major matrices, through shared memory: a block for each 64 x 64, with 2 x 2 warps of 32 x 32 each.
        /// All sizes are multiples of 64.
        #[kernel(threads = 128, requires(depth % 64 == 0))]
        pub fn $name(
            block: &mut Block,
            out: &mut Tile2d<f32, 64, 64, WriteOnly>,
            a: &[$element],
            b: &[$element],
            depth: u32,
            left: &mut Shared<$eight, 320>,
            right: &mut Shared<$element, 2560>,
        ) {
            let (top, first, columns) = (out.first_row(), out.first_column(), out.matrix()[1]);
            let eights = Vectors::<_, 8>::of(a);
            let mut sums = block.per_thread(|_| MatrixSums::<$element, 2, 4>::zero());
            for k in (0..depth).step_by(32) {
                // Five groups of eight per row, the last of which is padding.
                let left = left.fill(block, 320, |i| {
                    let (row, at) = (i / 5, i % 5);
                    $eight::from_array(eights.get(((top + row) * depth + k) / 8 + if at < 4 { at } else { 0 }))
                });
                // In column-major order.
                let right = right.fill(block, 2560, |i| {
                    let (column, row) = (i / ROW, i % ROW);
                    b.at((k + if row < 32 { row } else { 0 }) * columns + first + column)
                });
                let left = left.elements();
                block.warps_with(&mut sums, |warp, sums| {
                    let (top, first) = (warp.index() / 2 * 32, warp.index() % 2 * 32);
                    for k in [0, 16] {
                        let a = warp.matrix_a(&left, top * ROW + k, ROW);
                        let b = warp.matrix_b_by_columns(&right, first * ROW + k, ROW);
                        warp.multiply(&a, &b, sums);
                    }
                });
            }
            out.write_sums(block, &sums, |_, _, sum| sum);
        }
    )*};
}

tiled! {
    tiled_f16: f16, f16x8;
    tiled_bf16: bf16, bf16x8;
}

macro_rules! loaded {
    ($($name:ident: $element:ident, $sum:ident;)*) => {$(
        /// A B in tiles of 64 x 32, by 2 x 1 warps with 32 x 32 each. A comes from shared memory. `way` is how B is loaded: by columns (0),
        /// by rows (1), or element by element, as is A then (2). Element (1, 2) of each warp's part is not written as it was computed, but as 0.
        #[kernel(threads = 96)]
        pub fn $name(
            block: &mut Block,
            out: &mut Tile2d<$sum, 64, 32>,
            a: &[$element],
            by_columns: &[$element],
            by_rows: &[$element],
            depth: u32,
            way: u32,
            tile: &mut Shared<$element, 2048>,
        ) {
            let (top, left, columns) = (out.first_row(), out.first_column(), out.matrix()[1]);
            let one = <$element>::DEPTH;
            let mut sums = block.per_thread(|_| MatrixSums::<$element, 2, 4>::default());
            for k in (0..depth).step_by(one as usize) {
                // The rows of A that both warps have.
                let tile = tile.fill(block, 64 * one, |i| {
                    let row = (top + i / one).min(a.len() as u32 / depth - 1);
                    a.at(row * depth + k + i % one)
                });
                block.warps_with(&mut sums, |warp, sums| {
                    if warp.index() == 2 {
                        return;
                    }
                    let first = 32 * warp.index();
                    let a = match way {
                        0 => warp.matrix_a(&tile, first * one, one),
                        _ => warp.per_lane(|lane| MatrixA::of(lane, |row, column| tile.get((first + row) * one + column))),
                    };
                    let b = match way {
                        0 => warp.matrix_b_by_columns(by_columns, left * depth + k, depth),
                        1 => warp.matrix_b_by_rows(by_rows, k * columns + left, columns),
                        _ => warp.per_lane(|lane| {
                            MatrixB::of(lane, |row, column| by_rows.at((k + row) * columns + left + column))
                        }),
                    };
                    warp.multiply(&a, &b, sums);
                });
            }
            out.write_sums(block, &sums, |row, column, sum| if row == 1 && column == 2 { Default::default() } else { sum });
        }
    )*};
}

loaded! {
    loaded_f16: f16, f32;
    loaded_bf16: bf16, f32;
    loaded_tf32: tf32, f32;
    loaded_i8: i8, i32;
    loaded_e4m3: e4m3, f32;
}
