//! Bit masks of 64 bytes: one bit per byte, the first byte in the lowest bit.

use super::fixed;

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

/// The words of a line that has nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outline {
    /// As in [`Classes`].
    pub(super) ink: u64,
    /// Line feeds, and bytes that may make a word special wherever they are: the other three of [`Classes`].
    pub(super) odd: u64,
}

/// Instructions that find [`Classes`].
pub(super) trait Vectors: Copy {
    fn classes(self, block: &[u8; 64]) -> Classes;

    fn outline(self, block: &[u8; 64]) -> Outline {
        let Classes { ink, feed, special, underscore } = self.classes(block);
        Outline { ink, odd: feed | special | underscore }
    }

    /// Where two blocks differ.
    fn differences(self, block: &[u8; 64], other: &[u8; 64]) -> u64;

    /// As [`fixed::three_words`].
    #[inline(always)]
    fn three_words(self, heads: [u64; 3], lengths: [usize; 3]) -> Option<[f64; 3]> {
        fixed::three_words(heads, lengths)
    }
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

    #[inline(always)]
    fn differences(self, block: &[u8; 64], other: &[u8; 64]) -> u64 {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return sse2::differences(block, other);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        return words::differences(block, other);
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
    pub(super) fn differences(block: &[u8; 64], other: &[u8; 64]) -> u64 {
        // SAFETY: as above.
        unsafe { differing(block.as_chunks().0, other.as_chunks().0) }
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

    #[inline]
    #[target_feature(enable = "sse2")]
    fn differing(blocks: &[[u8; 16]], others: &[[u8; 16]]) -> u64 {
        let mut same = 0;
        for (i, (block, other)) in blocks.iter().zip(others).enumerate() {
            let equal = _mm_cmpeq_epi8(register(*block), register(*other));
            same |= u64::from(_mm_movemask_epi8(equal) as u16) << (16 * i);
        }
        !same
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
    use super::{Classes, Outline, Task, Vectors, fixed};
    use core::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_max_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x,
        _mm256_set1_epi8, _mm256_shuffle_epi8,
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

        #[inline(always)]
        fn outline(self, block: &[u8; 64]) -> Outline {
            // SAFETY: as above.
            unsafe { outline(block) }
        }

        #[inline(always)]
        fn differences(self, block: &[u8; 64], other: &[u8; 64]) -> u64 {
            // SAFETY: as above.
            unsafe { differing(block, other) }
        }

        #[inline(always)]
        fn three_words(self, heads: [u64; 3], lengths: [usize; 3]) -> Option<[f64; 3]> {
            // SAFETY: as above.
            unsafe { fixed::avx2::three_words(heads, lengths) }
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

    /// The odd byte that has the low four bits of a place, or one that does not have them.
    const ODD: [[u8; 8]; 2] = [*b"\x01\0\"#\0\0&'", *b"\0\0\n;\0\0\0_"];

    #[inline]
    #[target_feature(enable = "avx2")]
    fn outline(block: &[u8; 64]) -> Outline {
        let [low, high] = ODD.map(i64::from_le_bytes);
        let table = _mm256_set_epi64x(high, low, high, low);
        let mut all = Outline { ink: 0, odd: 0 };
        for (i, half) in block.as_chunks::<32>().0.iter().enumerate() {
            let text = register(half);
            let bits = |mask| u64::from(_mm256_movemask_epi8(mask) as u32) << (32 * i);
            all.ink |= bits(_mm256_cmpeq_epi8(_mm256_max_epu8(text, _mm256_set1_epi8(0x21)), text));
            all.odd |= bits(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, text), text));
        }
        all
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn differing(block: &[u8; 64], other: &[u8; 64]) -> u64 {
        let mut same = 0;
        for (i, (half, other)) in block.as_chunks().0.iter().zip(other.as_chunks().0).enumerate() {
            let equal = _mm256_cmpeq_epi8(register(half), register(other));
            same |= u64::from(_mm256_movemask_epi8(equal) as u32) << (32 * i);
        }
        !same
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

    pub(super) fn differences(block: &[u8; 64], other: &[u8; 64]) -> u64 {
        block.iter().zip(other).enumerate().fold(0, |all, (i, (own, other))| all | u64::from(own != other) << i)
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

    struct OutlineOf<'a>(&'a [u8; 64]);

    impl Task for OutlineOf<'_> {
        type Output = Outline;

        fn run(self, vectors: impl Vectors) -> Outline {
            vectors.outline(self.0)
        }
    }

    struct Differences<'a>(&'a [u8; 64], &'a [u8; 64]);

    impl Task for Differences<'_> {
        type Output = u64;

        fn run(self, vectors: impl Vectors) -> u64 {
            vectors.differences(self.0, self.1)
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
            let odd = bits(&|c| b"\n'\"#&;_".contains(&c));
            assert_eq!(Baseline.outline(&block), Outline { ink: plain.ink, odd });
            assert_eq!(run(OutlineOf(&block)), Outline { ink: plain.ink, odd });
        }
    }

    struct ThreeWords([u64; 3], [usize; 3]);

    impl Task for ThreeWords {
        type Output = Option<[f64; 3]>;

        fn run(self, vectors: impl Vectors) -> Option<[f64; 3]> {
            vectors.three_words(self.0, self.1)
        }
    }

    #[test]
    fn three_words_are_read_as_fields() {
        let usual = ["1.500", "-12.345", "1234.567"];
        let mut texts: Vec<String> =
            usual.iter().chain(&["-0.000", "0.000", "-999.999"]).map(|text| (*text).into()).collect();
        texts.extend(
            ["", ".500", "-.500", "-1.50", "1.5", "12345.678", "-1234.567", "1", "-", "--1.500", "1-2.345"]
                .map(String::from),
        );
        for text in usual {
            for (at, byte) in
                (0..text.len()).flat_map(|at| "-+.,/0123456789:\t\0eE*".chars().map(move |byte| (at, byte)))
            {
                let changed = text.char_indices().map(|(own, old)| if own == at { byte } else { old });
                texts.push(changed.collect());
            }
        }
        let bits = |values: Option<[f64; 3]>| values.map(|values| values.map(f64::to_bits));
        for text in &texts {
            for place in 0..3 {
                let mut words = usual;
                words[place] = text;
                // What follows a word does not count.
                let head =
                    |word: &str| u64::from_le_bytes(*format!("{word} 17.250 ").as_bytes().first_chunk().unwrap());
                let (heads, lengths) = (words.map(head), words.map(str::len));
                assert_eq!(
                    bits(run(ThreeWords(heads, lengths))),
                    bits(fixed::three_words(heads, lengths)),
                    "{words:?}"
                );
                let value = |word: &str| word.parse::<f64>().unwrap();
                if texts[..6].contains(text) {
                    assert_eq!(bits(run(ThreeWords(heads, lengths))), bits(Some(words.map(value))), "{words:?}");
                }
            }
        }
    }

    #[test]
    fn differences_are_found_wherever_they_are() {
        let block: [u8; 64] = std::array::from_fn(|i| (i * 37) as u8);
        for at in 0..64 {
            let mut other = block;
            other[at] ^= 1 << (at % 8);
            other[at / 2] ^= 0x80;
            let expected = (0..64).fold(0, |mask, i| mask | u64::from(block[i] != other[i]) << i);
            assert_eq!(Baseline.differences(&block, &other), expected);
            assert_eq!(run(Differences(&block, &other)), expected);
            assert_eq!(words::differences(&block, &other), expected);
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
