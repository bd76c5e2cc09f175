//! Rows of a matrix that are read side by side: where a number begins depends on the one before, so a processor would wait for each number
//! of a single row.

use super::decimals::{json_number, short_decimal};
use super::matrix::is_distance;
use memchr::memchr;

/// Rows that are read side by side.
pub(super) const SIDE_BY_SIDE: usize = 4;

/// Three decimals with one digit after the point at the beginning of sixteen bytes, and the length with their commas; the fourth number
/// has no meaning.
type Three = ([f32; 4], usize);

/// Reads some rows of `width` numbers side by side. `text` begins with the first row's bracket. Returns the length of the text with the
/// comma after the last row; `None`, and no values, unless all numbers are short decimals between commas, and so distances.
pub(super) fn side_by_side(text: &[u8], width: usize, values: &mut Vec<f32>) -> Option<usize> {
    let mut rows = [&text[..0]; SIDE_BY_SIDE];
    let mut end = 0;
    for row in &mut rows {
        let begin = end;
        (text.get(begin) == Some(&b'[') && width > 1).then_some(())?;
        end += memchr(b']', &text[begin..])? + 2;
        (text.get(end - 1) == Some(&b',')).then_some(())?;
        *row = &text[begin + 1..end];
    }
    let first = values.len();
    values.resize(first + SIDE_BY_SIDE * width, 0.0);
    match read(rows, width, &mut values[first..]) {
        Some(()) => Some(end),
        None => {
            values.truncate(first);
            None
        }
    }
}

/// Reads rows with what this processor has.
fn read(rows: [&[u8]; SIDE_BY_SIDE], width: usize, out: &mut [f32]) -> Option<()> {
    #[cfg(target_arch = "x86_64")]
    if x86::is_there() {
        // SAFETY: the processor has the instructions.
        return unsafe { x86::read(rows, width, out) };
    }
    read_with(rows, width, out, |_| None)
}

