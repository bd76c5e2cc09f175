//! Clock and debugger.

use super::on_device;
#[cfg(target_arch = "nvptx64")]
use core::arch::asm;

/// The multiprocessor's clock, in cycles.
///
/// # Safety
/// Threads that differ by it still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn clock() -> u64 {
    on_device!("clock", {
        let cycles: u64;
        // Not `pure`: it is another time each time.
        asm!("mov.u64 {0}, %clock64;", out(reg64) cycles, options(nomem, nostack, preserves_flags));
        cycles
    })
}

/// Stops in a debugger; without one the launch fails, and with it the context.
///
/// # Safety
/// A debugger runs the kernel.
#[inline(always)]
pub unsafe fn breakpoint() {
    on_device!("breakpoint", asm!("brkpt;", options(nostack, preserves_flags)));
}
