//! The matrix of predicted aligned errors, and how its text becomes numbers.

use memchr::memchr;
use std::fmt::Write as _;

/// A square matrix. Element `(i, j)` of a matrix of predicted aligned errors is the expected distance in Å between the predicted
/// and the true position of token `j` where both structures are aligned on token `i`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    size: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// A matrix of `values`, row by row.
    ///
    /// # Errors
    /// If their number is no square, or one is negative or no number.
    ///
    /// ```
    /// use prism_host::confidence::Matrix;
    ///
    /// let matrix = Matrix::new(vec![0.5, 3.0, 4.0, 0.5])?;
    /// assert_eq!((matrix.size(), matrix.row(1)), (2, &[4.0, 0.5][..]));
    /// assert!(Matrix::new(vec![0.5; 3]).unwrap_err().contains("3 values are no square"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn new(values: Vec<f32>) -> Result<Self, String> {
        let size = values.len().isqrt();
        if size * size != values.len() {
            return Err(format!("{} values are no square matrix", values.len()));
        }
        let matrix = Self { size, values };
        matrix.checked()
    }

    /// Refuses what is no error in Å.
    fn checked(self) -> Result<Self, String> {
        // One pass that compilers vectorise; the place is looked for only if there is one.
        let is_valid = |value: &f32| (0.0..=f32::MAX).contains(value);
        if self.values.iter().fold(true, |all, value| all & is_valid(value)) {
            return Ok(self);
        }
        let at = self.values.iter().position(|value| !is_valid(value)).unwrap_or_default();
        Err(format!(
            "the predicted aligned error in row {}, column {} is {}, which is no distance; write the matrix again",
            at / self.size + 1,
            at % self.size + 1,
            self.values[at]
        ))
    }

    /// The number of rows, which is that of tokens.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// A row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.size..][..self.size]
    }

    /// An element.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f32 {
        self.row(row)[column]
    }

    /// All elements, row by row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All elements, row by row.
    #[must_use]
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }

    /// The rows and columns of some tokens.
    pub(super) fn of_tokens(&self, tokens: &[u32]) -> Self {
        let mut values = Vec::with_capacity(tokens.len() * tokens.len());
        for &row in tokens {
            let row = self.row(row as usize);
            values.extend(tokens.iter().map(|&column| row[column as usize]));
        }
        Self { size: tokens.len(), values }
    }

    /// Reads JSON's array of arrays of numbers.
    pub(super) fn of_json(text: &[u8]) -> Result<Self, String> {
        let mut values = Vec::with_capacity(text.len() / 5);
        let mut rest = blank(text.strip_prefix(b"[").ok_or("is no array of rows")?);
        let (mut rows, mut width) = (0_usize, 0);
        while rest.starts_with(b"[") {
            if let Some(taken) = side_by_side(rest, width, &mut values) {
                (rest, rows) = (&rest[taken..], rows + SIDE_BY_SIDE);
                continue;
            }
            let begin = values.len();
            rest = blank(read_row(&rest[1..], rows, &mut values)?);
            let own = values.len() - begin;
            if rows == 0 {
                width = own;
            } else if own != width {
                return Err(format!(
                    "row {} has {own} values, and those before it {width}: the matrix is damaged",
                    rows + 1
                ));
            }
            rows += 1;
            if let Some(next) = rest.strip_prefix(b",") {
                rest = blank(next);
            }
        }
        if rest != b"]" {
            return Err(format!("after row {rows} is {}, and neither a row nor the end", shown(rest)));
        }
        match width == rows && rows > 0 {
            true => Self { size: rows, values }.checked(),
            false => Err(format!("the matrix has {rows} rows and {width} columns; it should be square")),
        }
    }
}

/// Rows that are read side by side.
const SIDE_BY_SIDE: usize = 4;

/// Reads some rows of `width` numbers side by side: where a number begins depends on the one before, so a processor would
/// wait for each number of a single row. `text` begins with the first row's bracket. Returns the length of the text with the comma after
/// the last row; `None`, and no values, unless all numbers are short decimals between commas.
fn side_by_side(text: &[u8], width: usize, values: &mut Vec<f32>) -> Option<usize> {
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
    let mut read = || {
        let (out, mut at) = (&mut values[first..], [0; SIDE_BY_SIDE]);
        for column in 0..width - 1 {
            for (place, (row, at)) in rows.iter().zip(&mut at).enumerate() {
                let (value, length) = short_decimal(*row.get(*at..)?.first_chunk()?)?;
                out[place * width + column] = value;
                *at += length;
            }
        }
        // A bracket follows the last of each row.
        for (place, (row, at)) in rows.iter().zip(at).enumerate() {
            out[(place + 1) * width - 1] = fast_float2::parse(row.get(at..)?.strip_suffix(b"],")?).ok()?;
        }
        Some(end)
    };
    let taken = read();
    if taken.is_none() {
        values.truncate(first);
    }
    taken
}

/// Reads JSON's array of numbers.
pub(super) fn numbers(text: &[u8]) -> Result<Vec<f32>, String> {
    let mut values = Vec::with_capacity(text.len() / 5);
    let rest = read_row(text.strip_prefix(b"[").ok_or("is no array of numbers")?, 0, &mut values)?;
    if rest.is_empty() { Ok(values) } else { Err(format!("after the numbers is {}", shown(rest))) }
}

