//! The matrix of predicted aligned errors, and how its text becomes numbers.

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
        let (mut rows, mut begin, mut columns) = (0_usize, 0, None);
        let mut rest = blank(text.strip_prefix(b"[").ok_or("is no array of rows")?);
        while let Some(row) = rest.strip_prefix(b"[") {
            rest = blank(read_row(row, rows, &mut values)?);
            let own = values.len() - begin;
            let width = *columns.get_or_insert(own);
            if own != width {
                return Err(format!(
                    "row {} has {own} values, and those before it {width}: the matrix is damaged",
                    rows + 1
                ));
            }
            (rows, begin) = (rows + 1, values.len());
            if let Some(next) = rest.strip_prefix(b",") {
                rest = blank(next);
            }
        }
        if rest != b"]" {
            return Err(format!("after row {rows} is {}, and neither a row nor the end", shown(rest)));
        }
        match columns {
            Some(width) if width == rows => Self { size: rows, values }.checked(),
            width => Err(format!("the matrix has {rows} rows and {} columns; it should be square", width.unwrap_or(0))),
        }
    }
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

/// A decimal such as `12.34` at the beginning of eight bytes that also have the comma after it, and the length with the comma.
///
/// The result is the nearest f32: the digits are an integer below 2^24, the divisor is exact, and a quotient is rounded once.
#[inline]
fn short_decimal(bytes: [u8; 8]) -> Option<(f32, usize)> {
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
