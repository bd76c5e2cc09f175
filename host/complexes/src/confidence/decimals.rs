//! Short decimals, as predictors write predicted aligned errors: eight bytes at a time.

/// The decimals of predicted aligned errors in files: AlphaFold writes one, ColabFold two.
const ONE: Decimals = Decimals::new(1);
const TWO: Decimals = Decimals::new(2);

/// Decimals with a fixed number of digits after the point, and a comma behind them, moved to the end of eight bytes.
struct Decimals {
    parts: usize,
    /// The value of the last digit.
    scale: f64,
    /// What turns digits into their values, and the point and the comma into 0, by the index of the comma. Others become no digits.
    blank: [u64; 8],
    /// The point and the comma.
    marks: u64,
}

impl Decimals {
    const fn new(parts: usize) -> Self {
        let mut blank = [u64::MAX; 8];
        let mut end = parts + 2;
        while end < 8 {
            let mut bytes = [0; 8];
            let mut at = 7 - end;
            while at < 8 {
                bytes[at] = b'0';
                at += 1;
            }
            bytes[7] = b',';
            bytes[6 - parts] = b'.';
            blank[end] = u64::from_le_bytes(bytes);
            end += 1;
        }
        let mut marks = [0; 8];
        (marks[7], marks[6 - parts]) = (0xff, 0xff);
        Self { parts, scale: if parts == 1 { 0.1 } else { 0.01 }, blank, marks: u64::from_le_bytes(marks) }
    }

    /// The value of bytes that end with the comma, if they are such a decimal. `end` is the index at which the comma was.
    #[inline(always)]
    fn value(&self, moved: u64, end: usize) -> Option<f32> {
        let digits = moved ^ self.blank[end & 7];
        let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
        if (others | digits & self.marks) != 0 {
            return None;
        }
        // Each digit has a fixed index now. Shares end before the comma, the whole before the point.
        let at = |byte: usize| (digits >> (8 * byte)) as u32 & 0xff;
        let number = match self.parts {
            1 => at(6) + 10 * (at(4) + 10 * at(3) + 100 * at(2) + 1000 * at(1) + 10_000 * at(0)),
            _ => at(6) + 10 * at(5) + 100 * (at(3) + 10 * at(2) + 100 * at(1) + 1000 * at(0)),
        };
        // In f64, which is far more exact than f32, so that the product need not be a quotient. A test tries all.
        Some((f64::from(number as i32) * self.scale) as f32)
    }
}

/// A decimal such as `12.34` at the beginning of eight bytes that also have the comma after it, and the length with the comma.
///
/// The result is the nearest f32: the digits are an integer below 2^24, the divisor is exact, and a quotient is rounded once.
// Inlined: a call would end the work on several rows at once.
#[inline(always)]
pub(super) fn short_decimal(bytes: [u8; 8]) -> Option<(f32, usize)> {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(bytes);
    // JSON has no zeros before other digits.
    if bytes[0] == b'0' && bytes[1] != b'.' {
        return None;
    }
    // The lowest high bit marks the first comma.
    let commas = word ^ (ONES * b',' as u64);
    let end = ((commas.wrapping_sub(ONES) & !commas & (ONES << 7)).trailing_zeros() / 8) as usize;
    let moved = word << (56_u32.wrapping_sub(8 * end as u32) & 63);
    let value = ONE.value(moved, end).or_else(|| TWO.value(moved, end));
    if let Some(value) = value.filter(|_| end < 8) {
        return Some((value, end + 1));
    }
    other_decimal(bytes)
}

/// The same with any number of digits after the point.
#[inline(never)]
fn other_decimal(bytes: [u8; 8]) -> Option<(f32, usize)> {
    const POWERS: [f32; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
    let word = u64::from_le_bytes(bytes);
    // Digits become 0 to 9; the high bit is set in what is none.
    let digits = word ^ 0x3030_3030_3030_3030;
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let point = others.trailing_zeros() / 8;
    let after_point = others & others.wrapping_sub(1);
    let end = after_point.trailing_zeros() / 8;
    if end > 7 || point == 0 || end == point + 1 || bytes[point as usize & 7] != b'.' || bytes[end as usize & 7] != b','
    {
        return None;
    }
    let whole = digits & ((1 << (8 * point)) - 1);
    let parts = end - point - 1;
    let share = (digits >> (8 * (point + 1))) & ((1 << (8 * parts)) - 1);
    // Right-justified in eight digits; then pairs, fours and all eight are combined.
    let all = (whole | share << (8 * point)) << (8 * (9 - end));
    let pairs = (all.wrapping_mul(10) + (all >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let number = (fours.wrapping_mul(10_000) + (fours >> 32)) as u32;
    Some((number as f32 / POWERS[parts as usize & 7], end as usize + 1))
}

/// A number by JSON's grammar; infinite if it is too large, and never minus zero.
pub(super) fn json_number(text: &[u8]) -> Option<f32> {
    let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(unsigned);
    if whole == 0 || whole > 1 && unsigned[0] == b'0' {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if let Some(share) = rest.strip_prefix(b".") {
        let count = digits(share);
        rest = share.get(count..).filter(|_| count > 0)?;
    }
    if let [b'e' | b'E', power @ ..] = rest {
        let power = power.strip_prefix(b"+").or_else(|| power.strip_prefix(b"-")).unwrap_or(power);
        let count = digits(power);
        rest = power.get(count..).filter(|_| count > 0)?;
    }
    let number = |text: &[u8]| fast_float2::parse::<f32, _>(text).ok().map(|number| number + 0.0);
    if rest.is_empty() { number(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_the_nearest_numbers() {
        for number in 0..1_000_000_u32 {
            let digits = number.to_string();
            for point in 1..digits.len() {
                let text = format!("{}.{}", &digits[..point], &digits[point..]);
                let mut bytes = [b'7'; 8];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                if let Some(comma) = bytes.get_mut(text.len()) {
                    *comma = b',';
                    let expected: f32 = text.parse().unwrap();
                    assert_eq!(short_decimal(bytes), Some((expected, text.len() + 1)), "{text}");
                }
            }
        }
        for other in
            ["12,34.5,", ".5,3.4,1", "1.,2,3,4", "1234567,", "1.5]1.5,", "1e5,1.5,", "-1.5,1.5", "NaN,1.5,", "1.5 ,1.5"]
        {
            assert_eq!(short_decimal(other.as_bytes().try_into().unwrap()), None, "{other}");
        }
    }
}
