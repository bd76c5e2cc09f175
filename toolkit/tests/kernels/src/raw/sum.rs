//! The sum of a block's elements.

use cuda_std::compat::prelude::*;

const THREADS: u32 = 1024;

/// Block `b` sums up the elements from `b` times `chunk` on, in the order of `Block::reduce`: one slot per thread, then
/// strides of 16, 8, 4, 2, 1 in each warp, and likewise over the warps.
///
/// # Safety
/// `input` has `n` elements, and `sums` one for each block; `chunk` is at least 1024.
#[kernel(threads = 1024)]
pub unsafe fn raw_sum(sums: *mut f32, input: *const f32, n: u32, chunk: u32) {
    // SAFETY: warps are complete, all threads reach the barrier, and each warp writes its own element before it.
    unsafe {
        let groups = SharedPointer::new(shared_array![f32; 32]);
        let first = thread::block_idx_x().wrapping_mul(chunk);
        let end = n.min(first.wrapping_add(chunk));
        let t = thread::thread_idx_x();
        let mut i = first.wrapping_add(t);
        let mut sum = 0.0;
        while i < end {
            sum += input.add(i as usize).read();
            i = i.wrapping_add(THREADS);
        }
        sum = warp_sum(sum);
        if t.is_multiple_of(32) {
            groups.wrapping_add(t / 32).write(sum);
        }
        thread::sync_threads();
        if t < 32 {
            sum = warp_sum(groups.wrapping_add(t).read());
            if t == 0 {
                sums.add(thread::block_idx_x() as usize).write(sum);
            }
        }
    }
}

/// The first lane gets the sum.
///
/// # Safety
/// All lanes of the warp must call it.
#[inline(always)]
unsafe fn warp_sum(mut sum: f32) -> f32 {
    for delta in [16, 8, 4, 2, 1] {
        // SAFETY: ensured by the caller.
        sum += unsafe { warp::warp_shuffle_down(u32::MAX, sum, delta, 32).0 };
    }
    sum
}
