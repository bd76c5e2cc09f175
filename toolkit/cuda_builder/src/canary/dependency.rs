//! The canary whose barrier is in a separate crate, where flags for the last crate have no effect.
#![no_std]
#![feature(stdarch_nvptx)]

use core::arch::nvptx::{_syncthreads, _thread_idx_x};

pub unsafe fn exchange(data: *mut u32, len: u32) {
    unsafe {
        let thread = _thread_idx_x() as u32;
        let inside = thread < len;
        if inside {
            *data.add(thread as usize) = thread;
        }
        _syncthreads();
        if inside {
            *data.add((thread ^ 1) as usize) += 1;
        }
    }
}
