//! Kernels with one barrier each, between two branches on the same condition. The optimiser would fold the branches, if it did not
//! know that the barrier, or the function that contains it, must not be copied.
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

/// A phase as `cuda_std` has them: work of each thread, then a barrier.
macro_rules! phase {
    ($(#[$inline:meta])? $name:ident) => {
        $(#[$inline])?
        unsafe fn $name(data: *mut u32, work: impl Fn(u32) -> u32) {
            unsafe {
                let thread = _thread_idx_x() as u32;
                *data.add(thread as usize) = work(thread);
                _syncthreads();
            }
        }
    };
}
phase!(#[inline(always)] always_inlined);
phase!(#[inline(never)] never_inlined);
phase!(without_attribute);

macro_rules! kernel {
    ($name:ident, $phase:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(data: *mut u32, input: *const u32, found: *mut u32) {
            unsafe {
                let own = *input.add(_thread_idx_x() as usize);
                if own > 7 {
                    *found = own;
                }
                $phase(data, |thread| thread ^ own);
                if own > 7 {
                    *found.add(1) = own;
                }
            }
        }
    };
}
kernel!(barrier_in_inlined_function, always_inlined);
kernel!(barrier_in_called_function, never_inlined);
kernel!(barrier_in_function, without_attribute);
