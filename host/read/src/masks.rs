//! Bit masks of 64 bytes: one bit per byte, the first byte in the lowest bit.

/// What the bytes of a CIF text are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Classes {
    /// Above the blank (0x20).
    pub(super) ink: u64,
    /// Line feeds.
    pub(super) feed: u64,
    /// Bytes that make a word special if it begins with them: quotes, `#` and `;`. And `&`, which saves an instruction.
    pub(super) special: u64,
    /// `_`, which every tag and every keyword has.
    pub(super) underscore: u64,
}

/// Instructions that find [`Classes`].
pub(super) trait Vectors: Copy {
    fn classes(self, block: &[u8; 64]) -> Classes;
}

/// Those of every processor for which the program is compiled.
#[derive(Clone, Copy)]
struct Baseline;

impl Vectors for Baseline {
    #[inline(always)]
    fn classes(self, block: &[u8; 64]) -> Classes {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return sse2::classes(block);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        return words::classes(block);
    }
}

/// Work on masks. For the best instructions to be used in all of it, [`run`](Self::run) is inlined.
pub(super) trait Task {
    type Output;
    fn run(self, vectors: impl Vectors) -> Self::Output;
}

/// Does some work by the best instructions that the processor has.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = avx2::Avx2::new() {
        return vectors.run(task);
    }
    task.run(Baseline)
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
    use super::Classes;
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
        _mm_setzero_si128,
    };

    #[inline]
    pub(super) fn classes(block: &[u8; 64]) -> Classes {
        // SAFETY: this module is compiled only if SSE2 is enabled for the whole program.
        unsafe { of_blocks(block.as_chunks().0) }
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

    #[inline]
    #[target_feature(enable = "sse2")]
    fn of_blocks(blocks: &[[u8; 16]]) -> Classes {
        let mut all = Classes { ink: 0, feed: 0, special: 0, underscore: 0 };
        for (i, block) in blocks.iter().enumerate() {
            let text = register(*block);
            let is = |byte: u8| _mm_cmpeq_epi8(text, _mm_set1_epi8(byte as i8));
            // With the bits of 5, `"`, `#`, `&` and `'` are the same byte.
            let is_quote = _mm_cmpeq_epi8(_mm_or_si128(text, _mm_set1_epi8(5)), _mm_set1_epi8(b'\'' as i8));
            let bits = |mask| u64::from(_mm_movemask_epi8(mask) as u16) << (16 * i);
            all.ink |= bits(_mm_cmpeq_epi8(_mm_max_epu8(text, _mm_set1_epi8(0x21)), text));
            all.feed |= bits(is(b'\n'));
            all.special |= bits(_mm_or_si128(is_quote, is(b';')));
            all.underscore |= bits(is(b'_'));
        }
        all
    }
}

/// Processors of x86-64 since 2013, of level v3.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Classes, Task, Vectors};
    use core::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_max_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x,
        _mm256_set1_epi8,
    };

    /// There is one only where the processor has AVX2 and instructions for bits.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx2 {
        #[inline]
        pub(super) fn new() -> Option<Self> {
            let is_there = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            is_there.then_some(Self(()))
        }

        #[inline]
        pub(super) fn run<T: Task>(self, task: T) -> T::Output {
            // SAFETY: the processor has these instructions, or there were no `self`.
            unsafe { run(self, task) }
        }
    }

    impl Vectors for Avx2 {
        #[inline(always)]
        fn classes(self, block: &[u8; 64]) -> Classes {
            // SAFETY: as above.
            unsafe { of_block(block) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run<T: Task>(vectors: Avx2, task: T) -> T::Output {
        task.run(vectors)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_block(block: &[u8; 64]) -> Classes {
        let mut all = Classes { ink: 0, feed: 0, special: 0, underscore: 0 };
        for (i, half) in block.as_chunks::<32>().0.iter().enumerate() {
            let text = register(half);
            let is = |byte: u8| _mm256_cmpeq_epi8(text, _mm256_set1_epi8(byte as i8));
            // With the bits of 5, `"`, `#`, `&` and `'` are the same byte.
            let is_quote = _mm256_cmpeq_epi8(_mm256_or_si256(text, _mm256_set1_epi8(5)), _mm256_set1_epi8(b'\'' as i8));
            let bits = |mask| u64::from(_mm256_movemask_epi8(mask) as u32) << (32 * i);
            all.ink |= bits(_mm256_cmpeq_epi8(_mm256_max_epu8(text, _mm256_set1_epi8(0x21)), text));
            all.feed |= bits(is(b'\n'));
            all.special |= bits(_mm256_or_si256(is_quote, is(b';')));
            all.underscore |= bits(is(b'_'));
        }
        all
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn register(bytes: &[u8; 32]) -> __m256i {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = i64::from_le_bytes(*bytes);
        }
        _mm256_set_epi64x(words[3], words[2], words[1], words[0])
    }
}

/// The same for any processor, eight bytes at a time.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod words {
    use super::Classes;

    const ONES: u64 = u64::MAX / 255;
    const LOW: u64 = ONES * 0x7f;
    const HIGH: u64 = ONES << 7;

    /// Gathers the high bits of bytes: bit 8k + 7 moves to bit k.
    fn gather(high: u64) -> u64 {
        ((high & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    pub(super) fn classes(block: &[u8; 64]) -> Classes {
        // Added to a byte's low seven bits, this sets its high bit from 0x21 on.
        const TO_INK: u64 = ONES * 0x5f;
        let mut all = Classes { ink: 0, feed: 0, special: 0, underscore: 0 };
        for (i, &bytes) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(bytes);
            let is = |word: u64, byte: u8| {
                let other = word ^ (ONES * u64::from(byte));
                !(((other & LOW) + LOW) | other)
            };
            let bits = |high: u64| gather(high) << (8 * i);
            all.ink |= bits(((word & LOW) + TO_INK) | word);
            all.feed |= bits(is(word, b'\n'));
            all.special |= bits(is(word | (ONES * 5), b'\'') | is(word, b';'));
            all.underscore |= bits(is(word, b'_'));
        }
        all
    }

    pub(super) fn holds(bytes: &[u8; 80], byte: u8) -> bool {
        bytes.iter().fold(false, |any, &other| any | (other == byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ClassesOf<'a>(&'a [u8; 64]);

    impl Task for ClassesOf<'_> {
        type Output = Classes;

        fn run(self, vectors: impl Vectors) -> Classes {
            vectors.classes(self.0)
        }
    }

    #[test]
    fn masks_are_the_plain_rule() {
        for first in 0..=u8::MAX {
            let block: [u8; 64] = std::array::from_fn(|i| first.wrapping_add((i * i) as u8));
            let bits = |is: &dyn Fn(u8) -> bool| (0..64).fold(0u64, |mask, i| mask | u64::from(is(block[i])) << i);
            let plain = Classes {
                ink: bits(&|c| c > 0x20),
                feed: bits(&|c| c == b'\n'),
                special: bits(&|c| b"'\"#&;".contains(&c)),
                underscore: bits(&|c| c == b'_'),
            };
            assert_eq!(Baseline.classes(&block), plain);
            assert_eq!(run(ClassesOf(&block)), plain);
            assert_eq!(words::classes(&block), plain);
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
