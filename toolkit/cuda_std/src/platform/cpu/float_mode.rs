//! The rounding mode of a CPU core, and its treatment of subnormal numbers.
//!
//! Each thread has a register for both. Other libraries in the process may set it, and a new thread inherits it from the thread
//! that starts it. Results must have the same bits on all threads, so each block runs with the default.

/// The thread's previous mode. Dropping this restores it.
pub(crate) struct FloatMode(Register);

impl FloatMode {
    /// Sets the default: rounding to nearest, ties to even, with subnormal numbers and without signals.
    #[inline]
    pub(crate) fn set_default() -> Self {
        let own = get();
        if own & CONTROL != DEFAULT {
            set(DEFAULT);
        }
        Self(own)
    }
}

impl Drop for FloatMode {
    #[inline]
    fn drop(&mut self) {
        if self.0 & CONTROL != DEFAULT {
            set(self.0);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
use x86_64::{CONTROL, DEFAULT, Register, get, set};

/// The register MXCSR.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86_64 {
    use std::arch::asm;

    pub(super) type Register = u32;
    /// All bits except the exception flags.
    pub(super) const CONTROL: Register = 0xffc0;
    pub(super) const DEFAULT: Register = 0x1f80;

    #[inline]
    pub(super) fn get() -> Register {
        let mut found = 0u32;
        // SAFETY: stores the register to a local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack, preserves_flags)) };
        found
    }

    #[inline]
    pub(super) fn set(mode: Register) {
        // SAFETY: the default, which the compiler relies on, or the thread's own previous mode, when its code continues.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
use aarch64::{CONTROL, DEFAULT, Register, get, set};

/// The register FPCR.
#[cfg(all(target_arch = "aarch64", not(miri)))]
mod aarch64 {
    use std::arch::asm;

    pub(super) type Register = u64;
    pub(super) const CONTROL: Register = !0;
    pub(super) const DEFAULT: Register = 0;

    #[inline]
    pub(super) fn get() -> Register {
        let found;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) found, options(nomem, nostack, preserves_flags)) };
        found
    }

    #[inline]
    pub(super) fn set(mode: Register) {
        // SAFETY: the default, which the compiler relies on, or the thread's own previous mode, when its code continues.
        unsafe { asm!("msr fpcr, {}", in(reg) mode, options(nostack, preserves_flags)) };
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
use other::{CONTROL, DEFAULT, Register, get, set};

/// Processors whose register this code does not know.
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod other {
    pub(super) type Register = u32;
    pub(super) const CONTROL: Register = 0;
    pub(super) const DEFAULT: Register = 0;

    pub(super) fn get() -> Register {
        0
    }

    pub(super) fn set(_: Register) {}
}
