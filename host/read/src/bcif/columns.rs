//! Decodes BinaryCIF's columns. Numbers stay numbers.

use super::msgpack::{Value, damaged};
use crate::error::Problem;
use crate::number::{cif_number, integer};
use std::collections::HashMap;

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values<'a> {
    Ints(Vec<i32>),
    Floats(Vec<f64>),
    Texts(Texts<'a>),
}

/// Texts, each an index into the distinct texts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Texts<'a> {
    distinct: Vec<std::borrow::Cow<'a, [u8]>>,
    /// [`NOTHING`] for none.
    places: Vec<u32>,
}

const NOTHING: u32 = u32::MAX;
/// Stands for a text that does not exist. Writers have index 0 in rows that are masked, even if a column has no texts.
const INVALID: u32 = u32::MAX - 1;

/// A column, with a mask of the rows that have a value.
#[derive(Clone, Debug)]
pub(super) struct Column<'a> {
    pub(super) values: Values<'a>,
    /// 0 for rows with a value; empty if all rows have one.
    pub(super) mask: Vec<i32>,
}

impl<'a> Column<'a> {
    /// Reads a column of a category with `rows` rows. Refuses more than `limit` rows.
    pub fn read(column: &Value<'a>, rows: usize, limit: usize) -> Result<Self, Problem> {
        let values = decode(column.get("data"), limit)?;
        let mask = match column.get("mask") {
            Value::Nil => Vec::new(),
            mask => match decode(mask, limit)? {
                Values::Ints(mask) if mask.len() == rows => mask,
                _ => return Err(damaged("a column's mask has another length than the column")),
            },
        };
        let length = match &values {
            Values::Ints(values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Texts(texts) => texts.places.len(),
        };
        if length != rows {
            return Err(damaged("a column has fewer or more values than its category has rows"));
        }
        let column = Self { values, mask };
        if let Values::Texts(texts) = &column.values
            && texts.places.iter().enumerate().any(|(row, &place)| place == INVALID && column.is_given(row))
        {
            return Err(damaged("a row refers to a text that does not exist"));
        }
        Ok(column)
    }

    fn is_given(&self, row: usize) -> bool {
        self.mask.get(row).is_none_or(|mask| *mask == 0)
    }

    /// Whether its values are texts.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.values, Values::Texts(_))
    }

    /// The values as texts; missing values are empty, and `?` and `.`.
    pub(super) fn into_texts(self) -> Texts<'a> {
        let mut texts = match self.values {
            Values::Texts(texts) => texts,
            Values::Ints(values) => Texts::of(values.iter().map(ToString::to_string)),
            Values::Floats(values) => Texts::of(values.iter().map(ToString::to_string)),
        };
        for (place, mask) in texts.places.iter_mut().zip(&self.mask) {
            if *mask != 0 {
                *place = NOTHING;
            }
        }
        // Once, and not for every row.
        let missing = |text: &&mut std::borrow::Cow<'_, [u8]>| matches!(&***text, b"?" | b".");
        texts.distinct.iter_mut().filter(missing).for_each(|text| *text = b"".into());
        texts
    }

    /// The values as integers.
    pub(super) fn into_ints(self) -> Vec<Option<i32>> {
        let given: Vec<bool> = (0..self.len()).map(|row| self.is_given(row)).collect();
        let values: Vec<Option<i32>> = match self.values {
            Values::Ints(values) => values.into_iter().map(Some).collect(),
            Values::Floats(values) => {
                let whole = |v: &f64| v.fract() == 0.0 && v.abs() <= f64::from(i32::MAX);
                values.into_iter().map(|v| Some(v).filter(whole).map(|v| v as i32)).collect()
            }
            Values::Texts(texts) => texts.map(integer),
        };
        values.into_iter().zip(given).map(|(value, given)| value.filter(|_| given)).collect()
    }

    /// The values as numbers; NaN if missing.
    pub(super) fn into_floats(self) -> Vec<f64> {
        let given: Vec<bool> = (0..self.len()).map(|row| self.is_given(row)).collect();
        let mut values = match self.values {
            Values::Ints(values) => values.into_iter().map(f64::from).collect(),
            Values::Floats(values) => values,
            Values::Texts(texts) => {
                texts.map(cif_number).into_iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<_>>()
            }
        };
        values.iter_mut().zip(given).filter(|(_, given)| !given).for_each(|(value, _)| *value = f64::NAN);
        values
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::Ints(values) => values.len(),
            Values::Floats(values) => values.len(),
            Values::Texts(texts) => texts.places.len(),
        }
    }
}