/// Reads the numbers of JSON's array that begins behind its bracket, and returns the text after it. `row` is its place in errors.
fn read_row<'a>(text: &'a [u8], row: usize, values: &mut Vec<f32>) -> Result<&'a [u8], String> {
    let mut rest = text;
    loop {
        // Short decimals between commas, as predictors write them; anything else takes the plain path.
        while let Some((value, length)) = rest.first_chunk().and_then(|chunk| short_decimal(*chunk)) {
            values.push(value);
            rest = &rest[length..];
        }
        rest = blank(rest);
        match rest.first() {
            Some(b']') => return Ok(&rest[1..]),
            Some(b',') => rest = &rest[1..],
            Some(b'-' | b'0'..=b'9') => {
                let length = rest.iter().position(|c| !matches!(c, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
                let (number, after) = rest.split_at(length.unwrap_or(rest.len()));
                let value: f32 = fast_float2::parse(number).map_err(|_| not_a_number(row, number))?;
                values.push(value);
                rest = after;
            }
            _ => return Err(not_a_number(row, rest)),
        }
    }
}

#[cold]
fn not_a_number(row: usize, text: &[u8]) -> String {
    format!("row {} has {} where a number belongs", row + 1, shown(text))
}

/// The beginning of a text in an error.
fn shown(text: &[u8]) -> String {
    let mut shown = String::from("`");
    let end = text.iter().position(|c| matches!(c, b',' | b']' | b'\n')).unwrap_or(text.len()).max(1).min(text.len());
    let _ = write!(shown, "{}", String::from_utf8_lossy(&text[..end.min(20)]));
    shown.push('`');
    if text.is_empty() { "the file's end".to_owned() } else { shown }
}

/// A text without the blanks at its beginning.
fn blank(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

/// The decimals of predicted aligned errors in files: AlphaFold writes one, ColabFold two.
const ONE: Decimals = Decimals::new(1);
const TWO: Decimals = Decimals::new(2);

/// Decimals with a fixed number of digits after the point, and a comma behind them, moved to the end of eight bytes.
struct Decimals {
    parts: usize,
    /// The value of the last digit.
    scale: f64,
    /// What turns digits into their values, and the point and the comma into 0, by the place of the comma. Others become no digits.
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

    /// The value of bytes that end with the comma, if they are such a decimal. `end` is the place where the comma was.
    #[inline(always)]
    fn value(&self, moved: u64, end: usize) -> Option<f32> {
        let digits = moved ^ self.blank[end & 7];
        let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
        if (others | digits & self.marks) != 0 {
            return None;
        }
        // The places of digits are fixed now. Shares end before the comma, the whole before the point.
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
fn short_decimal(bytes: [u8; 8]) -> Option<(f32, usize)> {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(bytes);
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

    #[test]
    fn matrices_of_any_layout() {
        let expected = Matrix::new(vec![0.5, 12.25, 3.0, 1e-1]).unwrap();
        for text in
            ["[[0.5,12.25],[3,0.1]]", "[ [0.5, 12.25 ],\n [ 3.0 , 1e-1 ] ]", "[[5e-1,1225E-2],[30.0e-1,0.1000000000]]"]
        {
            assert_eq!(Matrix::of_json(text.as_bytes()).unwrap(), expected, "{text}");
        }
        assert_eq!(expected.of_tokens(&[1]).values(), [0.1]);
    }

    #[test]
    fn rows_side_by_side_are_those_one_after_the_other() {
        for size in [1, 2, 3, 4, 5, 9, 12] {
            let value = |at: usize| format!("{}.{}", at * 7 % 31, at % 10);
            let numbers: Vec<String> = (0..size * size).map(value).collect();
            let row = |between: &'static str| move |row: &[String]| format!("[{}]", row.join(between));
            let expected: Vec<f32> = numbers.iter().map(|text| text.parse().unwrap()).collect();
            let dense = numbers.chunks(size).map(row(",")).collect::<Vec<_>>().join(",");
            let spaced = numbers.chunks(size).map(row(", ")).collect::<Vec<_>>().join(", ");
            // One number of another form, in each place.
            let others = (0..size * size).map(|at| {
                let mut numbers = numbers.clone();
                numbers[at].push_str("e0");
                numbers.chunks(size).map(row(",")).collect::<Vec<_>>().join(",")
            });
            for text in others.chain([dense, spaced]) {
                assert_eq!(Matrix::of_json(format!("[{text}]").as_bytes()).unwrap().values(), expected, "{text}");
            }
        }
    }

    #[test]
    fn damaged_matrices_say_where() {
        for (text, says) in [
            ("[[0.5,1.5],[2.5]]", "row 2 has 1 values, and those before it 2"),
            ("[[0.5,1.5,2.5],[2.5,0.5,1.5]]", "2 rows and 3 columns"),
            ("[[0.5,NaN],[2.5,0.5]]", "row 1 has `NaN` where a number belongs"),
            ("[[0.5,null],[2.5,0.5]]", "row 1 has `null`"),
            ("[[0.5,-1.5],[2.5,0.5]]", "row 1, column 2 is -1.5"),
            ("[[0.5,1.5],[2.5,", "row 2 has the file's end"),
            ("[[0.5,1.5],2.5]", "after row 1 is `2.5`"),
            ("[]", "0 rows"),
            ("3", "is no array"),
        ] {
            let error = Matrix::of_json(text.as_bytes()).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
