//! Atomic operations on memory by pointer. Their names give the scope: the block, the device, or the system, which includes
//! the host and other devices.
//!
//! They are inline assembly, which is not convergent; atomic operations need not be. The names are those of Rust-CUDA's
//! `atomic::mid`.
//!
//! # Safety of all of them
//! The pointer points to live memory of its type, aligned to its size. Threads that access it at the same time do so by
//! atomic operations only, whose scope contains all of them.
//!
//! # Example
//! It compiles anywhere and runs on GPUs only. `tests/tests/compat_gpu.rs` runs kernels of these functions.
//!
//! ```
//! use core::sync::atomic::Ordering;
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// `bins` has 256 elements and `lock` and `sum` one each, which others touch by atomic operations of the device.
//! #[kernel]
//! pub unsafe fn histogram(bytes: &[u8], bins: *mut u32, lock: *mut u32, sum: *mut f32) {
//!     // SAFETY: the kernel's contract; a bin is below 256.
//!     unsafe {
//!         let i = thread::index_1d();
//!         if (i as usize) < bytes.len() {
//!             let byte = bytes.at(i);
//!             atomic::atomic_fetch_add_u32_device(bins.add(byte as usize), Ordering::Relaxed, 1);
//!             atomic::AtomicF32::from_ptr(sum).fetch_add(f32::from(byte), Ordering::Relaxed);
//!             // 0 is what the first thread finds.
//!             let _was = atomic::atomic_compare_and_swap_u32_device(lock, 0, 1, Ordering::AcqRel);
//!         }
//!     }
//! }
//! # fn main() {
//! # assert_eq!(atomic::AtomicF32::new(1.5).into_inner(), 1.5);
//! # }
//! ```
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_variables))]

use super::on_device;
#[cfg(target_arch = "nvptx64")]
use core::arch::asm;
pub use core::sync::atomic::Ordering;

/// One instruction for each order. A sequentially consistent one has a fence before it.
#[cfg(target_arch = "nvptx64")]
macro_rules! ordered {
    ($order:expr, $scope:literal, $operation:literal, $arguments:literal, $($operands:tt)*) => {
        match $order {
            Ordering::Relaxed => asm!(concat!("atom.relaxed.", $scope, $operation, $arguments), $($operands)*),
            Ordering::Acquire => asm!(concat!("atom.acquire.", $scope, $operation, $arguments), $($operands)*),
            Ordering::Release => asm!(concat!("atom.release.", $scope, $operation, $arguments), $($operands)*),
            Ordering::AcqRel => asm!(concat!("atom.acq_rel.", $scope, $operation, $arguments), $($operands)*),
            _ => asm!(
                concat!("fence.sc.", $scope, ";"),
                concat!("atom.acq_rel.", $scope, $operation, $arguments),
                $($operands)*
            ),
        }
    };
}

/// `OPERATION, TYPE, register, what it does: a name for each scope;`
macro_rules! fetch {
    ($($operation:literal, $ty:ty, $register:ident, $doc:literal: $block:ident $device:ident $system:ident;)*) => {$(
        fetch!(@ $operation, $ty, $register, $doc, "cta", $block);
        fetch!(@ $operation, $ty, $register, $doc, "gpu", $device);
        fetch!(@ $operation, $ty, $register, $doc, "sys", $system);
    )*};
    (@ $operation:literal, $ty:ty, $register:ident, $doc:literal, $scope:literal, $name:ident) => {
        #[doc = concat!($doc, "; returns the old value.")]
        ///
        /// # Safety
        /// That of [all of them](self#safety-of-all-of-them).
        #[inline(always)]
        pub unsafe fn $name(pointer: *mut $ty, order: Ordering, value: $ty) -> $ty {
            on_device!("atomic", {
                let old: $ty;
                ordered!(order, $scope, $operation, " {0}, [{1}], {2};",
                    out($register) old, in(reg64) pointer, in($register) value, options(nostack, preserves_flags));
                old
            })
        }
    };
}

fetch! {
    ".add.u32", u32, reg32, "Adds, wrapping":
        atomic_fetch_add_u32_block atomic_fetch_add_u32_device atomic_fetch_add_u32_system;
    ".add.s32", i32, reg32, "Adds, wrapping":
        atomic_fetch_add_i32_block atomic_fetch_add_i32_device atomic_fetch_add_i32_system;
    ".add.u64", u64, reg64, "Adds, wrapping":
        atomic_fetch_add_u64_block atomic_fetch_add_u64_device atomic_fetch_add_u64_system;
    ".add.f32", f32, reg32, "Adds, with rounding that depends on the order":
        atomic_fetch_add_f32_block atomic_fetch_add_f32_device atomic_fetch_add_f32_system;
    ".add.f64", f64, reg64, "Adds, with rounding that depends on the order":
        atomic_fetch_add_f64_block atomic_fetch_add_f64_device atomic_fetch_add_f64_system;
    ".and.b32", u32, reg32, "Keeps the bits that both have":
        atomic_fetch_and_u32_block atomic_fetch_and_u32_device atomic_fetch_and_u32_system;
    ".or.b32", u32, reg32, "Sets bits":
        atomic_fetch_or_u32_block atomic_fetch_or_u32_device atomic_fetch_or_u32_system;
    ".xor.b32", u32, reg32, "Flips bits":
        atomic_fetch_xor_u32_block atomic_fetch_xor_u32_device atomic_fetch_xor_u32_system;
    ".min.u32", u32, reg32, "Keeps the smaller value":
        atomic_fetch_min_u32_block atomic_fetch_min_u32_device atomic_fetch_min_u32_system;
    ".max.u32", u32, reg32, "Keeps the larger value":
        atomic_fetch_max_u32_block atomic_fetch_max_u32_device atomic_fetch_max_u32_system;
    ".min.s32", i32, reg32, "Keeps the smaller value":
        atomic_fetch_min_i32_block atomic_fetch_min_i32_device atomic_fetch_min_i32_system;
    ".max.s32", i32, reg32, "Keeps the larger value":
        atomic_fetch_max_i32_block atomic_fetch_max_i32_device atomic_fetch_max_i32_system;
    ".exch.b32", u32, reg32, "Writes the value":
        atomic_fetch_exch_u32_block atomic_fetch_exch_u32_device atomic_fetch_exch_u32_system;
    ".exch.b64", u64, reg64, "Writes the value":
        atomic_fetch_exch_u64_block atomic_fetch_exch_u64_device atomic_fetch_exch_u64_system;
}

