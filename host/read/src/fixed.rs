//! Numbers in the form `%8.3f`, as coordinates are written: leading blanks, perhaps a minus sign, digits, and three decimals.
//! Values are correctly rounded: an integer below 10^7 divided by 1000.

/// The value of eight columns in this form; `None` for any other form.
#[inline]
pub(super) fn fixed_8_3(field: [u8; 8]) -> Option<f64> {
    words::value(field)
}

/// The values of three such fields; `None` if one has any other form.
#[inline]
pub(super) fn three_fixed_8_3(fields: [[u8; 8]; 3]) -> Option<[f64; 3]> {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return sse2::values(fields);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    return words::values(fields);
}

/// A word of at most eight bytes, right-justified in eight columns. It begins like `head`; what follows it there does not count.
#[inline(always)]
pub(super) fn right_justified(head: u64, length: usize) -> Option<[u8; 8]> {
    const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
    let foreign = 8 * 8usize.checked_sub(length).filter(|&foreign| foreign < 8)?;
    Some((head << foreign | BLANKS & !(u64::MAX << foreign)).to_le_bytes())
}

/// The values of three words in this form without blanks, of which the first eight bytes and the lengths are given; `None` if one has any
/// other form.
#[inline(always)]
pub(super) fn three_words(heads: [u64; 3], lengths: [usize; 3]) -> Option<[f64; 3]> {
    let field = |place: usize| right_justified(heads[place], lengths[place]);
    three_fixed_8_3([field(0)?, field(1)?, field(2)?])
}

/// Three words in one register.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use core::arch::x86_64::*;

    /// The same as [`three_words`](super::three_words).
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn three_words([x, y, z]: [u64; 3], lengths: [usize; 3]) -> Option<[f64; 3]> {
        const FORM: i64 = i64::from_le_bytes(*b"0000.000");
        const MOST: i64 = i64::from_le_bytes([9, 9, 9, 9, 0, 9, 9, 9]);
        const TENS: i64 = i64::from_le_bytes([10, 1, 10, 1, 0, 1, 10, 1]);
        // The columns before the last digit before the dot.
        const MAY_LACK: i64 = 0xff_ffff;
        let [length_x, length_y, length_z] = [lengths[0] as i64, lengths[1] as i64, lengths[2] as i64];
        let lengths = _mm256_set_epi64x(length_z, length_z, length_y, length_x);
        // The bits of the columns before a word. Of a word that is empty or too long none are left: it is shifted by 64 or more.
        let before = _mm256_sub_epi64(_mm256_set1_epi64x(64), _mm256_slli_epi64::<3>(lengths));
        let words = _mm256_set_epi64x(z as i64, z as i64, y as i64, x as i64);
        let minus = _mm256_and_si256(_mm256_cmpeq_epi8(words, _mm256_set1_epi8(b'-' as i8)), _mm256_set1_epi64x(0xff));
        let is_digit = _mm256_sllv_epi64(_mm256_xor_si256(minus, _mm256_set1_epi8(-1)), before);
        let text = _mm256_sllv_epi64(words, before);
        let digits = _mm256_and_si256(_mm256_xor_si256(text, _mm256_set1_epi64x(FORM)), is_digit);
        let most = _mm256_set1_epi64x(MOST);
        let fits = _mm256_cmpeq_epi8(_mm256_min_epu8(digits, most), digits);
        let is_whole = _mm256_or_si256(is_digit, _mm256_set1_epi64x(MAY_LACK));
        if _mm256_movemask_epi8(_mm256_and_si256(fits, is_whole)) != -1 {
            return None;
        }
        let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi64x(TENS));
        let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100));
        let thousandths =
            _mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(1000)), _mm256_srli_epi64::<32>(fours));
        // With the exponent of 2^52 an integer is the fraction's last bits.
        let exponent = _mm256_set1_pd(4_503_599_627_370_496.0);
        let values = _mm256_or_pd(_mm256_castsi256_pd(thousandths), exponent);
        let values = _mm256_sub_pd(values, exponent);
        let values = _mm256_div_pd(values, _mm256_set1_pd(1000.0));
        let values = _mm256_xor_pd(values, _mm256_castsi256_pd(_mm256_slli_epi64::<63>(minus)));
        let (xy, z) = (_mm256_castpd256_pd128(values), _mm256_extractf128_pd::<1>(values));
        Some([_mm_cvtsd_f64(xy), _mm_cvtsd_f64(_mm_unpackhi_pd(xy, xy)), _mm_cvtsd_f64(z)])
    }
}