impl<'a> Texts<'a> {
    /// A column of `rows` rows without values.
    pub(super) fn none(rows: usize) -> Self {
        Self { distinct: Vec::new(), places: vec![NOTHING; rows] }
    }

    fn of(rows: impl Iterator<Item = String>) -> Self {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut texts = Self { distinct: Vec::new(), places: Vec::new() };
        for text in rows {
            let next = texts.distinct.len() as u32;
            let place = *known.entry(text).or_insert_with_key(|text| {
                texts.distinct.push(text.clone().into_bytes().into());
                next
            });
            texts.places.push(place);
        }
        texts
    }

    /// The text of a row; empty if missing.
    #[inline]
    pub(super) fn get(&self, row: usize) -> &[u8] {
        self.places.get(row).and_then(|place| self.distinct.get(*place as usize)).map_or(b"", |text| text)
    }

    /// Whether two rows have one text of the file. Writers may list a text twice, so rows for which this is not so may have equal texts.
    #[inline]
    pub(super) fn is_one(&self, row: usize, other: usize) -> bool {
        self.places[row] == self.places[other]
    }

    /// Applies a function to each row's text. Rows without a text have no value.
    pub(super) fn map<T: Copy>(&self, make: impl Fn(&[u8]) -> Option<T>) -> Vec<Option<T>> {
        let made: Vec<Option<T>> = self.distinct.iter().map(|text| make(text)).collect();
        self.places.iter().map(|place| made.get(*place as usize).copied().flatten()).collect()
    }
}

/// The state between the last encoding, which gives bytes, and the values.
enum Stage<'a> {
    Bytes(&'a [u8]),
    Values(Values<'a>),
}

/// Undoes the encodings of some data, starting with the last.
fn decode<'a>(encoded: &Value<'a>, limit: usize) -> Result<Values<'a>, Problem> {
    let Value::Bytes(bytes) = encoded.get("data") else { return Err(damaged("a column has no data")) };
    /// Real files use four at most.
    const MOST: usize = 8;
    let mut stage = Stage::Bytes(bytes);
    let encodings = encoded.get("encoding").items();
    if encodings.len() > MOST {
        return Err(damaged("a column has more than 8 encodings"));
    }
    for encoding in encodings.iter().rev() {
        let kind = encoding.get("kind").text().unwrap_or_default();
        stage = Stage::Values(match (kind, stage) {
            ("ByteArray", Stage::Bytes(bytes)) => byte_array(bytes, encoding.get("type").int(), limit)?,
            ("StringArray", Stage::Bytes(bytes)) => Values::Texts(string_array(bytes, encoding, limit)?),
            ("FixedPoint", Stage::Values(Values::Ints(values))) => {
                let factor = number(encoding, "factor")?;
                Values::Floats(values.into_iter().map(|value| f64::from(value) / factor).collect())
            }
            ("IntervalQuantization", Stage::Values(Values::Ints(values))) => {
                let (min, max, steps) =
                    (number(encoding, "min")?, number(encoding, "max")?, number(encoding, "numSteps")?);
                let delta = if steps > 1.0 { (max - min) / (steps - 1.0) } else { 0.0 };
                Values::Floats(values.into_iter().map(|value| min + delta * f64::from(value)).collect())
            }
            ("RunLength", Stage::Values(Values::Ints(values))) => Values::Ints(runs(&values, size(encoding, limit)?)?),
            ("Delta", Stage::Values(Values::Ints(mut values))) => {
                let mut sum = encoding.get("origin").int().unwrap_or(0) as i32;
                for value in &mut values {
                    sum = sum.wrapping_add(*value);
                    *value = sum;
                }
                Values::Ints(values)
            }
            ("IntegerPacking", Stage::Values(Values::Ints(values))) => {
                Values::Ints(unpacked(&values, encoding, size(encoding, limit)?)?)
            }
            (kind, _) => return Err(damaged(&format!("the encoding {kind:?} does not fit its data"))),
        });
    }
    match stage {
        Stage::Values(values) => Ok(values),
        Stage::Bytes(_) => Err(damaged("a column has no encoding")),
    }
}

fn number(encoding: &Value<'_>, name: &str) -> Result<f64, Problem> {
    let number = encoding.get(name).number().filter(|number| number.is_finite());
    number.ok_or_else(|| damaged(&format!("an encoding has no {name}")))
}

fn size(encoding: &Value<'_>, limit: usize) -> Result<usize, Problem> {
    let size = encoding.get("srcSize").int().and_then(|size| usize::try_from(size).ok());
    let size = size.ok_or_else(|| damaged("an encoding has no srcSize"))?;
    if size > limit { Err(too_many(limit)) } else { Ok(size) }
}

