//! Numbers in structure files. Values are exact, and malformed numbers are refused.

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The value with its sign, without a branch: whether a coordinate is negative cannot be foreseen.
#[inline]
pub(super) fn signed(value: f64, negative: bool) -> f64 {
    f64::from_bits(value.to_bits() ^ (u64::from(negative) << 63))
}

/// Whether all eight bytes are digit values (0 to 9, not characters).
#[inline]
pub(super) fn is_digits(bytes: u64) -> bool {
    // A byte above 9 has its high bit set, or gets it from the sum. Only such bytes can carry over.
    (bytes.wrapping_add(0x7676_7676_7676_7676) | bytes) & 0x8080_8080_8080_8080 == 0
}

/// The number of eight digit values (not characters), the first in the lowest byte; `None` if one is not a digit.
#[inline]
fn eight_digits(digits: u64) -> Option<u32> {
    if !is_digits(digits) {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some((low.wrapping_add(high) >> 32) as u32)
}

/// The value of the decimal of `length` bytes at the end of `text`, with one to eight columns before the dot and one to
/// seven after it; `None` for any other form. Correctly rounded.
#[inline]
pub(super) fn last_decimal(text: &[u8], length: usize) -> Option<f64> {
    let before = |end: usize| text[..text.len() - end].last_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    decimal_at_end(u64::from_le_bytes(*text.last_chunk()?), length, before)
}

/// The same for a text of four to eight bytes, which are not copied: a load of bytes that were just stored one by one would wait for them.
#[inline]
pub(super) fn short_decimal(text: &[u8]) -> Option<f64> {
    let length = text.len();
    if length > 8 {
        return None;
    }
    let [head, tail] = [text.first_chunk()?, text.last_chunk()?].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
    let word = head << (8 * (8 - length)) | tail << 32;
    // Coordinates, and then confidences and occupancies.
    let usual = fixed_decimal::<3>(word, length).or_else(|| fixed_decimal::<2>(word, length));
    usual.or_else(|| decimal_at_end(word, length, |end| Some(word << (8 * end))))
}

/// A decimal of four to eight bytes at the end of a word, with `DECIMALS` digits after the dot.
#[inline(always)]
fn fixed_decimal<const DECIMALS: usize>(word: u64, length: usize) -> Option<f64> {
    let dot = 8 * (7 - DECIMALS);
    if (word >> dot) as u8 != b'.' {
        return None;
    }
    let outside = 8 * (8 - length);
    let negative = (word >> outside) as u8 == b'-';
    if length < DECIMALS + 2 + usize::from(negative) {
        return None;
    }
    let own = u64::MAX << outside << (8 * u32::from(negative));
    let digits = (word ^ ZEROS) & own;
    // The digits before the dot move over it.
    let (before, after) = (digits & ((1 << dot) - 1), digits & (u64::MAX << dot << 8));
    let joined = eight_digits(before << 8 | after)?;
    // Both sides of the division are exact.
    Some(signed(f64::from(joined) / POWERS[DECIMALS], negative))
}

/// A decimal of `length` bytes, of which `last` has the last eight. `before` gives the eight bytes before those at the end, of which there
/// are as many as it is told, at most eight.
#[inline(always)]
fn decimal_at_end(last: u64, length: usize, before: impl Fn(usize) -> Option<u64>) -> Option<f64> {
    const ONES: u64 = u64::MAX / 255;
    if length < 3 {
        return None;
    }
    let outside = 8 * 8u32.saturating_sub(length as u32);
    let after = (last >> outside) << outside;
    // The lowest high bit marks the first dot.
    let dots = after ^ (ONES * b'.' as u64);
    let dot = ((dots.wrapping_sub(ONES) & !dots) & (ONES << 7)).trailing_zeros() / 8;
    let decimals = 7usize.checked_sub(dot as usize).filter(|&n| n > 0)?;
    let whole = length.checked_sub(decimals + 1).filter(|n| (1..=8).contains(n))?;
    let below_dot = u64::MAX << (8 * dot) << 8;
    let fraction = eight_digits((after & below_dot) ^ (ZEROS & below_dot))?;

    let before = before(decimals + 1)?;
    let foreign = 8 * (8 - whole as u32);
    let negative = (before >> foreign) as u8 == b'-';
    if negative && whole == 1 {
        return None;
    }
    let own = u64::MAX << foreign << (8 * u32::from(negative));
    let integer = eight_digits((before & own) ^ (ZEROS & own))?;
    // At most 15 digits: both sides of the division are exact.
    let power = POWERS[decimals];
    Some(signed((f64::from(integer) * power + f64::from(fraction)) / power, negative))
}

const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The value of a decimal: an optional sign, digits with at most one dot, and nothing else (no exponent, no `nan`).
/// Correctly rounded.
pub(super) fn decimal(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mut mantissa, mut digits, mut decimals, mut dots) = (0u64, 0usize, 0usize, 0usize);
    for &c in unsigned {
        match c {
            b'0'..=b'9' => {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(c - b'0'));
                digits += 1;
                decimals += dots;
            }
            b'.' if dots == 0 => dots = 1,
            _ => return None,
        }
    }
    let value = match digits {
        0 => return None,
        // Both sides of the division are exact, so the quotient is correctly rounded.
        1..=15 => mantissa as f64 / POWERS[decimals],
        _ => fast_float2::parse::<f64, _>(unsigned).ok()?,
    };
    Some(if negative { -value } else { value })
}

