//! The matrix of predicted aligned errors, and how its text becomes numbers.

use super::decimals::{json_number, short_decimal};
use super::given::Given;
use super::side_by_side::{SIDE_BY_SIDE, side_by_side};
use super::sums::largest;
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
    /// If there are none, their number is no square, or one is negative or no number.
    ///
    /// ```
    /// use prism_complexes::confidence::Matrix;
    ///
    /// let matrix = Matrix::new(vec![0.5, 3.0, 4.0, 0.5])?;
    /// assert_eq!((matrix.size(), matrix.row(1)), (2, &[4.0, 0.5][..]));
    /// assert!(Matrix::new(vec![0.5; 3]).unwrap_err().contains("3 values are no square"));
    /// assert!(Matrix::new(Vec::new()).is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn new(values: Vec<f32>) -> Result<Self, String> {
        let size = values.len().isqrt();
        if size == 0 {
            return Err("has a matrix without rows".to_owned());
        }
        if size * size != values.len() {
            return Err(format!("{} values are no square matrix", values.len()));
        }
        let mut matrix = Self { size, values };
        // Minus zero becomes zero.
        matrix.values.iter_mut().for_each(|value| *value += 0.0);
        matrix.checked()
    }

    /// The matrix of predicted aligned errors in a file's bytes, JSON or npz, plain or compressed, as predictors write it; `None` if it
    /// has none.
    ///
    /// # Errors
    /// If the file is damaged, or of a format that is not read.
    ///
    /// ```
    /// use prism_complexes::confidence::Matrix;
    ///
    /// let matrix = Matrix::of_file(br#"{"pae": [[0.5, 3.0], [4.0, 0.5]], "iptm": 0.8}"#)?.expect("a matrix");
    /// assert_eq!(matrix.values(), [0.5, 3.0, 4.0, 0.5]);
    /// assert_eq!(Matrix::of_file(br#"{"iptm": 0.8}"#)?, None);
    /// assert!(Matrix::of_file(br#"{"distance": []}"#).unwrap_err().contains("without rows"));
    /// assert!(Matrix::of_file(br#"{"pae": [[0.5, 3.0], [4.0, 0.5"#).unwrap_err().contains("is cut inside of \"pae\""));
    /// # Ok::<(), String>(())
    /// ```
    pub fn of_file(bytes: &[u8]) -> Result<Option<Self>, String> {
        let mut given = Given::default();
        given.take("the file", bytes)?;
        if let Some(conflict) = given.conflict {
            return Err(conflict);
        }
        Ok(given.matrix.map(|(matrix, _)| matrix))
    }

    /// Refuses what is no error in Å.
    fn checked(self) -> Result<Self, String> {
        self.values.chunks(self.size.max(1)).enumerate().try_for_each(|(row, values)| check(values, row))?;
        Ok(self)
    }

    /// Whether another matrix has the same errors, perhaps rounded to fewer digits.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        /// Half of the last digit, if one is rounded to integers.
        const ROUNDED: f32 = 0.501;
        let is_near = |(one, other): (&f32, &f32)| (one - other).abs() <= ROUNDED;
        self.size == other.size && self.values.iter().zip(&other.values).all(is_near)
    }

    /// The largest error.
    pub(super) fn largest(&self) -> f32 {
        largest(&self.values)
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
        // Few numbers are shorter than `1.5,`; the system gives memory when it is written.
        let mut values = Vec::with_capacity(text.len() / 4 + 1);
        let mut rest = blank(text.strip_prefix(b"[").ok_or("is no array of rows")?);
        let (mut rows, mut width, mut is_last) = (0_usize, 0, rest.starts_with(b"]"));
        // A row begins here: at first, and after each comma.
        while !is_last {
            if let Some(taken) = side_by_side(rest, width, &mut values) {
                (rest, rows) = (blank(&rest[taken..]), rows + SIDE_BY_SIDE);
                continue;
            }
            let row =
                rest.strip_prefix(b"[").ok_or_else(|| format!("after row {rows} is {}, and no row", shown(rest)))?;
            let begin = values.len();
            rest = blank(read_row(row, rows, &mut values)?);
            // Rows that are read side by side have distances alone.
            check(&values[begin..], rows)?;
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
            match rest.strip_prefix(b",") {
                Some(next) => rest = blank(next),
                None => is_last = true,
            }
        }
        if rest != b"]" {
            return Err(format!("after row {rows} is {}, and neither a comma nor the end", shown(rest)));
        }
        match width == rows && rows > 0 {
            true => Ok(Self { size: rows, values }),
            false => Err(format!("the matrix has {rows} rows and {width} columns; it should be square")),
        }
    }
}

/// Whether a value is an error in Å.
pub(super) fn is_distance(value: f32) -> bool {
    (0.0..=f32::MAX).contains(&value)
}

/// Refuses a row's values that are no errors in Å.
fn check(values: &[f32], row: usize) -> Result<(), String> {
    // One pass that compilers vectorise; the index of such a value is looked for only if there is one.
    if values.iter().fold(true, |all, &value| all & is_distance(value)) {
        return Ok(());
    }
    let at = values.iter().position(|&value| !is_distance(value)).unwrap_or_default();
    let is = match values[at] {
        f32::INFINITY => "above 3.4e38".to_owned(),
        value => value.to_string(),
    };
    Err(format!(
        "the predicted aligned error in row {}, column {} is {is}, which is no distance; write the matrix again",
        row + 1,
        at + 1
    ))
}

