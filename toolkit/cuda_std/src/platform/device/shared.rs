//! Shared memory, by instructions for its address space.

use bytemuck::Pod;
use core::arch::asm;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// The 32-bit address of a shared array that the kernel's entry declares.
#[repr(transparent)]
pub struct SharedStorage<T, const N: usize>(u32, PhantomData<T>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// # Safety
    /// `address` is that of a shared array of `N` elements. The array is aligned to 16 bytes, and nothing else uses it.
    #[inline(always)]
    pub unsafe fn new(address: u32) -> Self {
        Self(address, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer::new(self.0)
    }
}

/// The 32-bit address and the length of the shared array whose length is given at launch.
pub struct DynamicStorage<T>(u32, u32, PhantomData<T>);

impl<T: Pod> DynamicStorage<T> {
    /// # Safety
    /// `address` is that of a shared array of `len` elements. The array is aligned to 16 bytes, and nothing else uses it.
    #[inline(always)]
    pub unsafe fn new(address: u32, len: u32) -> Self {
        Self(address, len, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.1
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer::new(self.0)
    }
}

/// A shared address. Stock rustc has no address space for shared memory, so inline assembly reads and writes it. A generic pointer
/// would work too, but is slower.
pub(crate) struct SharedPointer<T>(u32, PhantomData<T>);

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPointer<T> {}

/// Whether elements of `T` lie at multiples of `bytes` in an array that is aligned to 16.
const fn in_pieces_of<T>(bytes: usize) -> bool {
    size_of::<T>().is_multiple_of(bytes)
}

impl<T: Pod> SharedPointer<T> {
    #[inline(always)]
    pub(crate) fn new(address: u32) -> Self {
        Self(address, PhantomData)
    }

    /// The same address, for elements that are arrays. It is aligned to 16 bytes, like every shared array and every half of one.
    #[inline(always)]
    pub(crate) fn arrays<const M: usize>(self) -> SharedPointer<[T; M]> {
        SharedPointer(self.0, PhantomData)
    }

    /// The same address, for elements of another type, whose alignment is not larger.
    #[inline(always)]
    pub(crate) fn recast<U: Pod>(self) -> SharedPointer<U> {
        SharedPointer(self.0, PhantomData)
    }

    /// The same address, computed here. The compiler does not mix later additions with this computation. A constant that is added
    /// later becomes part of the instruction.
    #[inline(always)]
    pub(crate) fn settled(self) -> Self {
        let address: u32;
        // SAFETY: a copy.
        unsafe {
            asm!("mov.u32 {0}, {1};", out(reg32) address, in(reg32) self.0, options(pure, nomem, nostack, preserves_flags));
        }
        Self::new(address)
    }

    /// The array from element `i` on.
    #[inline(always)]
    pub(crate) fn offset(self, i: u32) -> Self {
        Self::new(self.address(i))
    }

    /// Address of element `i`. Addresses are computed without overflow checks: the index has been checked.
    #[inline(always)]
    pub(crate) fn address(self, i: u32) -> u32 {
        self.0.wrapping_add(i.wrapping_mul(size_of::<T>() as u32))
    }

    /// # Safety
    /// `i` lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load(self, i: u32) -> T {
        let mut value = T::zeroed();
        let to = (&raw mut value).cast::<u8>();
        let from = self.address(i);
        // SAFETY: each piece lies within the element, and pieces are aligned because the array is.
        unsafe {
            if const { in_pieces_of::<T>(16) } {
                for piece in 0..size_of::<T>() / 16 {
                    let at = from.wrapping_add(piece as u32 * 16);
                    let (a, b, c, d): (u32, u32, u32, u32);
                    asm!("ld.shared.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
                        out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 16).cast::<[u32; 4]>().write_unaligned([a, b, c, d]);
                }
            } else if const { in_pieces_of::<T>(8) } {
                for piece in 0..size_of::<T>() / 8 {
                    let at = from.wrapping_add(piece as u32 * 8);
                    let (a, b): (u32, u32);
                    asm!("ld.shared.v2.b32 {{{0}, {1}}}, [{2}];", out(reg32) a, out(reg32) b, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 8).cast::<[u32; 2]>().write_unaligned([a, b]);
                }
            } else if const { in_pieces_of::<T>(4) } {
                for piece in 0..size_of::<T>() / 4 {
                    let at = from.wrapping_add(piece as u32 * 4);
                    let a: u32;
                    asm!("ld.shared.b32 {0}, [{1}];", out(reg32) a, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 4).cast::<u32>().write_unaligned(a);
                }
            } else if const { in_pieces_of::<T>(2) } {
                for piece in 0..size_of::<T>() / 2 {
                    let at = from.wrapping_add(piece as u32 * 2);
                    let a: u16;
                    asm!("ld.shared.b16 {0}, [{1}];", out(reg16) a, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 2).cast::<u16>().write_unaligned(a);
                }
            } else {
                for piece in 0..size_of::<T>() {
                    let at = from.wrapping_add(piece as u32);
                    let a: u16;
                    asm!("ld.shared.u8 {0}, [{1}];", out(reg16) a, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece).write(a as u8);
                }
            }
        }
        value
    }

    /// The word that begins with element `i`.
    ///
    /// # Safety
    /// It lies within the array at a multiple of 4 bytes, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load_word(self, i: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { self.offset(i).recast::<u32>().load(0) }
    }

    /// Stores a value if `is_some`. There is no branch, because the lanes of a warp would diverge.
    ///
    /// # Safety
    /// If `is_some`, there is a value, and the rules of [`store`](Self::store) hold.
    #[inline(always)]
    pub(crate) unsafe fn store_if(self, i: u32, value: MaybeUninit<T>, is_some: bool) {
        let is_some = u32::from(is_some);
        let (from, to) = (value.as_ptr().cast::<u8>(), self.address(i));
        // SAFETY: as in `store`; the store is predicated, and not executed without a value.
        unsafe {
            if const { in_pieces_of::<T>(16) } {
                for piece in 0..size_of::<T>() / 16 {
                    let at = to.wrapping_add(piece as u32 * 16);
                    let [a, b, c, d] = from.add(piece * 16).cast::<[MaybeUninit<u32>; 4]>().read_unaligned();
                    asm!(
                        "{{ .reg .pred %is_some; setp.ne.u32 %is_some, {5}, 0;",
                        "@%is_some st.shared.v4.b32 [{4}], {{{0}, {1}, {2}, {3}}}; }}",
                        in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d, in(reg32) at, in(reg32) is_some,
                        options(nostack, preserves_flags)
                    );
                }
            } else if const { in_pieces_of::<T>(4) } {
                for piece in 0..size_of::<T>() / 4 {
                    let at = to.wrapping_add(piece as u32 * 4);
                    let a = from.add(piece * 4).cast::<MaybeUninit<u32>>().read_unaligned();
                    asm!(
                        "{{ .reg .pred %is_some; setp.ne.u32 %is_some, {2}, 0; @%is_some st.shared.b32 [{1}], {0}; }}",
                        in(reg32) a, in(reg32) at, in(reg32) is_some, options(nostack, preserves_flags)
                    );
                }
            } else if is_some != 0 {
                self.store(i, value.assume_init());
            }
        }
    }

    /// Sets bits of a word, atomically, if `is_some`. There is no branch, because the lanes of a warp would diverge.
    ///
    /// # Safety
    /// If `is_some`, word `i` lies within the array, and other threads access it at the same time only in this way.
    #[inline(always)]
    pub(crate) unsafe fn or_if(self, i: u32, bits: u32, is_some: bool) {
        let is_some = u32::from(is_some);
        // SAFETY: the caller's.
        unsafe {
            asm!(
                "{{ .reg .pred %is_some; setp.ne.u32 %is_some, {2}, 0; @%is_some red.shared.or.b32 [{1}], {0}; }}",
                in(reg32) bits, in(reg32) self.address(i), in(reg32) is_some, options(nostack, preserves_flags)
            );
        }
    }

    /// # Safety
    /// `i` lies within the array, and no other thread touches it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store(self, i: u32, value: T) {
        let from = (&raw const value).cast::<u8>();
        let to = self.address(i);
        // SAFETY: as in `load`.
        unsafe {
            if const { in_pieces_of::<T>(16) } {
                for piece in 0..size_of::<T>() / 16 {
                    let at = to.wrapping_add(piece as u32 * 16);
                    let [a, b, c, d] = from.add(piece * 16).cast::<[u32; 4]>().read_unaligned();
                    asm!("st.shared.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};",
                        in(reg32) at, in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d,
                        options(nostack, preserves_flags));
                }
            } else if const { in_pieces_of::<T>(8) } {
                for piece in 0..size_of::<T>() / 8 {
                    let at = to.wrapping_add(piece as u32 * 8);
                    let [a, b] = from.add(piece * 8).cast::<[u32; 2]>().read_unaligned();
                    asm!("st.shared.v2.b32 [{0}], {{{1}, {2}}};", in(reg32) at, in(reg32) a, in(reg32) b,
                        options(nostack, preserves_flags));
                }
            } else if const { in_pieces_of::<T>(4) } {
                for piece in 0..size_of::<T>() / 4 {
                    let at = to.wrapping_add(piece as u32 * 4);
                    let a = from.add(piece * 4).cast::<u32>().read_unaligned();
                    asm!("st.shared.b32 [{0}], {1};", in(reg32) at, in(reg32) a, options(nostack, preserves_flags));
                }
            } else if const { in_pieces_of::<T>(2) } {
                for piece in 0..size_of::<T>() / 2 {
                    let at = to.wrapping_add(piece as u32 * 2);
                    let a = from.add(piece * 2).cast::<u16>().read_unaligned();
                    asm!("st.shared.b16 [{0}], {1};", in(reg32) at, in(reg16) a, options(nostack, preserves_flags));
                }
            } else {
                for piece in 0..size_of::<T>() {
                    let at = to.wrapping_add(piece as u32);
                    let a = u16::from(from.add(piece).read());
                    asm!("st.shared.u8 [{0}], {1};", in(reg32) at, in(reg16) a, options(nostack, preserves_flags));
                }
            }
        }
    }

    /// Copies an element. The copy is complete when the thread has [finished its copies](finish_copies). If the chip supports it, the
    /// thread does not wait until then.
    ///
    /// # Safety
    /// Until then, the rules of [`store`](Self::store) hold, and the source does not change.
    #[inline(always)]
    pub(crate) unsafe fn copy(self, i: u32, from: &T) {
        #[cfg(target_feature = "sm_80")]
        if Self::IS_COPIED && is_global(from) {
            // SAFETY: the caller's, and as asked.
            return unsafe { self.copy_global(i, from) };
        }
        // SAFETY: the caller's.
        unsafe { self.store(i, *from) };
    }

    /// Whether the chip copies such elements without waiting.
    #[cfg(target_feature = "sm_80")]
    pub(crate) const IS_COPIED: bool = matches!(size_of::<T>(), 4 | 8 | 16) && align_of::<T>() == size_of::<T>();

    /// As [`copy`](Self::copy), without a branch.
    ///
    /// # Safety
    /// As there; [`IS_COPIED`](Self::IS_COPIED), and `from` [is in global memory](is_global).
    #[cfg(target_feature = "sm_80")]
    #[inline(always)]
    pub(crate) unsafe fn copy_global(self, i: u32, from: &T) {
        macro_rules! copy {
            ($instruction:literal) => {
                // SAFETY: both addresses are aligned to the copied size, and the second one is in global memory.
                unsafe {
                    asm!(
                        concat!("{{ .reg .b64 %from; cvta.to.global.u64 %from, {1}; ", $instruction, "; }}"),
                        in(reg32) self.address(i), in(reg64) from, options(nostack, preserves_flags)
                    );
                }
            };
        }
        match const { size_of::<T>() } {
            16 => copy!("cp.async.cg.shared.global [{0}], [%from], 16"),
            8 => copy!("cp.async.ca.shared.global [{0}], [%from], 8"),
            _ => copy!("cp.async.ca.shared.global [{0}], [%from], 4"),
        }
    }
}

