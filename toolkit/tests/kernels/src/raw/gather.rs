//! `out[i] = x[index[i]]`.

use cuda_std::compat::prelude::*;

/// Block `b` takes the elements from `b` times `chunk` on. No index is checked.
///
/// # Safety
/// `out` and `index` have `n` elements, and every index is below the length of `x`.
#[kernel(threads = 256)]
pub unsafe fn raw_gather(out: *mut f32, x: *const f32, index: *const u32, n: u32, chunk: u32) {
    // SAFETY: each thread writes its own elements; the caller ensures the indices.
    unsafe {
        let first = thread::block_idx_x().wrapping_mul(chunk);
        let end = n.min(first.wrapping_add(chunk));
        let mut i = first.wrapping_add(thread::thread_idx_x());
        while i < end {
            let at = i as usize;
            out.add(at).write(x.add(index.add(at).read() as usize).read());
            i = i.wrapping_add(256);
        }
    }
}
