//! Printing by a function that the driver provides to every module.

use core::ffi::c_void;

/// Values in the form that `vprintf` reads.
pub trait Packed {}

/// One of these values.
pub trait Word {}
impl<T> Word for T {}

unsafe extern "C" {
    fn vprintf(format: *const u8, values: *const c_void) -> i32;
}

#[inline(always)]
pub(crate) fn print<P: Packed, const N: usize>(format: &'static [u8; N], values: &P) {
    // SAFETY: the format ends with a zero byte and was made from the values' types, whose layout matches their conversions
    // (`crate::print::Values`, which no other crate implements). The function writes to the device's own buffer and returns
    // to every thread that calls it.
    unsafe { vprintf(format.as_ptr(), (&raw const *values).cast()) };
}

/// Whether this thread is the block's first.
#[inline(always)]
pub(crate) fn speaks_for_the_block() -> bool {
    super::thread_index() == 0
}
