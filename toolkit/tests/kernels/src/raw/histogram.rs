//! The number of occurrences of each byte.

use cuda_std::compat::atomic::{Ordering, atomic_fetch_add_u32_device};
use cuda_std::compat::prelude::*;

/// Adds the number of each byte's occurrences to `bins`; block `b` takes the four-byte words from `b` times `chunk` on, and
/// counts in shared memory first.
///
/// # Safety
/// `words` has `n` elements and `bins` 256, which only atomic operations change in the meantime.
#[kernel(threads = 256)]
pub unsafe fn raw_histogram(bins: *mut u32, words: *const u32, n: u32, chunk: u32) {
    // SAFETY: each thread clears and reads one bin on its side of the barriers; in between they change atomically.
    unsafe {
        let local = SharedPointer::new(shared_array![u32; 256]);
        let t = thread::thread_idx_x();
        let mine = local.wrapping_add(t);
        mine.write(0);
        thread::sync_threads();
        let first = thread::block_idx_x().wrapping_mul(chunk);
        let end = n.min(first.wrapping_add(chunk));
        let mut i = first.wrapping_add(t);
        while i < end {
            let word = words.add(i as usize).read();
            for byte in 0..4 {
                local.wrapping_add(word >> (8 * byte) & 255).fetch_add(1);
            }
            i = i.wrapping_add(256);
        }
        thread::sync_threads();
        atomic_fetch_add_u32_device(bins.add(t as usize), Ordering::Relaxed, mine.read());
    }
}
