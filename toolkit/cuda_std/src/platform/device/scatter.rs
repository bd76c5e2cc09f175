//! Writing to computed indices. If two threads wrongly write one element, their stores collide without harm, word by word.

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
        use super::{AtomicNumber, Place};
        use crate::atomic::Operation;
        use crate::scope::Level;
        let bit = 1 << (i % 32);
        // SAFETY: the caller's.
        unsafe {
            let word = Place::global(self.0.wrapping_add((i / 32) as usize), Level::Device);
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
                concat!("{{ .reg .b64 place; cvta.to.global.u64 place, {0}; st.relaxed.gpu.global.", $ty, " [place], {1}; }}"),
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
                        "{{ .reg .b64 place; cvta.to.global.u64 place, {0}; st.relaxed.gpu.global.v2.b64 [place], {{{1}, {2}}}; }}",
                        in(reg64) to.wrapping_add(piece * 16), in(reg64) low, in(reg64) high,
                        options(nostack, preserves_flags)
                    );
                }
            }
            _ => store_in_pieces!(to, from, size_of::<T>(), u64, "b64", reg64, u64),
        }
    }
}
