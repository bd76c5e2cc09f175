//! Two kernels with one barrier each, between two branches on the same condition.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]

use core::arch::nvptx::{_syncthreads, _thread_idx_x};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn barrier_in_crate(data: *mut u32, len: u32) {
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

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn barrier_in_dependency(data: *mut u32, len: u32) {
    unsafe { canary_dependency::exchange(data, len) }
}
