//! A product of matrices, with tiles in shared memory and in registers.

use core::num::NonZeroU32;
use cuda_std::compat::prelude::*;

/// Rows and columns of a block's tile.
const TILE: u32 = 128;
/// Columns of A and rows of B per iteration.
const DEPTH: u32 = 8;

/// Four neighbouring elements: one load or store.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Quad([f32; 4]);

/// C = A B for row-major matrices of `n` rows and columns, a multiple of 128. A block of 256 threads computes 128 x 128
/// elements, a thread 8 x 8 of them: 4 x 4 in each quarter. There is a block for each tile, row by row.
///
/// # Safety
/// Each has `n` times `n` elements, and is aligned to 16 bytes.
#[kernel(threads = 256, blocks_per_sm = 2)]
pub unsafe fn raw_matmul(c: *mut f32, a: *const f32, b: *const f32, n: u32) {
    // SAFETY: threads take the same number of iterations; on its side of the barriers each writes its own elements.
    unsafe {
        // Both in rows of 128: A's tile is transposed.
        let left = SharedPointer::new(shared_array![f32; 8 * 128]);
        let right = SharedPointer::new(shared_array![f32; 8 * 128]);
        let t = thread::thread_idx_x();
        let across = NonZeroU32::new_unchecked(n / TILE);
        let tile_row = (thread::block_idx_x() / across).wrapping_mul(TILE);
        let tile_column = (thread::block_idx_x() % across).wrapping_mul(TILE);
        // The four elements of the tiles that this thread loads.
        let (a_row, a_column) = (t / 2, t % 2 * 4);
        let (b_row, b_column) = (t / 32, t % 32 * 4);
        let mut from_a = a.add(tile_row.wrapping_add(a_row).wrapping_mul(n).wrapping_add(a_column) as usize);
        let mut from_b = b.add(b_row.wrapping_mul(n).wrapping_add(tile_column).wrapping_add(b_column) as usize);
        let step_b = (n as usize).wrapping_mul(DEPTH as usize);
        // The elements that it computes: these four and those 64 further on, in rows and columns.
        let (row, column) = (t / 16 * 4, t % 16 * 4);
        let mut sums = [[0.0f32; 8]; 8];
        let mut next_a = from_a.cast::<Quad>().read();
        let mut next_b = from_b.cast::<Quad>().read();
        let mut turn = n / DEPTH;
        loop {
            for i in 0..4 {
                left.wrapping_add((a_column + i as u32) * TILE + a_row).write(next_a.0[i]);
            }
            right.wrapping_add(b_row * TILE + b_column).cast::<[f32; 4]>().write(next_b.0);
            thread::sync_threads();
            turn = turn.wrapping_sub(1);
            if turn > 0 {
                // Loads the next tile during the computation.
                from_a = from_a.add(DEPTH as usize);
                from_b = from_b.add(step_b);
                next_a = from_a.cast::<Quad>().read();
                next_b = from_b.cast::<Quad>().read();
            }
            // Unrolled by hand, because there is no attribute like `#pragma unroll`.
            macro_rules! steps {
                ($($k:literal)*) => {$(
                    let x = eight(left, $k * TILE + row);
                    let y = eight(right, $k * TILE + column);
                    for i in 0..8 {
                        for j in 0..8 {
                            sums[i][j] = math::fma(x[i], y[j], sums[i][j]);
                        }
                    }
                )*};
            }
            steps!(0 1 2 3 4 5 6 7);
            if turn == 0 {
                break;
            }
            thread::sync_threads();
        }
        for i in 0..8 {
            let sums = sums[i];
            let below = tile_row.wrapping_add(row + i as u32 % 4 + i as u32 / 4 * 64);
            let to = c.add(below.wrapping_mul(n).wrapping_add(tile_column).wrapping_add(column) as usize);
            to.cast::<Quad>().write(Quad([sums[0], sums[1], sums[2], sums[3]]));
            to.add(64).cast::<Quad>().write(Quad([sums[4], sums[5], sums[6], sums[7]]));
        }
    }
}

/// Four elements from `at` on, and four from 64 further on.
///
/// # Safety
/// They are within the array, `at` is a multiple of 4, and no thread writes them.
#[inline(always)]
unsafe fn eight(array: SharedPointer<f32>, at: u32) -> [f32; 8] {
    // SAFETY: ensured by the caller.
    let ([a, b, c, d], [e, f, g, h]) = unsafe {
        (array.wrapping_add(at).cast::<[f32; 4]>().read(), array.wrapping_add(at + 64).cast::<[f32; 4]>().read())
    };
    [a, b, c, d, e, f, g, h]
}
