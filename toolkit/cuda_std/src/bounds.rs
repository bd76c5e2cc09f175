//! Checks of indices and lengths.

/// The longest memory that phases work on: an index and the number of threads in a block, added, do not wrap.
pub(crate) const MAX_LENGTH: u32 = u32::MAX - 1024;

#[inline(always)]
#[track_caller]
pub(crate) fn check_length(n: u32, len: u32) {
    if n > len || n > MAX_LENGTH {
        out_of_bounds();
    }
}

#[inline(always)]
#[track_caller]
pub(crate) fn check_index(i: u32, len: u32) {
    if i >= len {
        out_of_bounds();
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds() -> ! {
    panic!("index out of bounds")
}
