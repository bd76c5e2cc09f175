//! Bit masks of 64 bytes: one bit per byte, the first byte in the lowest bit.

/// A bit for each byte above the blank (0x20).
#[inline]
pub(super) fn ink(block: &[u8; 64]) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return sse2::ink(block);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    return words::ink(block);
}

/// A bit for each byte in which the two blocks differ.
#[inline]
pub(super) fn differences(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return sse2::differences(a, b);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    return words::differences(a, b);
}

/// Whether a byte is among some others.
#[inline]
pub(super) fn holds(bytes: &[u8; 80], byte: u8) -> bool {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return sse2::holds(bytes, byte);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    return words::holds(bytes, byte);
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
        _mm_setzero_si128,
    };

    #[inline]
    pub(super) fn ink(block: &[u8; 64]) -> u64 {
        block.as_chunks::<16>().0.iter().enumerate().fold(0, |mask, (i, &bytes)| {
            // SAFETY: this module is compiled only if SSE2 is enabled for the whole program.
            mask | u64::from(unsafe { ink_16(bytes) }) << (16 * i)
        })
    }

    #[inline]
    pub(super) fn differences(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        let pairs = a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0);
        !pairs.enumerate().fold(0, |mask, (i, (&a, &b))| {
            // SAFETY: as above.
            mask | u64::from(unsafe { equal_16(a, b) }) << (16 * i)
        })
    }

    #[inline]
    pub(super) fn holds(bytes: &[u8; 80], byte: u8) -> bool {
        // SAFETY: as above.
        unsafe { equal_any(bytes.as_chunks().0, byte) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn equal_any(blocks: &[[u8; 16]], byte: u8) -> bool {
        let byte = _mm_set1_epi8(byte as i8);
        let equal = |any, block: &[u8; 16]| _mm_or_si128(any, _mm_cmpeq_epi8(register(*block), byte));
        _mm_movemask_epi8(blocks.iter().fold(_mm_setzero_si128(), equal)) != 0
    }

    #[target_feature(enable = "sse2")]
    fn register(bytes: [u8; 16]) -> __m128i {
        let word = u128::from_le_bytes(bytes);
        _mm_set_epi64x((word >> 64) as i64, word as i64)
    }

    #[target_feature(enable = "sse2")]
    fn ink_16(bytes: [u8; 16]) -> u16 {
        let text = register(bytes);
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(text, _mm_set1_epi8(0x21)), text)) as u16
    }

    #[target_feature(enable = "sse2")]
    fn equal_16(a: [u8; 16], b: [u8; 16]) -> u16 {
        _mm_movemask_epi8(_mm_cmpeq_epi8(register(a), register(b))) as u16
    }
}

/// The same for any processor, eight bytes at a time.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod words {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const HIGH: u64 = 0x8080_8080_8080_8080;

    /// Gathers the high bits of bytes: bit 8k + 7 moves to bit k.
    fn gather(high: u64) -> u64 {
        ((high & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    pub(super) fn ink(block: &[u8; 64]) -> u64 {
        // Added to a byte's low seven bits, this sets its high bit from 0x21 on.
        const TO_INK: u64 = 0x5f5f_5f5f_5f5f_5f5f;
        block.as_chunks::<8>().0.iter().enumerate().fold(0, |mask, (i, &bytes)| {
            let word = u64::from_le_bytes(bytes);
            mask | gather(((word & LOW) + TO_INK) | word) << (8 * i)
        })
    }

    pub(super) fn holds(bytes: &[u8; 80], byte: u8) -> bool {
        bytes.iter().fold(false, |any, &other| any | (other == byte))
    }

    pub(super) fn differences(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        let pairs = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
        pairs.enumerate().fold(0, |mask, (i, (&a, &b))| {
            let word = u64::from_le_bytes(a) ^ u64::from_le_bytes(b);
            mask | gather(((word & LOW) + LOW) | word) << (8 * i)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_the_plain_rule() {
        for first in 0..=u8::MAX {
            let block: [u8; 64] = std::array::from_fn(|i| first.wrapping_add((i * i) as u8));
            let plain = (0..64).fold(0u64, |mask, i| mask | u64::from(block[i] > 0x20) << i);
            assert_eq!(ink(&block), plain);
            assert_eq!(words::ink(&block), plain);
            let other: [u8; 64] = std::array::from_fn(|i| block[i] ^ if i % 5 < 2 { (i * i) as u8 } else { 0 });
            let plain = (0..64).fold(0u64, |mask, i| mask | u64::from(block[i] != other[i]) << i);
            assert_eq!(differences(&block, &other), plain);
            assert_eq!(words::differences(&block, &other), plain);
        }
    }

    #[test]
    fn a_byte_is_found_wherever_it_is() {
        let mut bytes = [b' '; 80];
        for at in 0..bytes.len() {
            assert!(!holds(&bytes, b'\n') && !words::holds(&bytes, b'\n'));
            bytes[at] = b'\n';
            assert!(holds(&bytes, b'\n') && words::holds(&bytes, b'\n'), "{at}");
            bytes[at] = 0x8a;
        }
    }
}