/// The value of an mmCIF number: a decimal with an optional exponent or standard uncertainty in parentheses. Finite and
/// correctly rounded.
pub(super) fn cif_number(text: &[u8]) -> Option<f64> {
    if let Some(value) = short_decimal(text) {
        return Some(value);
    }
    if let Some(value) = decimal(text) {
        return value.is_finite().then_some(value);
    }
    let text = match text.iter().position(|&c| c == b'(') {
        Some(open) => {
            let uncertainty = text[open + 1..].strip_suffix(b")")?;
            if uncertainty.is_empty() || !uncertainty.iter().all(u8::is_ascii_digit) {
                return None;
            }
            &text[..open]
        }
        None => text,
    };
    let mantissa_end = text.iter().position(|c| matches!(c, b'e' | b'E')).unwrap_or(text.len());
    decimal(&text[..mantissa_end])?;
    if mantissa_end < text.len() {
        let exponent = &text[mantissa_end + 1..];
        integer(exponent.strip_prefix(b"+").unwrap_or(exponent))?;
    }
    let value: f64 = fast_float2::parse(text.strip_prefix(b"+").unwrap_or(text)).ok()?;
    value.is_finite().then_some(value)
}

/// The value of a decimal integer that fits 32 bits.
pub(super) fn integer(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() || digits.len() > 10 {
        return None;
    }
    let mut value = 0i64;
    for &c in digits {
        if !c.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(c - b'0');
    }
    i32::try_from(sign * value).ok()
}

/// A residue number of a PDB file: a decimal without surrounding blanks, or hybrid-36 in its four columns (`A000` is 10000,
/// `a000` follows `ZZZZ`, trailing blanks are zeros as in cctbx, which defined the format).
pub(super) fn pdb_residue_number(text: &[u8]) -> Option<i32> {
    decimal_or_hybrid_36::<4>(text)
}

/// An atom's number, in the same manner in five columns.
pub(super) fn pdb_atom_number(text: &[u8]) -> Option<i32> {
    decimal_or_hybrid_36::<5>(text)
}

