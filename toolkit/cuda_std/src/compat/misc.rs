//! Clock and debugger.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// `ticks` has an element for every thread, which nothing else uses.
//! #[kernel]
//! pub unsafe fn measure(x: *mut f32, ticks: *mut u64) {
//!     // SAFETY: the kernel's contract.
//!     unsafe {
//!         let (i, begin) = (thread::index_1d() as usize, misc::clock());
//!         x.add(i).write(math::exp(x.add(i).read()));
//!         ticks.add(i).write(misc::clock() - begin);
//!     }
//! }
//! # fn main() {}
//! ```

use super::on_device;
#[cfg(target_arch = "nvptx64")]
use core::arch::asm;

/// The multiprocessor's clock, in cycles.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn clock() -> u64 {
    on_device!("clock", {
        let cycles: u64;
        // Not `pure`: each call returns another time.
        asm!("mov.u64 {0}, %clock64;", out(reg64) cycles, options(nomem, nostack, preserves_flags));
        cycles
    })
}

/// Stops in a debugger. Without a debugger, the launch fails and its context becomes unusable.
///
/// # Safety
/// A debugger runs the kernel.
#[inline(always)]
pub unsafe fn breakpoint() {
    on_device!("breakpoint", asm!("brkpt;", options(nostack, preserves_flags)));
}