/// `TYPE, instruction, register: a name for each scope;`
macro_rules! compare_and_swap {
    ($($ty:ty, $operation:literal, $register:ident: $block:ident $device:ident $system:ident;)*) => {$(
        compare_and_swap!(@ $ty, $operation, $register, "cta", $block);
        compare_and_swap!(@ $ty, $operation, $register, "gpu", $device);
        compare_and_swap!(@ $ty, $operation, $register, "sys", $system);
    )*};
    (@ $ty:ty, $operation:literal, $register:ident, $scope:literal, $name:ident) => {
        /// Writes `new` if the memory holds `current`, and returns the old value.
        ///
        /// # Safety
        /// That of [all of them](self#safety-of-all-of-them).
        #[inline(always)]
        pub unsafe fn $name(pointer: *mut $ty, current: $ty, new: $ty, order: Ordering) -> $ty {
            on_device!("atomic", {
                let old: $ty;
                ordered!(order, $scope, $operation, " {0}, [{1}], {2}, {3};",
                    out($register) old, in(reg64) pointer, in($register) current, in($register) new,
                    options(nostack, preserves_flags));
                old
            })
        }
    };
}

compare_and_swap! {
    u32, ".cas.b32", reg32: atomic_compare_and_swap_u32_block atomic_compare_and_swap_u32_device
        atomic_compare_and_swap_u32_system;
    u64, ".cas.b64", reg64: atomic_compare_and_swap_u64_block atomic_compare_and_swap_u64_device
        atomic_compare_and_swap_u64_system;
}

/// `NAME, TYPE, function that adds, scope;`
macro_rules! float {
    ($($name:ident, $ty:ty, $add:ident, $scope:literal;)*) => {$(
        #[doc = concat!("A number that all threads of the ", $scope, " add to.")]
        #[repr(transparent)]
        pub struct $name(core::cell::UnsafeCell<$ty>);

        // SAFETY: threads that share it add to it atomically; `fetch_add` asks its caller for the scope.
        unsafe impl Sync for $name {}

        impl $name {
            /// Creates one with this value.
            #[inline(always)]
            #[must_use]
            pub const fn new(value: $ty) -> Self {
                Self(core::cell::UnsafeCell::new(value))
            }

            /// Returns the value.
            #[inline(always)]
            #[must_use]
            pub fn into_inner(self) -> $ty {
                self.0.into_inner()
            }

            /// The memory at `pointer` as an atomic number.
            ///
            /// # Safety
            /// The memory lives as long as the result, is aligned, and meanwhile only atomic operations access it.
            #[inline(always)]
            #[must_use]
            pub unsafe fn from_ptr<'a>(pointer: *mut $ty) -> &'a Self {
                // SAFETY: ensured by the caller; the types have one layout.
                unsafe { &*pointer.cast() }
            }

            /// Adds; returns the old value.
            ///
            /// # Safety
            #[doc = concat!("All threads that share it are of one ", $scope, ".")]
            #[inline(always)]
            pub unsafe fn fetch_add(&self, value: $ty, order: Ordering) -> $ty {
                // SAFETY: live and aligned; the caller's.
                unsafe { $add(self.0.get(), order, value) }
            }

            /// Subtracts; returns the old value.
            ///
            /// # Safety
            /// That of [`fetch_add`](Self::fetch_add).
            #[inline(always)]
            pub unsafe fn fetch_sub(&self, value: $ty, order: Ordering) -> $ty {
                // SAFETY: ensured by the caller.
                unsafe { self.fetch_add(-value, order) }
            }
        }
    )*};
}

float! {
    BlockAtomicF32, f32, atomic_fetch_add_f32_block, "block";
    AtomicF32, f32, atomic_fetch_add_f32_device, "device";
    SystemAtomicF32, f32, atomic_fetch_add_f32_system, "system";
    BlockAtomicF64, f64, atomic_fetch_add_f64_block, "block";
    AtomicF64, f64, atomic_fetch_add_f64_device, "device";
    SystemAtomicF64, f64, atomic_fetch_add_f64_system, "system";
}
