//! 8-bit floats by the GPU's instructions, from compute capability 9.0 on. Older GPUs convert as CPU cores do, with the same bits.

macro_rules! narrow {
    ($($name:ident = $text:literal;)*) => {$(
        #[cfg(target_feature = "sm_90")]
        #[inline(always)]
        pub(crate) fn $name(x: f32) -> u8 {
            let pair: u16;
            // SAFETY: arithmetic on registers.
            unsafe {
                core::arch::asm!(concat!($text, " {0}, {1}, {2};"), out(reg16) pair, in(reg32) 0f32, in(reg32) x,
                    options(pure, nomem, nostack, preserves_flags));
            }
            pair as u8
        }
    )*};
}

narrow! {
    e4m3 = "cvt.rn.satfinite.e4m3x2.f32";
    e5m2 = "cvt.rn.satfinite.e5m2x2.f32";
}

/// The numbers of a word as two pairs of `f16`, exactly: the first and second one, and the third and fourth one. A NaN stays one.
pub(crate) mod halves {
    #[cfg(target_feature = "sm_90")]
    macro_rules! widen {
        ($word:ident, $text:literal) => {
            [$word as u16, ($word >> 16) as u16].map(|pair| {
                let halves: u32;
                // SAFETY: arithmetic on registers.
                unsafe {
                    core::arch::asm!(concat!($text, " {0}, {1};"), out(reg32) halves, in(reg16) pair,
                        options(pure, nomem, nostack, preserves_flags));
                }
                halves
            })
        };
    }

    /// The bytes of a word as the upper bytes of two pairs.
    #[cfg(not(target_feature = "sm_90"))]
    #[inline(always)]
    fn upper_bytes(word: u32) -> [u32; 2] {
        [(word & 0xff) << 8 | (word & 0xff00) << 16, word >> 8 & 0xff00 | word & 0xff00_0000]
    }

    #[inline(always)]
    pub(crate) fn e5m2(word: u32) -> [u32; 2] {
        #[cfg(target_feature = "sm_90")]
        {
            widen!(word, "cvt.rn.f16x2.e5m2x2")
        }
        // It is the upper half of an `f16`.
        #[cfg(not(target_feature = "sm_90"))]
        {
            upper_bytes(word)
        }
    }

    #[inline(always)]
    pub(crate) fn e4m3(word: u32) -> [u32; 2] {
        #[cfg(target_feature = "sm_90")]
        {
            widen!(word, "cvt.rn.f16x2.e4m3x2")
        }
        #[cfg(not(target_feature = "sm_90"))]
        {
            upper_bytes(word).map(|pair| {
                // The exponent has a bit less, and another bias, which a factor of 2^8 changes.
                let size = pair >> 1 & 0x3f80_3f80;
                // Only the NaN carries into this bit, which is then spread over the others.
                let nan = size.wrapping_add(0x0080_0080) & 0x4000_4000;
                let all = nan.wrapping_sub(nan >> 14) | nan;
                super::super::half::f16::mul(size, 0x5c00_5c00) | pair & 0x8000_8000 | all
            })
        }
    }
}
