//! The transpose of a matrix, tile by tile through shared memory.

use core::num::NonZeroU32;
use cuda_std::compat::prelude::*;

const TILE: u32 = 64;
/// One column more than the tile has, so that the elements of a column are in different banks.
const PITCH: u32 = TILE + 1;
const ROWS_AT_A_TIME: u32 = 4;

/// `out` has the columns of `input` as rows. Both are row-major; `columns` and the number of rows are multiples of 64,
/// and there is a block for each tile of `input`, row by row.
///
/// # Safety
/// Both have `rows` times `columns` elements.
#[kernel(threads = 256)]
pub unsafe fn raw_transpose(out: *mut f32, input: *const f32, rows: u32, columns: u32) {
    // SAFETY: on either side of the barrier, each thread accesses its own elements of the tile and of `out`.
    unsafe {
        let tile = SharedPointer::new(shared_array![f32; 64 * 65]);
        let (x, y) = (thread::thread_idx_x() % TILE, thread::thread_idx_x() / TILE);
        let across = NonZeroU32::new_unchecked(columns / TILE);
        let tile_column = (thread::block_idx_x() % across).wrapping_mul(TILE);
        let tile_row = (thread::block_idx_x() / across).wrapping_mul(TILE);
        for step in 0..TILE / ROWS_AT_A_TIME {
            let row = y + step * ROWS_AT_A_TIME;
            let from = tile_row.wrapping_add(row).wrapping_mul(columns).wrapping_add(tile_column).wrapping_add(x);
            tile.wrapping_add(row * PITCH + x).write(input.add(from as usize).read());
        }
        thread::sync_threads();
        for step in 0..TILE / ROWS_AT_A_TIME {
            let row = y + step * ROWS_AT_A_TIME;
            let to = tile_column.wrapping_add(row).wrapping_mul(rows).wrapping_add(tile_row).wrapping_add(x);
            out.add(to as usize).write(tile.wrapping_add(x * PITCH + row).read());
        }
    }
}
