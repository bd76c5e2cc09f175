//! Writing to computed indices. If two threads wrongly write one element, their stores collide without harm, word by word.

use super::SharedPointer;
use bytemuck::Pod;
use core::arch::asm;

/// A raw parameter after the buffer's: the address of one bit per element, which says whether the element has been written.
#[cfg(cuda_check_writes)]
#[repr(transparent)]
pub struct WriteOnce(*mut u32);

/// Without checks there is no such parameter.
#[cfg(not(cuda_check_writes))]
#[repr(C)]
pub struct WriteOnce {
    nothing: [u32; 0],
}

impl WriteOnce {
    /// Marks element `i` as written, and returns whether this was the first time.
    ///
    /// # Safety
    /// There is a bit for the element, which other threads access only by this method.
    #[cfg(cuda_check_writes)]
    #[inline(always)]
    pub(crate) unsafe fn is_first(&self, i: u32) -> bool {
        use super::{AtomicNumber, Location};
        use crate::buffers::atomic::Operation;
        use crate::scope::Level;
        let bit = 1 << (i % 32);
        // SAFETY: the caller's.
        unsafe {
            let word = Location::global(self.0.wrapping_add((i / 32) as usize), Level::Device);
            u32::apply(Operation::Or, word, bit) & bit == 0
        }
    }

    /// # Safety
    /// None. With checks this method is unsafe.
    #[cfg(not(cuda_check_writes))]
    #[inline(always)]
    pub(crate) unsafe fn is_first(&self, _i: u32) -> bool {
        let _ = self.nothing;
        true
    }
}

/// Stores an element in the largest pieces into which it divides.
macro_rules! store_in_pieces {
    ($to:expr, $from:expr, $size:expr, $piece:ty, $ty:literal, $register:ident, $value:ty) => {
        for piece in 0..$size / size_of::<$piece>() {
            let value = $from.add(piece * size_of::<$piece>()).cast::<$piece>().read_unaligned() as $value;
            asm!(
                concat!("{{ .reg .b64 location; cvta.to.global.u64 location, {0}; st.relaxed.gpu.global.", $ty, " [location], {1}; }}"),
                in(reg64) $to.wrapping_add(piece * size_of::<$piece>()), in($register) value,
                options(nostack, preserves_flags)
            );
        }
    };
}

/// # Safety
/// The element exists in global memory, and other code accesses it only through this function.
#[inline(always)]
pub(crate) unsafe fn store_scattered<T: Pod>(to: *mut T, value: T) {
    let (from, to) = ((&raw const value).cast::<u8>(), to.cast::<u8>());
    // SAFETY: each piece lies within the element, and is aligned because the element is.
    unsafe {
        match const { align_of::<T>() } {
            1 => store_in_pieces!(to, from, size_of::<T>(), u8, "b8", reg16, u16),
            2 => store_in_pieces!(to, from, size_of::<T>(), u16, "b16", reg16, u16),
            4 => store_in_pieces!(to, from, size_of::<T>(), u32, "b32", reg32, u32),
            16.. => {
                for piece in 0..size_of::<T>() / 16 {
                    let [low, high] = from.add(piece * 16).cast::<[u64; 2]>().read_unaligned();
                    asm!(
                        "{{ .reg .b64 location; cvta.to.global.u64 location, {0}; st.relaxed.gpu.global.v2.b64 [location], {{{1}, {2}}}; }}",
                        in(reg64) to.wrapping_add(piece * 16), in(reg64) low, in(reg64) high,
                        options(nostack, preserves_flags)
                    );
                }
            }
            _ => store_in_pieces!(to, from, size_of::<T>(), u64, "b64", reg64, u64),
        }
    }
}

/// Marks of the elements of a shared array. A device has none.
pub(crate) struct AllWritten;

impl AllWritten {
    #[inline(always)]
    pub(crate) fn new(_len: u32) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn is_first(&self, _i: u32) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn are_all(&self, _len: u32) -> bool {
        true
    }
}

impl<T: Pod> SharedPointer<T> {
    /// Stores an element in the largest pieces into which it divides.
    ///
    /// # Safety
    /// `i` lies within the array, and no thread reads it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store_scattered(self, i: u32, value: T) {
        let (from, to) = ((&raw const value).cast::<u8>(), self.address(i));
        macro_rules! pieces {
            ($size:literal, $piece:ty, |$words:ident, $at:ident| $store:expr) => {
                for piece in 0..size_of::<T>() / $size {
                    let $words = from.add(piece * $size).cast::<$piece>().read_unaligned();
                    let $at = to.wrapping_add(piece as u32 * $size);
                    $store;
                }
            };
        }
        // SAFETY: each piece lies within the element, and pieces are aligned because the array is.
        unsafe {
            match const { size_of::<T>() % 16 } {
                0 => pieces!(
                    16,
                    [u32; 4],
                    |words, at| asm!("st.relaxed.cta.shared.v4.b32 [{4}], {{{0}, {1}, {2}, {3}}};",
                    in(reg32) words[0], in(reg32) words[1], in(reg32) words[2], in(reg32) words[3], in(reg32) at,
                    options(nostack, preserves_flags))
                ),
                8 => pieces!(8, [u32; 2], |words, at| asm!("st.relaxed.cta.shared.v2.b32 [{2}], {{{0}, {1}}};",
                    in(reg32) words[0], in(reg32) words[1], in(reg32) at, options(nostack, preserves_flags))),
                4 | 12 => pieces!(4, u32, |word, at| asm!("st.relaxed.cta.shared.b32 [{1}], {0};",
                    in(reg32) word, in(reg32) at, options(nostack, preserves_flags))),
                2 | 6 | 10 | 14 => pieces!(2, u16, |word, at| asm!("st.relaxed.cta.shared.b16 [{1}], {0};",
                    in(reg16) word, in(reg32) at, options(nostack, preserves_flags))),
                _ => pieces!(1, u8, |word, at| asm!("st.relaxed.cta.shared.b8 [{1}], {0};",
                    in(reg16) u16::from(word), in(reg32) at, options(nostack, preserves_flags))),
            }
        }
    }
}