/// Three fields in two registers: x and y, y and z.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use core::arch::x86_64::*;

    #[inline]
    pub(super) fn values(fields: [[u8; 8]; 3]) -> Option<[f64; 3]> {
        // SAFETY: this module is compiled only if SSE2 is enabled for the whole program.
        unsafe { three(fields) }
    }

    /// Two fields.
    struct Pair {
        /// The values of digits, and 0 in all other columns.
        digits: __m128i,
        /// Which columns are digits, or the dot in its column.
        is_digit: __m128i,
        is_blank: __m128i,
        is_minus: __m128i,
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn three([x, y, z]: [[u8; 8]; 3]) -> Option<[f64; 3]> {
        let (xy, yz) = (pair(x, y), pair(y, z));
        let columns = |xy, yz| (_mm_movemask_epi8(xy) | (_mm_movemask_epi8(yz) << 8)) as u32;
        let digits = columns(xy.is_digit, yz.is_digit);
        let minus = columns(xy.is_minus, yz.is_minus);
        let blanks = columns(xy.is_blank, yz.is_blank);
        // In each field the last five columns are digits, and so is what follows a digit or a sign before them.
        let faults = (!digits & 0xf8_f8f8)
            | (((digits | minus) << 1) & !digits & 0x0e_0e0e)
            | (!(digits | minus | blanks) & 0xff_ffff);
        if faults != 0 {
            return None;
        }
        let fours = _mm_packs_epi32(fours(xy.digits), fours(yz.digits));
        // x, y, y, z.
        let thousandths = _mm_madd_epi16(fours, _mm_set1_epi32(1 << 16 | 1000));
        let xy = signed(thousandths, xy.is_minus);
        let yz = signed(_mm_srli_si128::<8>(thousandths), yz.is_minus);
        let second = |pair| _mm_cvtsd_f64(_mm_unpackhi_pd(pair, pair));
        Some([_mm_cvtsd_f64(xy), second(xy), second(yz)])
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn pair(first: [u8; 8], second: [u8; 8]) -> Pair {
        let (form, most) = (*b"0000.000", [9, 9, 9, 9, 0, 9, 9, 9]);
        let text = register(first, second);
        let values = _mm_xor_si128(text, register(form, form));
        let most = register(most, most);
        let is_digit = _mm_cmpeq_epi8(_mm_min_epu8(values, most), values);
        Pair {
            digits: _mm_and_si128(values, is_digit),
            is_digit,
            is_blank: _mm_cmpeq_epi8(text, _mm_set1_epi8(b' ' as i8)),
            is_minus: _mm_cmpeq_epi8(text, _mm_set1_epi8(b'-' as i8)),
        }
    }

    /// The numbers of four digits each: those before a dot, and the decimals.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn fours(digits: __m128i) -> __m128i {
        let tens = _mm_mullo_epi16(digits, _mm_set1_epi16(10));
        let pairs = _mm_and_si128(_mm_add_epi16(tens, _mm_srli_epi16::<8>(digits)), _mm_set1_epi16(0xff));
        _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100))
    }

    /// The first two values, with their signs.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn signed(thousandths: __m128i, is_minus: __m128i) -> __m128d {
        let values = _mm_div_pd(_mm_cvtepi32_pd(thousandths), _mm_set1_pd(1000.0));
        // The sum of a field's bytes is odd if one is a sign.
        let sign = _mm_slli_epi64::<63>(_mm_sad_epu8(is_minus, _mm_setzero_si128()));
        _mm_xor_pd(values, _mm_castsi128_pd(sign))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn register(first: [u8; 8], second: [u8; 8]) -> __m128i {
        _mm_set_epi64x(i64::from_le_bytes(second), i64::from_le_bytes(first))
    }
}