pub(super) fn too_many(limit: usize) -> Problem {
    Problem::Syntax(format!("a column unfolds to more than {limit} values, which no structure of this size has"))
}

fn byte_array<'a>(bytes: &[u8], kind: Option<i64>, limit: usize) -> Result<Values<'a>, Problem> {
    fn all<const N: usize, T>(bytes: &[u8], make: impl Fn([u8; N]) -> T) -> Result<Vec<T>, Problem> {
        let (values, rest) = bytes.as_chunks::<N>();
        if rest.is_empty() { Ok(values.iter().map(|v| make(*v)).collect()) } else { Err(damaged("an array is cut")) }
    }
    if bytes.len() / 8 > limit {
        return Err(too_many(limit));
    }
    Ok(match kind {
        Some(1) => Values::Ints(all(bytes, |v: [u8; 1]| i32::from(i8::from_le_bytes(v)))?),
        Some(2) => Values::Ints(all(bytes, |v: [u8; 2]| i32::from(i16::from_le_bytes(v)))?),
        Some(3) => Values::Ints(all(bytes, i32::from_le_bytes)?),
        Some(4) => Values::Ints(all(bytes, |v: [u8; 1]| i32::from(v[0]))?),
        Some(5) => Values::Ints(all(bytes, |v: [u8; 2]| i32::from(u16::from_le_bytes(v)))?),
        Some(6) => {
            let values = all(bytes, |v: [u8; 4]| i32::try_from(u32::from_le_bytes(v)).ok())?;
            let values: Option<Vec<i32>> = values.into_iter().collect();
            Values::Ints(values.ok_or_else(|| damaged("a number is too large"))?)
        }
        Some(32) => Values::Floats(all(bytes, |v: [u8; 4]| f64::from(f32::from_le_bytes(v)))?),
        Some(33) => Values::Floats(all(bytes, f64::from_le_bytes)?),
        _ => return Err(damaged("an array has a type that BinaryCIF does not define")),
    })
}

fn runs(values: &[i32], size: usize) -> Result<Vec<i32>, Problem> {
    let (pairs, rest) = values.as_chunks::<2>();
    let mut all = Vec::new();
    for &[value, count] in pairs {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if count > size - all.len() {
            return Err(damaged("runs are longer than their column"));
        }
        all.resize(all.len() + count, value);
    }
    if all.len() == size && rest.is_empty() { Ok(all) } else { Err(damaged("runs are shorter than their column")) }
}

/// Undoes integer packing: a value at its type's limit is added to the next one.
fn unpacked(values: &[i32], encoding: &Value<'_>, size: usize) -> Result<Vec<i32>, Problem> {
    let (least, most) = match (encoding.get("byteCount").int(), encoding.get("isUnsigned")) {
        (Some(1), Value::Bool(true)) => (i32::MIN, i32::from(u8::MAX)),
        (Some(2), Value::Bool(true)) => (i32::MIN, i32::from(u16::MAX)),
        (Some(1), _) => (i32::from(i8::MIN), i32::from(i8::MAX)),
        (Some(2), _) => (i32::from(i16::MIN), i32::from(i16::MAX)),
        _ => return Err(damaged("packed numbers have an unknown width")),
    };
    let mut all = Vec::with_capacity(size.min(values.len()));
    let (mut sum, mut goes_on) = (0_i32, false);
    for &value in values {
        sum = sum.wrapping_add(value);
        goes_on = value == least || value == most;
        if !goes_on {
            all.push(sum);
            sum = 0;
        }
    }
    if all.len() == size && !goes_on { Ok(all) } else { Err(damaged("packed numbers do not fit their column")) }
}

fn string_array<'a>(bytes: &'a [u8], encoding: &Value<'a>, limit: usize) -> Result<Texts<'a>, Problem> {
    let part = |data: &'a [u8], encodings: &Value<'a>| {
        let whole =
            Value::Map(vec![(Value::Text("data"), Value::Bytes(data)), (Value::Text("encoding"), encodings.clone())]);
        match decode(&whole, limit)? {
            Values::Ints(values) => Ok(values),
            _ => Err(damaged("the indices of texts are not integers")),
        }
    };
    let (Value::Bytes(offsets), Some(text)) = (encoding.get("offsets"), encoding.get("stringData").text()) else {
        return Err(damaged("the texts are missing"));
    };
    let offsets = part(offsets, encoding.get("offsetEncoding"))?;
    let offsets: Option<Vec<usize>> = offsets.into_iter().map(|offset| usize::try_from(offset).ok()).collect();
    let out_of_range = || damaged("a text's offsets are out of range");
    let offsets = in_bytes(offsets.ok_or_else(out_of_range)?, text).ok_or_else(out_of_range)?;
    let distinct = offsets.windows(2).map(|ends| text.as_bytes().get(ends[0]..ends[1]).map(Into::into));
    let distinct = distinct.collect::<Option<Vec<_>>>().ok_or_else(out_of_range)?;
    let indices = part(bytes, encoding.get("dataEncoding"))?;
    let place = |index: i32| match u32::try_from(index) {
        Ok(index) if (index as usize) < distinct.len() => index,
        Ok(_) => INVALID,
        Err(_) => NOTHING,
    };
    Ok(Texts { places: indices.into_iter().map(place).collect(), distinct })
}

