//! Shared memory by address.
//!
//! [`shared_array!`](macro@super::shared_array) returns a generic pointer, which Rust uses like any other; the hardware
//! detects at each access that it points to shared memory. A [`SharedPointer`] encodes this in the instruction, which is
//! faster.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// Blocks have 64 threads and 256 bytes of dynamic shared memory; `out` has an element for every thread.
//! #[kernel]
//! pub unsafe fn reverse_twice(out: *mut u32) {
//!     // SAFETY: the kernel's contract. Between two barriers no two threads use the same element.
//!     unsafe {
//!         let i = thread::thread_idx_x();
//!         let tile = shared::SharedPointer::new(shared_array![u32; 64]);
//!         tile.wrapping_add(63 - i).write(i);
//!         thread::sync_threads();
//!         let dynamic = shared::dynamic_shared_mem::<u32>();
//!         dynamic.add(63 - i as usize).write(tile.wrapping_add(i).read());
//!         thread::sync_threads();
//!         out.add(thread::index_1d() as usize).write(dynamic.add(i as usize).read());
//!     }
//! }
//! # fn main() {}
//! ```

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_variables))]

use super::on_device;
use bytemuck::Pod;
use core::marker::PhantomData;

#[cfg(target_arch = "nvptx64")]
use core::arch::{asm, global_asm};

// The address at which a launch's dynamic shared memory begins. The array itself takes no room.
#[cfg(target_arch = "nvptx64")]
global_asm!(".extern .shared .align 16 .b8 __cuda_std_compat_dynamic[];");

/// The dynamic shared memory that the launch requested. It is aligned to 16 bytes.
///
/// # Safety
/// Blocks may have it at different addresses: threads that take different branches by the address still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn dynamic_shared_mem<T: Copy>() -> *mut T {
    const { assert!(align_of::<T>() <= 16, "dynamic shared memory is aligned to 16 bytes") };
    on_device!("dynamic_shared_mem", {
        let array: *mut T;
        asm!("cvta.shared.u64 {0}, __cuda_std_compat_dynamic;", out(reg64) array,
            options(pure, nomem, nostack, preserves_flags));
        array
    })
}

/// The bytes of dynamic shared memory that the launch requested.
#[inline(always)]
#[must_use]
pub fn dynamic_smem_size() -> u32 {
    on_device!("dynamic_smem_size", {
        let bytes: u32;
        asm!("mov.u32 {0}, %dynamic_smem_size;", out(reg32) bytes, options(pure, nomem, nostack, preserves_flags));
        bytes
    })
}

/// A 32-bit pointer into shared memory.
pub struct SharedPointer<T>(u32, PhantomData<*mut T>);

impl<T> Clone for SharedPointer<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedPointer<T> {}

impl<T: Pod> SharedPointer<T> {
    /// The same address, from a generic pointer.
    ///
    /// # Safety
    /// `pointer` points into shared memory.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(pointer: *mut T) -> Self {
        on_device!("SharedPointer::new", {
            let address: u64;
            asm!("cvta.to.shared.u64 {0}, {1};", out(reg64) address, in(reg64) pointer.addr() as u64,
                options(pure, nomem, nostack, preserves_flags));
            Self(address as u32, PhantomData)
        })
    }

    /// The pointer `count` elements further on.
    #[inline(always)]
    #[must_use]
    pub fn wrapping_add(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count.wrapping_mul(size_of::<T>() as u32)), PhantomData)
    }

    /// The same address, for elements of another type.
    #[inline(always)]
    #[must_use]
    pub fn cast<U>(self) -> SharedPointer<U> {
        SharedPointer(self.0, PhantomData)
    }

    /// The address for instructions with `.shared`.
    #[inline(always)]
    #[must_use]
    pub fn address(self) -> u32 {
        self.0
    }

    /// Reads the element in pieces of 16, 8, 4 or 1 bytes: the largest that divides its size.
    ///
    /// # Safety
    /// The element lies within an array and is aligned to its pieces; no thread writes it at the same time.
    #[inline(always)]
    #[must_use]
    pub unsafe fn read(self) -> T {
        on_device!("SharedPointer::read", crate::platform::SharedStorage::<T, 1>::new(self.0).at().load(0))
    }

    /// Writes the element, in the same pieces as [`read`](Self::read).
    ///
    /// # Safety
    /// The element lies within an array and is aligned to its pieces; no other thread accesses it at the same time.
    #[inline(always)]
    pub unsafe fn write(self, value: T) {
        on_device!("SharedPointer::write", {
            crate::platform::SharedStorage::<T, 1>::new(self.0).at().store(0, value);
        });
    }
}

impl SharedPointer<u32> {
    /// Adds to the element, atomically for all threads of the block, and returns the old value.
    ///
    /// # Safety
    /// The element lies within an array; threads that access it at the same time do so by atomic operations only.
    #[inline(always)]
    pub unsafe fn fetch_add(self, value: u32) -> u32 {
        on_device!("SharedPointer::fetch_add", {
            let old: u32;
            asm!("atom.relaxed.cta.shared.add.u32 {0}, [{1}], {2};", out(reg32) old, in(reg32) self.0, in(reg32) value,
                options(nostack, preserves_flags));
            old
        })
    }
}