fn decimal_or_hybrid_36<const COLUMNS: usize>(text: &[u8]) -> Option<i32> {
    match text {
        &[first @ (b'A'..=b'Z' | b'a'..=b'z'), ref digits @ ..] if text.len() == COLUMNS => {
            let upper = first.is_ascii_uppercase();
            let decimals = 10_i32.pow(COLUMNS as u32);
            let of_upper = 26 * 36_i32.pow(COLUMNS as u32 - 1);
            let (letter_a, base) = if upper { (b'A', decimals) } else { (b'a', decimals + of_upper) };
            let (mut value, mut ended) = (i32::from(first - letter_a), false);
            for &digit in digits {
                ended |= digit == b' ';
                let digit = match digit {
                    b' ' => 0,
                    b'0'..=b'9' if !ended => digit - b'0',
                    b'A'..=b'Z' if upper && !ended => digit - b'A' + 10,
                    b'a'..=b'z' if !upper && !ended => digit - b'a' + 10,
                    _ => return None,
                };
                value = value * 36 + i32::from(digit);
            }
            Some(base + value)
        }
        _ => integer(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_decimals_equal_the_standard_parser() {
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = 1 + (seed >> 60) as usize % 7;
            let sign = if seed & (1 << 33) == 0 { "-" } else { "" };
            let digits = 1 + (seed >> 40) as u32 % (8 - sign.len() as u32);
            let magnitude = (seed >> 8) % 10u64.pow(digits);
            let fraction = (seed >> 20) % 10u64.pow(width as u32);
            let number = format!("{sign}{magnitude}.{fraction:0width$}");
            // The text before the number must not matter.
            let text = format!("12345678.{number}");
            let found = last_decimal(text.as_bytes(), number.len()).unwrap_or_else(|| panic!("{number}"));
            assert_eq!(found.to_bits(), number.parse::<f64>().unwrap().to_bits(), "{number}");
            let is_short = (4..=8).contains(&number.len());
            assert_eq!(short_decimal(number.as_bytes()), is_short.then_some(found), "{number}");
        }
        for text in [
            "",
            "12",
            ".5",
            "-.5",
            "5.",
            "1.2.3",
            "nan",
            "1.0e5",
            "--1.5",
            "+1.5",
            "1.2-3",
            "1.5(3)",
            ".",
            "-.",
            "1234567",
            "123456789.5",
            "1.12345678",
            "-1234567",
            "12345678",
        ] {
            assert_eq!(last_decimal(format!("12345678901234{text}").as_bytes(), text.len()), None, "{text:?}");
            assert_eq!(short_decimal(text.as_bytes()), None, "{text:?}");
        }
        // Fewer than sixteen bytes are left to the plain parser.
        assert_eq!(last_decimal(b"1.5", 3), None);
    }

    #[test]
    fn decimals_are_correctly_rounded() {
        for text in
            ["0.1", "-12.3456789012345", "123456789012345678.125", "0.000000000000000000001", ".5", "7.", "-0.0"]
        {
            assert_eq!(decimal(text.as_bytes()).unwrap().to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
        for text in ["", ".", "-", "+.", "1.2.3", "1e3", "nan", "inf", "1 2", "0x1", "1_0"] {
            assert_eq!(decimal(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn cif_numbers_take_exponents_and_uncertainties() {
        for (text, value) in
            [("1.5e2", 150.0), ("-2.5E-1", -0.25), ("12.25(13)", 12.25), ("+3.5", 3.5), ("1.0e+1(2)", 10.0)]
        {
            assert_eq!(cif_number(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["?", "1e", "1e999", "1(", "1()", "1(a)", "nan", "e5", "1.2.3", "--1"] {
            assert_eq!(cif_number(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn residue_numbers() {
        for (text, value) in [
            ("-999", Some(-999)),
            ("9999", Some(9999)),
            ("A000", Some(10_000)),
            ("A00Z", Some(10_035)),
            ("ZZZZ", Some(1_223_055)),
            ("a000", Some(1_223_056)),
            ("zzzz", Some(2_436_111)),
            ("A00z", None),
            ("A00 ", Some(10_000)),
            ("A 0 ", None),
            ("A00", None),
            ("", None),
            ("1A00", None),
            ("12 3", None),
            ("****", None),
        ] {
            assert_eq!(pdb_residue_number(text.as_bytes()), value, "{text:?}");
        }
        for (text, value) in [
            ("99999", Some(99_999)),
            ("A0000", Some(100_000)),
            ("ZZZZZ", Some(43_770_015)),
            ("a0000", Some(43_770_016)),
            ("A000", None),
            ("*****", None),
        ] {
            assert_eq!(pdb_atom_number(text.as_bytes()), value, "{text:?}");
        }
        assert_eq!(integer(b"2147483648"), None);
        assert_eq!(integer(b"-2147483648"), Some(i32::MIN));
    }
}
