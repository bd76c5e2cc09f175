//! Typical Rust-CUDA examples: vector addition, a tiled matrix product, and a reduction by block.

use cuda_std::compat::prelude::*;

// ANCHOR: vecadd
/// Adds two vectors.
///
/// # Safety
/// `c` has room for as many elements as `a`.
#[kernel]
pub unsafe fn vecadd(a: &[f32], b: &[f32], c: *mut f32) {
    // SAFETY: a thread writes the element of its index, if there is one.
    unsafe {
        let i = thread::index_1d();
        if (i as usize) < a.len() {
            c.add(i as usize).write(a.at(i) + b.at(i));
        }
    }
}
// ANCHOR_END: vecadd

/// Rows and columns of a tile of [`gemm_tiled`](fn@gemm_tiled).
pub const MATRIX_TILE: usize = 16;
const TILE: u32 = MATRIX_TILE as u32;

// ANCHOR: gemm
/// C = alpha A B + beta C for row-major matrices: A has m rows of k, B has k rows of n, C has m rows of n. Blocks of
/// 16 x 16 threads, and one for each 16 x 16 tile of C.
///
/// # Safety
/// C has m n elements.
#[kernel(threads = 256)]
pub unsafe fn gemm_tiled(a: &[f32], b: &[f32], c: *mut f32, m: u32, n: u32, k: u32, alpha: f32, beta: f32) {
    // SAFETY: all threads take the same number of iterations, with two barriers each; each element of a tile is written by
    // only one thread between two barriers.
    unsafe {
        let tile_a = shared_array![f32; MATRIX_TILE * MATRIX_TILE];
        let tile_b = shared_array![f32; MATRIX_TILE * MATRIX_TILE];
        let (tx, ty) = (thread::thread_idx_x(), thread::thread_idx_y());
        let row = thread::block_idx_y() * TILE + ty;
        let column = thread::block_idx_x() * TILE + tx;
        let mine = (ty * TILE + tx) as usize;
        let mut sum = 0.0;
        let mut first = 0;
        while first < k {
            let (along, down) = (first + tx, first + ty);
            tile_a.add(mine).write(if row < m && along < k { a.at(row * k + along) } else { 0.0 });
            tile_b.add(mine).write(if down < k && column < n { b.at(down * n + column) } else { 0.0 });
            thread::sync_threads();
            for i in 0..TILE {
                let left = tile_a.add((ty * TILE + i) as usize).read();
                let right = tile_b.add((i * TILE + tx) as usize).read();
                sum = math::fma(left, right, sum);
            }
            thread::sync_threads();
            first += TILE;
        }
        if row < m && column < n {
            let to = c.add((row * n + column) as usize);
            to.write(math::fma(alpha, sum, beta * to.read()));
        }
    }
}
// ANCHOR_END: gemm

// ANCHOR: sum
/// The sum of each block's elements of `input`: repeated halving in dynamic shared memory, the last 32 by shuffles. Blocks
/// of 64, 128, .. 1024 threads, and 4 dynamic bytes per thread.
///
/// # Safety
/// `sums` has an element for each block.
#[kernel]
pub unsafe fn block_sum(input: &[f32], sums: *mut f32) {
    // SAFETY: all threads reach the barriers, and between two of them each writes an element that no other thread accesses;
    // the first warp is complete.
    unsafe {
        let values = shared::dynamic_shared_mem::<f32>();
        let (t, i) = (thread::thread_idx_x(), thread::index_1d());
        let mine = values.add(t as usize);
        mine.write(if (i as usize) < input.len() { input.at(i) } else { 0.0 });
        thread::sync_threads();
        let mut stride = thread::block_dim_x() / 2;
        while stride >= 32 {
            if t < stride {
                mine.write(mine.read() + mine.add(stride as usize).read());
            }
            thread::sync_threads();
            stride /= 2;
        }
        if t < 32 {
            let mut sum = mine.read();
            for delta in [16, 8, 4, 2, 1] {
                sum += warp::warp_shuffle_down(u32::MAX, sum, delta, 32).0;
            }
            if t == 0 {
                sums.add(thread::block_idx_x() as usize).write(sum);
            }
        }
    }
}
// ANCHOR_END: sum
