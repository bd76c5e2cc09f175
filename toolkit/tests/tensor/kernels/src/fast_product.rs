//! A large product of 8-bit floats that warpgroups add with their own bits.

use cuda_layout::DeviceLayout;
use cuda_std::ElementVector;
use cuda_std::prelude::*;

/// Parts of 16 bytes in a row of a tile.
const PARTS: u32 = 8;

/// As [`fn@crate::staged`], but warpgroups add all 8-bit floats with their own bits.
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
        fast_together_e4m3_128_256_4 = <e4m3x16, 128, 256, 4, 1, 32>,
        fast_together_e5m2_128_128_3 = <e5m2x16, 128, 128, 3, 1, 16>,
        fast_together_bf16_128_128_3 = <bf16x8, 128, 128, 3, 1, 16>,
    )
)]
pub fn fast<V, const ROWS: usize, const COLUMNS: usize, const STAGES: usize, const R: usize, const C: usize>(
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
    tiles.stages::<STAGES>(block).add_products_fast(block, windows, corner, &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}