/// Reads rows. `threes` reads three numbers of each at once, if they are of its form.
#[inline(always)]
fn read_with(
    rows: [&[u8]; SIDE_BY_SIDE],
    width: usize,
    out: &mut [f32],
    threes: impl Fn([[u8; 16]; SIDE_BY_SIDE]) -> Option<[Three; SIDE_BY_SIDE]>,
) -> Option<()> {
    let (mut at, mut column) = ([0; SIDE_BY_SIDE], 0);
    while column < width - 1 {
        let mut steps = 1;
        // The fourth number lies in the row, too, and is read next.
        if column + 4 < width {
            let mut texts = [[0; 16]; SIDE_BY_SIDE];
            let mut all = true;
            for ((row, at), text) in rows.iter().zip(at).zip(&mut texts) {
                match row.get(at..).and_then(<[u8]>::first_chunk) {
                    Some(bytes) => *text = *bytes,
                    None => all = false,
                }
            }
            if let Some(found) = all.then(|| threes(texts)).flatten() {
                for (index, ((numbers, length), at)) in found.into_iter().zip(&mut at).enumerate() {
                    out[index * width + column..][..4].copy_from_slice(&numbers);
                    *at += length;
                }
                column += 3;
                continue;
            }
            steps = 3;
        }
        for column in column..column + steps {
            for (index, (row, at)) in rows.iter().zip(&mut at).enumerate() {
                let (value, length) = short_decimal(*row.get(*at..)?.first_chunk()?)?;
                out[index * width + column] = value;
                *at += length;
            }
        }
        column += steps;
    }
    // A bracket follows the last of each row.
    for (index, (row, at)) in rows.iter().zip(at).enumerate() {
        let last = json_number(row.get(at..)?.strip_suffix(b"],")?).filter(|&last| is_distance(last))?;
        out[(index + 1) * width - 1] = last;
    }
    Some(())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{SIDE_BY_SIDE, Three, read_with};
    use std::arch::x86_64::*;

    /// The form of three numbers with one or two digits before the point.
    #[derive(Clone, Copy)]
    #[repr(C, align(128))]
    struct Form {
        /// Where digits go: each number gets the tens, the ones, the tenths, and nothing.
        digits: [u8; 16],
        /// What is taken from them: 1 from tens, which are none below that, because JSON has no zeros there.
        least: [u8; 16],
        /// The largest digits after that.
        most: [u8; 16],
        /// Where the points and commas are, in turn.
        marks: [u8; 16],
        /// Bytes with all commas.
        length: usize,
    }

    /// The form of each value of [`key`].
    const FORMS: [Form; 8] = forms();

    /// The points and commas of each form.
    const MARKS: [u8; 16] = *b".,.,.,\0\0\0\0\0\0\0\0\0\0";

    /// The index of a form, by where its points are: bit k says it of byte k.
    const fn key(points: u32) -> usize {
        // The point of a fourth number is none of the first 13 bytes. The factor gives each form an index of its own.
        ((points & 0x1fff).wrapping_mul(0x14ed_2049) >> 29) as usize
    }

    const fn forms() -> [Form; 8] {
        const NONE: u8 = 0x80;
        let none = Form { digits: [NONE; 16], least: [0; 16], most: [9; 16], marks: [NONE; 16], length: 0 };
        let mut all = [none; 8];
        let mut index = 0;
        while index < 8 {
            let (mut form, mut points, mut number) = (none, 0, 0);
            while number < 3 {
                // Bit k of the index says whether number k has tens.
                let (begin, tens) = (form.length, index >> number & 1);
                if tens == 1 {
                    form.digits[4 * number] = begin as u8;
                    (form.least[4 * number], form.most[4 * number]) = (1, 8);
                }
                form.digits[4 * number + 1] = (begin + tens) as u8;
                form.marks[2 * number] = (begin + tens + 1) as u8;
                form.digits[4 * number + 2] = (begin + tens + 2) as u8;
                form.marks[2 * number + 1] = (begin + tens + 3) as u8;
                points |= 1 << (begin + tens + 1);
                form.length = begin + tens + 4;
                number += 1;
            }
            assert!(all[key(points)].length == 0, "two forms have one index");
            all[key(points)] = form;
            index += 1;
        }
        all
    }

    pub(super) fn is_there() -> bool {
        is_x86_feature_detected!("avx") && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx,bmi2")]
    pub fn read(rows: [&[u8]; SIDE_BY_SIDE], width: usize, out: &mut [f32]) -> Option<()> {
        read_with(rows, width, out, |texts| threes(texts))
    }

    #[target_feature(enable = "avx,bmi2")]
    #[inline]
    fn load(bytes: [u8; 16]) -> __m128i {
        let word = u128::from_le_bytes(bytes);
        _mm_set_epi64x((word >> 64) as i64, word as i64)
    }

    #[target_feature(enable = "avx,bmi2")]
    #[inline]
    pub(super) fn threes(texts: [[u8; 16]; SIDE_BY_SIDE]) -> Option<[Three; SIDE_BY_SIDE]> {
        let mut found = [([0.0; 4], 0); SIDE_BY_SIDE];
        let mut others = _mm_setzero_si128();
        for (text, found) in texts.into_iter().zip(&mut found) {
            let text = load(text);
            let points = _mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(b'.' as i8))) as u32;
            // Whether the text is of that form is seen by its marks and digits.
            let form = &FORMS[key(points)];
            let digits = _mm_shuffle_epi8(_mm_sub_epi8(text, _mm_set1_epi8(b'0' as i8)), load(form.digits));
            let marks = _mm_shuffle_epi8(text, load(form.marks));
            let above = _mm_subs_epu8(_mm_sub_epi8(digits, load(form.least)), load(form.most));
            others = _mm_or_si128(others, _mm_or_si128(above, _mm_xor_si128(marks, load(MARKS))));
            let weights = _mm_set1_epi32(i32::from_le_bytes([100, 10, 1, 0]));
            let tenths = _mm_madd_epi16(_mm_maddubs_epi16(digits, weights), _mm_set1_epi16(1));
            // A quotient of two exact numbers is the nearest one.
            let numbers = _mm_div_ps(_mm_cvtepi32_ps(tenths), _mm_set1_ps(10.0));
            let lanes = [
                _mm_extract_ps::<0>(numbers),
                _mm_extract_ps::<1>(numbers),
                _mm_extract_ps::<2>(numbers),
                _mm_extract_ps::<3>(numbers),
            ];
            *found = (lanes.map(|bits| f32::from_bits(bits as u32)), form.length);
        }
        (_mm_testz_si128(others, others) == 1).then_some(found)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Reads three numbers in each of the rows in turn; the others have numbers that can be read.
    fn three(text: &str) -> Option<Three> {
        const OTHERS: ([f32; 3], usize) = ([1.5, 22.5, 3.5], 13);
        let mut bytes = [b'7'; 16];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        let mut rows = (0..SIDE_BY_SIDE).map(|lane| {
            let mut texts = [*b"1.5,22.5,3.5,7.7"; SIDE_BY_SIDE];
            texts[lane] = bytes;
            // SAFETY: the processor has the instructions.
            let found = unsafe { x86::threes(texts) }?;
            let (numbers, length) = found[(lane + 1) % SIDE_BY_SIDE];
            assert_eq!((&numbers[..3], length), (&OTHERS.0[..], OTHERS.1), "beside {text}");
            Some(found[lane])
        });
        let first = rows.next().flatten();
        let as_read =
            |three: Option<Three>| three.map(|(numbers, length)| ([numbers[0], numbers[1], numbers[2]], length));
        rows.for_each(|row| assert_eq!(as_read(row), as_read(first), "{text}"));
        first
    }

    #[test]
    fn three_decimals_are_the_nearest_numbers() {
        if !x86::is_there() {
            println!("left out: this processor has no AVX or BMI2");
            return;
        }
        for tenths in 0..1000_u32 {
            let numbers = [tenths, (tenths * 7 + 3) % 1000, (tenths * 131 + 50) % 1000];
            let texts = numbers.map(|tenths| format!("{}.{}", tenths / 10, tenths % 10));
            let text = format!("{},", texts.join(","));
            let (found, length) = three(&text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((&found[..3], length), (&texts.map(|text| text.parse().unwrap())[..], text.len()), "{text}");
        }
    }

    #[test]
    fn other_forms_are_left_to_others() {
        for other in [
            "1.5,2.5,3.5",
            "1.5,2.5,3.55,",
            "1.5,123.5,1.5,",
            "1.5,.5,1.5,",
            "1.5,2.5,3,5,",
            "1.5,2,3.5,",
            "-1.5,2.5,3.5,",
            "1.5, 2.5,3.5,",
            "1.5,2.5]3.5,",
            "a.5,2.5,3.5,",
            "1.b,2.5,3.5,",
            "1.5,2..5,3.5,",
            ",,,",
            "1.5,2.5,,",
            "01.5,2.5,3.5,",
            "1.5,02.5,3.5,",
            "1.5,2.5,00.5,",
            "NaN,2.5,3.5,",
            "1e5,2.5,3.5,",
        ] {
            assert_eq!(three(other), None, "{other}");
        }
    }
}
