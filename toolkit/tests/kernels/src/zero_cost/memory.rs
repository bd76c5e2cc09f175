//! Memory-bound operations.

use cuda_std::prelude::*;

/// out = a x + y.
#[kernel(threads = 256, requires(x.len() == out.len(), y.len() == out.len()))]
pub fn safe_saxpy(block: &mut Block, out: &mut Chunk<f32, 4096, WriteOnly>, x: &[f32], y: &[f32], a: f32) {
    let (first, n) = (out.start(), out.len());
    let (x, y) = (x.part(first, n), y.part(first, n));
    out.fill(block, n, |i| math::fma(a, x.at(i), y.at(i)));
}

/// Block `b` sums up the `chunk` elements from `b` times `chunk` on, or fewer at the end.
#[kernel(threads = 1024, requires(input.len() <= sums.len() * chunk as usize))]
pub fn safe_sum(block: &mut Block, sums: &mut Chunk<f32, 1, WriteOnly>, input: &[f32], chunk: u32) {
    let first = block.index().wrapping_mul(chunk);
    let n = chunk.min((input.len() as u32).wrapping_sub(first));
    let input = input.part(first, n);
    let sum = block.reduce_ahead(n, 0.0, |i| input.at(i), |a, b| a + b);
    sums.fill(block, 1, |_| sum);
}

/// `out` has the columns of `input` as rows. The numbers of columns (`columns`) and rows of `input` are multiples of 64.
///
/// The element of row `y` and column `x` of a tile is stored at position `x ^ y % 32` of row `y`, so 32 neighbouring elements of a
/// row are in different banks, and so are those of a column.
#[kernel(threads = 256, requires(out.rows() == columns as usize, out.len() == input.len()))]
pub fn safe_transpose(
    block: &mut Block,
    out: &mut Tile2d<f32, 64, 64, WriteOnly>,
    input: &[f32],
    columns: u32,
    tile: &mut Shared<f32, 4096>,
) {
    let (first_row, first_column) = (out.first_column(), out.first_row());
    let window = Table::new(input, out.matrix()[1], columns).window::<64, 64>(first_row, first_column);
    let tile = tile.fill_all(block, |i| window.at(i / 64, (i % 64) ^ (i / 64 % 32)));
    out.fill(block, |row, column| tile.get(column * 64 + (row ^ (column % 32))));
}

/// Adds the number of each byte's occurrences to `bins`; block `b` takes the four-byte words from `b` times `chunk` on, and
/// counts in shared memory first.
#[kernel(threads = 256, requires(bins.len() == 256, words.len() <= grid.x as usize * chunk as usize))]
pub fn safe_histogram(block: &mut Block, bins: &Atomics<u32>, words: &[u32], chunk: u32, local: &mut Shared<u32, 256>) {
    let first = block.index().wrapping_mul(chunk);
    let n = chunk.min((words.len() as u32).wrapping_sub(first));
    let words = words.part(first, n);
    let mut local = local.fill_all(block, |_| 0);
    local.update_atomic(block, n, |thread, cells, i| {
        let word = words.at(i);
        for byte in 0..4 {
            cells.add(thread, word >> (8 * byte) & 255, 1);
        }
    });
    block.for_each(256, |thread, i| _ = bins.add(thread, i, local.get(i)));
}