unsafe extern "C" {
    // By its LLVM name, so that the compiler can evaluate it if the address derives from a kernel's parameter.
    #[cfg(target_feature = "sm_80")]
    #[link_name = "llvm.nvvm.isspacep.global"]
    fn isspacep_global(pointer: *const u8) -> bool;
}

/// Whether the address is in global memory, and not in a thread's own memory or among the kernel's parameters.
#[cfg(target_feature = "sm_80")]
#[inline(always)]
pub(crate) fn is_global<T>(pointer: &T) -> bool {
    // SAFETY: only inspects an address.
    unsafe { isspacep_global((&raw const *pointer).cast()) }
}

/// Waits for the copies that this thread has begun.
#[inline(always)]
pub(crate) fn finish_copies() {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: waits.
    unsafe {
        asm!("cp.async.wait_all;", options(nostack, preserves_flags));
    }
}

/// Ends a turn of copies: this thread's copies since the last call form one group.
#[inline(always)]
pub(crate) fn end_turn_of_copies() {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: changes no memory.
    unsafe {
        asm!("cp.async.commit_group;", options(nostack, preserves_flags));
    }
}

/// Waits for all turns of copies of this thread but the last `STAGES - 1`.
#[cfg(target_feature = "sm_90a")]
#[inline(always)]
pub(crate) fn finish_first_copies<const STAGES: usize>() {
    // SAFETY: waits.
    unsafe {
        asm!("cp.async.wait_group {0};", const STAGES - 1, options(nostack, preserves_flags));
    }
}

/// Waits for all turns of copies of this thread but the last `STAGES - 2`, less `FREE` stages that are not copied ahead.
#[inline(always)]
pub(crate) fn finish_older_copies<const STAGES: usize, const FREE: usize>() {
    #[cfg(target_feature = "sm_80")]
    // SAFETY: waits.
    unsafe {
        asm!("cp.async.wait_group {0};", const STAGES.saturating_sub(2 + FREE), options(nostack, preserves_flags));
    }
}