/// Reads JSON's array of numbers.
pub(super) fn numbers(text: &[u8]) -> Result<Vec<f32>, String> {
    let mut values = Vec::with_capacity(text.len() / 5);
    let text = text.strip_prefix(b"[").ok_or("is no array of numbers")?;
    let rest = read_row(text, 0, &mut values).map_err(|reason| reason.trim_start_matches("row 1 ").to_owned())?;
    if rest.is_empty() { Ok(values) } else { Err(format!("has {} after its numbers", shown(rest))) }
}

/// Reads the numbers of JSON's array that begins behind its bracket, and returns the text after it. `row` is its index, for errors.
fn read_row<'a>(text: &'a [u8], row: usize, values: &mut Vec<f32>) -> Result<&'a [u8], String> {
    let mut rest = blank(text);
    if let Some(after) = rest.strip_prefix(b"]") {
        return Ok(after);
    }
    // A number begins here: at first, and after each comma.
    loop {
        // Short decimals between commas, as predictors write them; anything else takes the plain path.
        while let Some((value, length)) = rest.first_chunk().and_then(|chunk| short_decimal(*chunk)) {
            values.push(value);
            rest = &rest[length..];
        }
        rest = blank(rest);
        let length = rest.iter().position(|c| !matches!(c, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
        let (number, after) = rest.split_at(length.unwrap_or(rest.len()));
        let shown = if number.is_empty() { rest } else { number };
        values.push(json_number(number).ok_or_else(|| not_a_number(row, shown))?);
        rest = blank(after);
        match rest.first() {
            Some(b']') => return Ok(&rest[1..]),
            Some(b',') => rest = &rest[1..],
            _ => return Err(no_comma(row, rest)),
        }
    }
}

#[cold]
fn no_comma(row: usize, text: &[u8]) -> String {
    format!("row {} has {} where a comma belongs", row + 1, shown(text))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_any_layout() {
        let expected = Matrix::new(vec![0.5, 12.25, 3.0, 1e-1]).unwrap();
        for text in
            ["[[0.5,12.25],[3,0.1]]", "[ [0.5, 12.25 ],\n [ 3.0 , 1e-1 ] ]", "[[5e-1,1225E-2],[30.0e-1,0.1000000000]]"]
        {
            assert_eq!(Matrix::of_json(text.as_bytes()).unwrap(), expected, "{text}");
        }
        assert_eq!(expected.of_tokens(&[1]).values(), [0.1]);
        // Minus zero is zero, and is written so.
        for matrix in
            [Matrix::of_json(b"[[-0.0,1.5],[-0,0.5]]").unwrap(), Matrix::new(vec![-0.0, 1.5, -0.0, 0.5]).unwrap()]
        {
            assert!(matrix.values().iter().all(|value| value.is_sign_positive()), "{matrix:?}");
        }
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
            // One number of another form, at each index.
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
    fn marks_that_are_missing_or_too_many_are_found_anywhere() {
        let number = |at: usize| format!("{}.{}", at * 7 % 31, at % 10);
        let rows: Vec<String> = (0..12)
            .map(|row| format!("[{}]", (0..12).map(|column| number(12 * row + column)).collect::<Vec<_>>().join(",")))
            .collect();
        let whole = format!("[{}]", rows.join(","));
        assert_eq!(Matrix::of_json(whole.as_bytes()).unwrap().size(), 12);
        for (at, letter) in whole.char_indices() {
            let (before, after) = (&whole[..at], &whole[at..]);
            let changed = match letter {
                ',' => vec![format!("{before},{after}"), format!("{before} {}", &after[1..])],
                '[' => vec![format!("{before}[,{}", &after[1..])],
                ']' => vec![format!("{before},{after}")],
                '0'..='9' if before.ends_with([',', '[']) => vec![format!("{before}0{after}")],
                _ => continue,
            };
            for text in changed {
                assert!(Matrix::of_json(text.as_bytes()).is_err(), "{text}");
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
            ("[[0.5,1.5],2.5]", "after row 1 is `2.5`, and no row"),
            ("[[0.5,1.5] [2.5,0.5]]", "after row 1 is `[2.5`, and neither a comma nor the end"),
            ("[[0.5,1.5],[2.5,0.5],]", "after row 2 is `]`, and no row"),
            ("[,[0.5,1.5],[2.5,0.5]]", "after row 0 is `,`, and no row"),
            ("[[0.5 1.5],[2.5,0.5]]", "row 1 has `1.5` where a comma belongs"),
            ("[[0.5,,1.5],[2.5,0.5]]", "row 1 has `,` where a number belongs"),
            ("[[0.5,1.5,],[2.5,0.5]]", "row 1 has `]` where a number belongs"),
            ("[[,0.5,1.5],[2.5,0.5]]", "row 1 has `,` where a number belongs"),
            ("[[00.5,1.5],[2.5,0.5]]", "row 1 has `00.5` where a number belongs"),
            ("[[0.5,1.],[2.5,0.5]]", "row 1 has `1.` where a number belongs"),
            ("[[0.5,.5],[2.5,0.5]]", "row 1 has `.5` where a number belongs"),
            ("[[0.5,+1],[2.5,0.5]]", "row 1 has `+1` where a number belongs"),
            ("[[0.5,1e39],[2.5,0.5]]", "row 1, column 2 is above 3.4e38, which is no distance"),
            ("[]", "0 rows"),
            ("3", "is no array"),
        ] {
            let error = Matrix::of_json(text.as_bytes()).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
