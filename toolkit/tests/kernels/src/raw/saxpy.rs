//! out = a x + y.

use cuda_std::compat::prelude::*;

/// Block `b` takes the elements from `b` times `chunk` on.
///
/// # Safety
/// Each of the three has `n` elements.
#[kernel(threads = 256)]
pub unsafe fn raw_saxpy(out: *mut f32, x: *const f32, y: *const f32, a: f32, n: u32, chunk: u32) {
    // SAFETY: each thread writes its own elements.
    unsafe {
        let first = thread::block_idx_x().wrapping_mul(chunk);
        let end = n.min(first.wrapping_add(chunk));
        let mut i = first.wrapping_add(thread::thread_idx_x());
        while i < end {
            let at = i as usize;
            out.add(at).write(math::fma(a, x.add(at).read(), y.add(at).read()));
            i = i.wrapping_add(256);
        }
    }
}