/// Eight bytes at a time, for any processor.
mod words {
    use crate::number::signed;

    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    const FORM: u64 = u64::from_le_bytes(*b"0000.000");
    const MINUS: u8 = b'-' ^ b'0';
    /// What makes a value above 9, and in the dot's column any but 0, set its byte's high bit.
    const LIMITS: u64 = u64::from_le_bytes(*b"vvvv\x7fvvv");
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    /// Bits of the column before the dot that no digit has.
    const LAST: u64 = 0xf0 << 24;
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;

    #[inline]
    pub(super) fn value(field: [u8; 8]) -> Option<f64> {
        let word = u64::from_le_bytes(field);
        let columns = word ^ FORM;
        // In bits. The bits that are set keep the column before the dot from being one of them.
        let blanks = ((word ^ SPACES) | (u64::MAX << 31)).trailing_zeros() & 24;
        let text = columns >> blanks;
        let negative = text as u8 == MINUS;
        let digits = (text ^ (u64::from(negative) * u64::from(MINUS))) << blanks;
        // Only a byte with a fault carries over to the next.
        let faults = (digits.wrapping_add(LIMITS) | digits) & HIGH_BITS | columns & LAST;
        if faults != 0 {
            return None;
        }
        Some(signed(f64::from(thousandths(digits)) / 1000.0, negative))
    }

    /// The number of four digits, a 0 in the dot's place, and three decimals.
    #[inline]
    fn thousandths(digits: u64) -> u32 {
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        // The first pair of the decimals is the dot's 0 and one digit.
        let low = (pairs & PAIRS).wrapping_mul((100_000 << 32) | 100);
        let high = ((pairs >> 16) & PAIRS).wrapping_mul((1_000 << 32) | 1);
        (low.wrapping_add(high) >> 32) as u32
    }

    #[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
    pub(super) fn values([x, y, z]: [[u8; 8]; 3]) -> Option<[f64; 3]> {
        Some([value(x)?, value(y)?, value(z)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_columns_equal_the_standard_parser() {
        for thousandths in (-999_999i32..=9_999_999).step_by(997).chain([-1, 0, 1, -999_999, 9_999_999]) {
            let text = format!("{:8.3}", f64::from(thousandths) / 1000.0);
            let found = fixed_8_3(text.as_bytes().try_into().unwrap()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.to_bits(), text.trim().parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn fixed_columns_refuse_other_forms() {
        for text in [
            "     nan",
            "    .123",
            "   -.123",
            "        ",
            "1e3 .000",
            "   1.2 0",
            "   1 .20",
            "--12.345",
            "  -+.345",
            "****.***",
            "  1-.345",
            "   1,345",
            "1 12.345",
            "  12.34\n",
            "  12.-34",
            "\u{e9}  .345",
            "  12.3e4",
        ] {
            assert_eq!(fixed_8_3(text.as_bytes()[..8].try_into().unwrap()), None, "{text:?}");
        }
    }

    #[test]
    fn three_fields_are_read_as_each_of_them() {
        let bits = |values: Option<[f64; 3]>| values.map(|values| values.map(f64::to_bits));
        let usual = [*b"   1.500", *b" -12.345", *b"1234.567"];
        assert_eq!(three_fixed_8_3(usual), Some([1.5, -12.345, 1234.567]));
        let zeros = [*b"  -0.000", *b"   0.000", *b"-999.999"];
        assert_eq!(bits(three_fixed_8_3(zeros)), bits(Some([-0.0, 0.0, -999.999])));
        // With any two other columns side by side.
        let others = *b" -+.,/0123456789:\n\t\0eE\x80\xb0\xff*";
        for at in 0..23 {
            for (one, two) in others.iter().flat_map(|&one| others.map(|two| (one, two))) {
                let mut fields = usual;
                let columns = fields.as_flattened_mut();
                (columns[at], columns[at + 1]) = (one, two);
                assert_eq!(
                    bits(three_fixed_8_3(fields)),
                    bits(words::values(fields)),
                    "{}",
                    fields.as_flattened().escape_ascii()
                );
            }
        }
    }
}
