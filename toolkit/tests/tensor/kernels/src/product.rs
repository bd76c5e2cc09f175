//! A large product of matrices by tensor cores, whose tiles are copied some turns ahead.

use cuda_layout::DeviceLayout;
use cuda_std::ElementVector;
use cuda_std::prelude::*;

/// Columns of both matrices of 16-bit elements that a turn takes: 128 bytes per row.
const DEPTH: u32 = 64;
/// Parts of 16 bytes in a row of a tile.
const PARTS: u32 = DEPTH / 8;

/// A B for a row-major A and a column-major B, with `depth` elements each: whole rows of 128 bytes. A block computes `ROWS` x `COLUMNS`, a warp
/// 16 `R` x 8 `C`. Tiles are copied up to `STAGES - 1` turns ahead. `tiles` has `8 STAGES (ROWS + COLUMNS)` parts.
///
/// In the instances `together_*`, the parts of four warps lie one below the other, as Hopper's warpgroups need.
#[kernel(
    threads = ROWS * COLUMNS / (4 * R * C),
    requires(
        depth > 0 && depth.is_multiple_of(PARTS * V::COUNT),
        out.rows().is_multiple_of(ROWS) && out.columns().is_multiple_of(COLUMNS),
        a.len() * V::COUNT as usize == out.rows() * depth as usize,
        b.len() * V::COUNT as usize == out.columns() * depth as usize,
        tiles.len() == STAGES * PARTS as usize * (ROWS + COLUMNS),
    ),
    instances(
        staged_128_256_3 = <bf16x8, 128, 256, 3, 4, 8>,
        staged_128_256_4 = <bf16x8, 128, 256, 4, 4, 8>,
        staged_256_128_3 = <bf16x8, 256, 128, 3, 4, 8>,
        staged_128_128_3 = <bf16x8, 128, 128, 3, 4, 8>,
        staged_128_128_4 = <bf16x8, 128, 128, 4, 4, 8>,
        together_128_256_3 = <bf16x8, 128, 256, 3, 1, 32>,
        together_128_256_4 = <bf16x8, 128, 256, 4, 1, 32>,
        together_256_128_4 = <bf16x8, 256, 128, 4, 1, 16>,
        together_128_128_3 = <bf16x8, 128, 128, 3, 1, 16>,
        together_128_128_4 = <bf16x8, 128, 128, 4, 1, 16>,
        together_f16_128_256_4 = <f16x8, 128, 256, 4, 1, 32>,
        together_f16_64_64_2 = <f16x8, 64, 64, 2, 1, 8>,
        staged_tf32_128_128_4 = <tf32x4, 128, 128, 4, 4, 8>,
        staged_e4m3_128_128_4 = <e4m3x16, 128, 128, 4, 4, 8>,
        together_tf32_128_256_4 = <tf32x4, 128, 256, 4, 1, 32>,
        together_tf32_128_128_4 = <tf32x4, 128, 128, 4, 1, 16>,
        together_e4m3_128_128_4 = <e4m3x16, 128, 128, 4, 1, 16>,
        together_e4m3_128_128_6 = <e4m3x16, 128, 128, 6, 1, 16>,
        together_e5m2_128_128_4 = <e5m2x16, 128, 128, 4, 1, 16>,
    )
)]
pub fn staged<V, const ROWS: usize, const COLUMNS: usize, const STAGES: usize, const R: usize, const C: usize>(
    block: &mut Block,
    out: &mut Tile2d<f32, ROWS, COLUMNS, WriteOnly>,
    a: &[V],
    b: &[V],
    depth: u32,
    tiles: &mut DynamicShared<V>,
) where
    V: ElementVector<Element: MatrixElement<Sum = f32>> + DeviceLayout,
{
    let (top, left) = (out.first_row(), out.first_column());
    let (down, across) = (ROWS as u32 / (16 * R as u32), COLUMNS as u32 / (8 * C as u32));
    let [all_rows, all_columns] = out.matrix();
    let (a, b) = (Table::new(a, all_rows, depth / V::COUNT), Table::new(b, all_columns, depth / V::COUNT));
    let mut product = block.per_thread(|_| MatrixProduct::<V::Element, R, C>::zero());
    let windows =
        (a.windows_across::<ROWS, { PARTS as usize }>(top), b.windows_across::<COLUMNS, { PARTS as usize }>(left));
    let corner = |warp: u32| [warp / across % down * 16 * R as u32, warp % across * 8 * C as u32];
    tiles.stages::<STAGES>(block).add_products(block, windows, corner, &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

/// As [`fn@staged`], for 64 x 64 in one block of four warps, in two stages. If `turned`, the first warp has the last rows. `tiles` needs 16
/// rows of 128 parts, and panics if it has fewer.
#[kernel(
    threads = 128,
    requires(
        depth > 0 && depth.is_multiple_of(DEPTH) && out.rows() == 64 && out.columns() == 64,
        a.len() == 8 * depth as usize && b.len() == 8 * depth as usize,
    )
)]
pub fn turned(
    block: &mut Block,
    out: &mut Tile2d<f32, 64, 64, WriteOnly>,
    a: &[bf16x8],
    b: &[bf16x8],
    depth: u32,
    turned: u32,
    tiles: &mut DynamicShared<bf16x8>,
) {
    let (a, b) = (Table::new(a, 64, depth / 8), Table::new(b, 64, depth / 8));
    let mut product = block.per_thread(|_| MatrixProduct::<bf16, 1, 8>::zero());
    let windows = (a.windows_across::<64, { PARTS as usize }>(0), b.windows_across::<64, { PARTS as usize }>(0));
    let corner = |warp: u32| [if turned == 1 { 48 - warp % 4 * 16 } else { warp % 4 * 16 }, 0];
    tiles.stages::<2>(block).add_products(block, windows, corner, &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

/// A times the transpose of B for 64 rows of A and 32 of B: two warps with 32 x 32 each, from row `first` of A's windows on.
#[kernel(threads = 64, requires(out.columns() == 32))]
pub fn stages_of_windows(
    block: &mut Block,
    out: &mut Tile2d<f32, 64, 32, WriteOnly>,
    a: &[f16x8],
    b: &[f16x8],
    deep_a: u32,
    deep_b: u32,
    first: u32,
    tiles: &mut Shared<f16x8, { 3 * 96 * 8 }>,
) {
    let [a, b] = [(a, 64, deep_a), (b, 32, deep_b)].map(|(rows, n, depth)| Table::new(rows, n, depth / 8));
    let windows = (a.windows_across::<64, 8>(0), b.windows_across::<32, 8>(0));
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 2, 4>::zero());
    tiles.stages::<3>(block).add_products(block, windows, |warp| [first.wrapping_add(32 * warp), 0], &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

macro_rules! from_tiles {
    ($($name:ident: $element:ident, $sum:ident;)*) => {$(
        /// A B for A of 16 rows and B of 24 columns, 128 bytes each, through a tile that is swizzled (`way` 1), that is not
        /// swizzled (0), or whose rows do not begin at multiples of 16 bytes (2).
        #[kernel(threads = 32)]
        pub fn $name(
            block: &mut Block,
            out: &mut Tile2d<$sum, 16, 24, WriteOnly>,
            a: &[$element],
            b: &[$element],
            way: u32,
            tile: &mut Shared<$element, { 40 * 132 / size_of::<$element>() }>,
        ) {
            const ROW: u32 = 128 / size_of::<$element>() as u32;
            const WORD: u32 = 4 / size_of::<$element>() as u32;
            let stride = if way == 2 { ROW + WORD } else { ROW };
            let tile = tile.fill(block, 40 * stride, |i| {
                let (part, at) = (i / (4 * WORD), i % (4 * WORD));
                let i = if way == 1 { swizzled(part) * 4 * WORD + at } else { i };
                let (row, at) = (i / stride, (i % stride).min(ROW - 1));
                if row < 16 { a.at(row * ROW + at) } else { b.at((row - 16) * ROW + at) }
            });
            let mut sums = block.per_thread(|_| MatrixSums::<$element, 1, 3>::zero());
            macro_rules! add {
                ($tile:ident) => {
                    block.warps_with(&mut sums, |warp, sums| {
                        for k in (0..ROW).step_by(<$element>::DEPTH as usize) {
                            let a = warp.matrix_a(&$tile, k, stride);
                            let b = warp.matrix_b_by_columns(&$tile, 16 * stride + k, stride);
                            warp.multiply(&a, &b, sums);
                        }
                    })
                };
            }
            if way == 1 {
                let tile = tile.swizzled();
                add!(tile);
            } else {
                add!(tile);
            }
            out.write_sums(block, &sums, |_, _, sum| sum);
        }
    )*};
}

from_tiles! {
    from_tiles_f16: f16, f32;
    from_tiles_bf16: bf16, f32;
    from_tiles_tf32: tf32, f32;
    from_tiles_i8: i8, i32;
    from_tiles_e4m3: e4m3, f32;
    from_tiles_e5m2: e5m2, f32;
}
