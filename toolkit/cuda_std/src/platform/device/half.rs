//! 16-bit floats by the GPU's instructions. Older GPUs compute as CPU cores do, with the same bits.

/// Defines functions of words by one instruction each. `.rn` is never contracted with other operations.
macro_rules! instructions {
    ($($name:ident($($operand:ident),*) = $text:literal;)*) => {$(
        #[inline(always)]
        pub(crate) fn $name($($operand: u32),*) -> u32 {
            let result: u32;
            // SAFETY: arithmetic on registers.
            unsafe {
                core::arch::asm!($text, out(reg32) result, $(in(reg32) $operand,)*
                    options(pure, nomem, nostack, preserves_flags));
            }
            result
        }
    )*};
}

/// Defines functions that call those of CPU cores.
#[cfg(not(target_feature = "sm_80"))]
macro_rules! by_software {
    ($mantissa:literal: $($name:ident($($operand:ident),*);)*) => {$(
        #[inline(always)]
        pub(crate) fn $name($($operand: u32),*) -> u32 {
            crate::half::soft::$name::<$mantissa>($($operand),*)
        }
    )*};
}

pub(crate) mod f16 {
    use core::arch::asm;

    #[inline(always)]
    pub(crate) fn narrow(x: f32) -> u16 {
        let bits: u16;
        // SAFETY: for all functions below: arithmetic on registers.
        unsafe {
            asm!("cvt.rn.f16.f32 {0}, {1};", out(reg16) bits, in(reg32) x, options(pure, nomem, nostack, preserves_flags));
        }
        bits
    }

    #[inline(always)]
    pub(crate) fn narrow_pair(low: f32, high: f32) -> u32 {
        #[cfg(target_feature = "sm_80")]
        {
            let pair: u32;
            // SAFETY: as above.
            unsafe {
                asm!("cvt.rn.f16x2.f32 {0}, {1}, {2};", out(reg32) pair, in(reg32) high, in(reg32) low,
                    options(pure, nomem, nostack, preserves_flags));
            }
            pair
        }
        #[cfg(not(target_feature = "sm_80"))]
        {
            u32::from(narrow(low)) | u32::from(narrow(high)) << 16
        }
    }

    #[inline(always)]
    pub(crate) fn widen(bits: u16) -> f32 {
        let x: f32;
        // SAFETY: as above.
        unsafe {
            asm!("cvt.f32.f16 {0}, {1};", out(reg32) x, in(reg16) bits, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }

    instructions! {
        add(x, y) = "add.rn.f16x2 {0}, {1}, {2};";
        mul(x, y) = "mul.rn.f16x2 {0}, {1}, {2};";
        fma(x, y, z) = "fma.rn.f16x2 {0}, {1}, {2}, {3};";
    }
    #[cfg(target_feature = "sm_80")]
    instructions! {
        min(x, y) = "min.f16x2 {0}, {1}, {2};";
        max(x, y) = "max.f16x2 {0}, {1}, {2};";
    }
    #[cfg(not(target_feature = "sm_80"))]
    by_software! { 10: min(x, y); max(x, y); }
}

pub(crate) mod bf16 {
    use crate::half::soft;

    #[inline(always)]
    pub(crate) fn narrow(x: f32) -> u16 {
        #[cfg(target_feature = "sm_80")]
        {
            let bits: u16;
            // SAFETY: for all functions below: arithmetic on registers.
            unsafe {
                core::arch::asm!("cvt.rn.bf16.f32 {0}, {1};", out(reg16) bits, in(reg32) x,
                    options(pure, nomem, nostack, preserves_flags));
            }
            bits
        }
        #[cfg(not(target_feature = "sm_80"))]
        {
            soft::narrow::<7>(x)
        }
    }

    #[inline(always)]
    pub(crate) fn narrow_pair(low: f32, high: f32) -> u32 {
        #[cfg(target_feature = "sm_80")]
        {
            let pair: u32;
            // SAFETY: as above.
            unsafe {
                core::arch::asm!("cvt.rn.bf16x2.f32 {0}, {1}, {2};", out(reg32) pair, in(reg32) high, in(reg32) low,
                    options(pure, nomem, nostack, preserves_flags));
            }
            pair
        }
        #[cfg(not(target_feature = "sm_80"))]
        {
            u32::from(narrow(low)) | u32::from(narrow(high)) << 16
        }
    }

    #[inline(always)]
    pub(crate) fn widen(bits: u16) -> f32 {
        soft::widen::<7>(bits)
    }

    #[cfg(target_feature = "sm_90")]
    instructions! {
        add(x, y) = "add.rn.bf16x2 {0}, {1}, {2};";
        mul(x, y) = "mul.rn.bf16x2 {0}, {1}, {2};";
    }
    #[cfg(all(target_feature = "sm_80", not(target_feature = "sm_90")))]
    #[inline(always)]
    pub(crate) fn add(x: u32, y: u32) -> u32 {
        // x 1 + y is the same sum, rounded once, with the same sign of zero.
        fma(x, 0x3f80_3f80, y)
    }
    #[cfg(all(target_feature = "sm_80", not(target_feature = "sm_90")))]
    #[inline(always)]
    pub(crate) fn mul(x: u32, y: u32) -> u32 {
        // Adding minus zero changes no product, not even the sign of zero.
        fma(x, y, 0x8000_8000)
    }
    #[cfg(target_feature = "sm_80")]
    instructions! {
        fma(x, y, z) = "fma.rn.bf16x2 {0}, {1}, {2}, {3};";
        min(x, y) = "min.bf16x2 {0}, {1}, {2};";
        max(x, y) = "max.bf16x2 {0}, {1}, {2};";
    }
    #[cfg(not(target_feature = "sm_80"))]
    by_software! { 7: add(x, y); mul(x, y); fma(x, y, z); min(x, y); max(x, y); }
}
