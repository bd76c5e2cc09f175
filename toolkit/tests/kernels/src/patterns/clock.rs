//! What a thread knows about itself, in the raw style.
#![allow(unsafe_code)]

use cuda_std::compat::prelude::*;

// ANCHOR: my_kernel
/// Each thread writes the multiprocessor's clock below its own index: `index << 32 | clock`.
///
/// # Safety
/// `output` has `output_len` elements.
#[kernel(threads = 1024)]
pub unsafe fn my_kernel(output: *mut u64, output_len: u32) {
    // SAFETY: a thread writes the element of its index, if there is one.
    unsafe {
        let index = thread::block_idx_x() * 1024 + thread::thread_idx_x();
        if index < output_len {
            output.add(index as usize).write(u64::from(index) << 32 | misc::clock() & 0xffff_ffff);
        }
    }
}
// ANCHOR_END: my_kernel
