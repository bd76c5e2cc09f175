//! Checks of indices and lengths.

use crate::unrolled::unrolled;

/// The longest memory that phases work on: an index and the number of threads in a block, added, do not wrap.
pub(crate) const MAX_LENGTH: u32 = u32::MAX - 1024;

/// `len` and `is_empty` of a type that counts what it has in its field `len`.
macro_rules! counted {
    ($what:literal) => {
        #[doc = concat!("Number of ", $what, ".")]
        #[inline(always)]
        #[must_use]
        pub fn len(&self) -> u32 {
            self.len
        }

        #[doc = concat!("Whether there are no ", $what, ".")]
        #[inline(always)]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len == 0
        }
    };
}
pub(crate) use counted;

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

/// Checks several indices with one branch.
#[inline(always)]
#[track_caller]
pub(crate) fn check_indices<const N: usize>(at: [u32; N], len: u32) {
    let mut last = 0;
    unrolled::<N>(|k| last = at[k as usize].max(last));
    if N > 0 {
        check_index(last, len);
    }
}

/// Stops the build, on both sides, if a value cannot cross the lanes of a warp.
#[inline(always)]
pub(crate) fn crosses_lanes<T>() {
    const {
        assert!(
            (size_of::<T>().is_multiple_of(4) && size_of::<T>() <= 128) || size_of::<T>() == 2,
            "a value that crosses lanes has 16 bits, or is made of at most 32 words of 32 bits: `u32` in place of `u8` or `bool`"
        );
    }
}

/// Stops the build if a value cannot cross the warps of a block.
#[inline(always)]
pub(crate) fn crosses_warps<T>() {
    const {
        assert!(
            size_of::<T>().is_multiple_of(4) && size_of::<T>() <= 32,
            "a block reduces and scans values of at most 8 words of 32 bits: `u32` in place of `u8`, `u16` or `bool`, and \
             several reductions in place of one of a large value"
        );
    }
}

/// Stops the build if arrays into which memory is divided have no element, or more than a 32-bit index can count.
#[inline(always)]
pub(crate) fn countable<const N: usize>() {
    const { assert!(N > 0 && N <= MAX_LENGTH as usize, "an array has 1 to 2^32 - 1025 elements") };
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds() -> ! {
    panic!("index out of bounds")
}