/// Offsets of a text as bytes. Writers count what their languages count in texts: bytes, UTF-16 units in JavaScript, characters in Python. The
/// last offset is the whole text's length, which says what was counted; `None` if it is none of these.
fn in_bytes(offsets: Vec<usize>, text: &str) -> Option<Vec<usize>> {
    let last = *offsets.last().unwrap_or(&0);
    if text.is_ascii() || last == text.len() {
        return Some(offsets);
    }
    let length: fn(char) -> usize = match last {
        units if units == text.encode_utf16().count() => char::len_utf16,
        characters if characters == text.chars().count() => |_| 1,
        _ => return None,
    };
    // Of each unit, the byte at which it begins.
    let mut begins = Vec::with_capacity(last + 1);
    for (at, character) in text.char_indices() {
        begins.extend(std::iter::repeat_n(at, length(character)));
    }
    begins.push(text.len());
    offsets.into_iter().map(|offset| begins.get(offset).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: Vec<(&'static str, Value<'static>)>) -> Value<'static> {
        Value::Map(entries.into_iter().map(|(key, value)| (Value::Text(key), value)).collect())
    }

    fn encoding(kind: &'static str, mut more: Vec<(&'static str, Value<'static>)>) -> Value<'static> {
        more.push(("kind", Value::Text(kind)));
        map(more)
    }

    fn bytes_of(kind: i64) -> Value<'static> {
        encoding("ByteArray", vec![("type", Value::Int(kind))])
    }

    fn decoded(bytes: &'static [u8], encodings: Vec<Value<'static>>) -> Result<Values<'static>, String> {
        let data = map(vec![("data", Value::Bytes(bytes)), ("encoding", Value::Array(encodings))]);
        decode(&data, 100).map_err(|problem| problem.to_string())
    }

    #[test]
    fn every_encoding_is_undone() {
        let ints = |bytes, encodings| match decoded(bytes, encodings) {
            Ok(Values::Ints(values)) => values,
            other => panic!("{other:?}"),
        };
        assert_eq!(ints(b"\xff\x02", vec![bytes_of(1)]), [-1, 2]);
        assert_eq!(ints(b"\xff\xff\x01\0", vec![bytes_of(2)]), [-1, 1]);
        assert_eq!(ints(b"\xff\xff\x01\0", vec![bytes_of(5)]), [65_535, 1]);
        assert_eq!(ints(b"\xff\0\0\0", vec![bytes_of(6)]), [255]);
        let size = |n| ("srcSize", Value::Int(n));
        assert_eq!(ints(b"\x07\x03\x01\x01", vec![encoding("RunLength", vec![size(4)]), bytes_of(4)]), [7, 7, 7, 1]);
        assert_eq!(
            ints(b"\x01\x01\xfe", vec![encoding("Delta", vec![("origin", Value::Int(10))]), bytes_of(1)]),
            [11, 12, 10]
        );
        let packing = |n, unsigned| {
            encoding(
                "IntegerPacking",
                vec![("byteCount", Value::Int(1)), ("isUnsigned", Value::Bool(unsigned)), size(n)],
            )
        };
        // 127 + 1, -128 - 2, 3; and 255 + 0, 254.
        assert_eq!(ints(b"\x7f\x01\x80\xfe\x03", vec![packing(3, false), bytes_of(1)]), [128, -130, 3]);
        assert_eq!(ints(b"\xff\0\xfe", vec![packing(2, true), bytes_of(4)]), [255, 254]);
        let floats = |bytes, encodings| match decoded(bytes, encodings) {
            Ok(Values::Floats(values)) => values,
            other => panic!("{other:?}"),
        };
        let fixed = encoding("FixedPoint", vec![("factor", Value::Int(1000))]);
        assert_eq!(floats(b"\x39\x30", vec![fixed, bytes_of(2)]), [12.345]);
        let interval = vec![("min", Value::Float(1.0)), ("max", Value::Int(2)), ("numSteps", Value::Int(5))];
        assert_eq!(
            floats(b"\0\x01\x04", vec![encoding("IntervalQuantization", interval), bytes_of(4)]),
            [1.0, 1.25, 2.0]
        );
        assert_eq!(floats(b"\0\0\xc0\x3f", vec![bytes_of(32)]), [1.5]);
        assert_eq!(floats(b"\0\0\0\0\0\0\xf8\x3f", vec![bytes_of(33)]), [1.5]);
        let texts = encoding(
            "StringArray",
            vec![
                ("stringData", Value::Text("CANO")),
                ("offsets", Value::Bytes(b"\0\x02\x03\x04")),
                ("offsetEncoding", Value::Array(vec![bytes_of(4)])),
                ("dataEncoding", Value::Array(vec![bytes_of(1)])),
            ],
        );
        let Ok(Values::Texts(texts)) = decoded(b"\x02\0\xff\x01", vec![texts]) else { panic!("texts") };
        assert_eq!([0, 1, 2, 3].map(|row| texts.get(row)), [&b"O"[..], b"CA", b"", b"N"]);
    }

    /// The texts of a column with these offsets.
    fn texts_of(offsets: &'static [u8]) -> Result<Vec<String>, String> {
        let encoding = encoding(
            "StringArray",
            vec![
                ("stringData", Value::Text("\u{c5}\u{1f9ec}CA\u{3b1}")),
                ("offsets", Value::Bytes(offsets)),
                ("offsetEncoding", Value::Array(vec![bytes_of(4)])),
                ("dataEncoding", Value::Array(vec![bytes_of(1)])),
            ],
        );
        let Values::Texts(texts) = decoded(b"\0\x01\x02\x03", vec![encoding])? else { panic!("no texts") };
        Ok((0..4).map(|row| String::from_utf8(texts.get(row).to_vec()).unwrap()).collect())
    }

    #[test]
    fn offsets_count_bytes_units_or_characters() {
        let expected = ["\u{c5}", "\u{1f9ec}", "CA", "\u{3b1}"];
        // In bytes, in UTF-16 units, and in characters.
        for offsets in [b"\0\x02\x06\x08\x0a", b"\0\x01\x03\x05\x06", b"\0\x01\x02\x04\x05"] {
            assert_eq!(texts_of(offsets).unwrap(), expected, "{offsets:?}");
        }
        for offsets in [b"\0\x01\x02\x04\x07", b"\0\x01\x09\x04\x05", b"\0\x01\x02\x04\x0b"] {
            assert!(texts_of(offsets).unwrap_err().contains("offsets are out of range"), "{offsets:?}");
        }
    }

    #[test]
    fn masked_rows_need_no_text() {
        let texts = encoding(
            "StringArray",
            vec![
                ("stringData", Value::Text("")),
                ("offsets", Value::Bytes(b"\0")),
                ("offsetEncoding", Value::Array(vec![bytes_of(4)])),
                ("dataEncoding", Value::Array(vec![bytes_of(1)])),
            ],
        );
        let data =
            |bytes, encoding| map(vec![("data", Value::Bytes(bytes)), ("encoding", Value::Array(vec![encoding]))]);
        let column = |mask| map(vec![("data", data(b"\0\0", texts.clone())), ("mask", data(mask, bytes_of(4)))]);
        let masked = Column::read(&column(b"\x01\x02"), 2, 100).unwrap().into_texts();
        assert_eq!([masked.get(0), masked.get(1)], [b"", b""]);
        let refused = Column::read(&column(b"\x01\0"), 2, 100).unwrap_err().to_string();
        assert!(refused.contains("a text that does not exist"), "{refused}");
    }

    #[test]
    fn lies_about_sizes_are_refused() {
        let runs = |size| vec![encoding("RunLength", vec![("srcSize", Value::Int(size))]), bytes_of(4)];
        assert!(decoded(b"\x07\xff", runs(1_000_000)).unwrap_err().contains("unfolds to more than 100"));
        assert!(decoded(b"\x07\xff", runs(50)).unwrap_err().contains("longer than their column"));
        assert!(decoded(b"\x07\x02", runs(50)).unwrap_err().contains("shorter than their column"));
        assert!(decoded(b"\x07", vec![bytes_of(3)]).unwrap_err().contains("an array is cut"));
        assert!(decoded(b"\x07", vec![bytes_of(9)]).is_err() && decoded(b"\x07", vec![]).is_err());
        let many = std::iter::repeat_n(encoding("Delta", vec![]), 50).chain([bytes_of(4)]).collect();
        assert!(decoded(b"\x07", many).unwrap_err().contains("more than 8 encodings"));
    }
}
