//! MessagePack, as far as BinaryCIF uses it.

use crate::error::Problem;

/// A value, which borrows the bytes that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Array(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
}

/// Deepest nesting; BinaryCIF has about twelve levels.
const DEEPEST: usize = 32;

/// Reads a value that takes all of `bytes`.
pub fn read(bytes: &[u8]) -> Result<Value<'_>, Problem> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(0)?;
    if reader.rest.is_empty() { Ok(value) } else { Err(damaged("there are bytes after its end")) }
}

pub(super) fn damaged(what: &str) -> Problem {
    Problem::Syntax(format!("damaged BinaryCIF: {what}; fetch the file again"))
}

impl<'a> Value<'a> {
    /// The value of a map's key; nothing if it is absent or the value is not a map.
    pub fn get(&self, name: &str) -> &Value<'a> {
        let Value::Map(entries) = self else { return &Value::Nil };
        entries.iter().find(|(key, _)| key.text() == Some(name)).map_or(&Value::Nil, |(_, value)| value)
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            // Some writers have only one type of number.
            Value::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i64),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    pub fn items(&self) -> &[Value<'a>] {
        if let Value::Array(items) = self { items } else { &[] }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Problem> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or_else(|| damaged("it ends too soon"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let taken = self.take(N)?;
        Ok(*taken.first_chunk().expect("as many were taken"))
    }

    fn length(&mut self, width: u8) -> Result<usize, Problem> {
        Ok(match width {
            0 => usize::from(u8::from_be_bytes(self.array()?)),
            1 => usize::from(u16::from_be_bytes(self.array()?)),
            _ => u32::from_be_bytes(self.array()?) as usize,
        })
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, Problem> {
        if depth > DEEPEST {
            return Err(damaged("values are nested without end"));
        }
        let [tag] = self.array()?;
        Ok(match tag {
            0x00..=0x7f => Value::Int(i64::from(tag)),
            0x80..=0x8f => self.map(usize::from(tag & 0x0f), depth)?,
            0x90..=0x9f => self.items(usize::from(tag & 0x0f), depth)?,
            0xa0..=0xbf => self.string(usize::from(tag & 0x1f))?,
            0xc0 => Value::Nil,
            0xc2 | 0xc3 => Value::Bool(tag == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(tag - 0xc4)?;
                Value::Bytes(self.take(length)?)
            }
            0xca => Value::Float(f64::from(f32::from_be_bytes(self.array()?))),
            0xcb => Value::Float(f64::from_be_bytes(self.array()?)),
            0xcc => Value::Int(i64::from(u8::from_be_bytes(self.array()?))),
            0xcd => Value::Int(i64::from(u16::from_be_bytes(self.array()?))),
            0xce => Value::Int(i64::from(u32::from_be_bytes(self.array()?))),
            0xcf => {
                let value = u64::from_be_bytes(self.array()?);
                Value::Int(i64::try_from(value).map_err(|_| damaged("a number is too large"))?)
            }
            0xd0 => Value::Int(i64::from(i8::from_be_bytes(self.array()?))),
            0xd1 => Value::Int(i64::from(i16::from_be_bytes(self.array()?))),
            0xd2 => Value::Int(i64::from(i32::from_be_bytes(self.array()?))),
            0xd3 => Value::Int(i64::from_be_bytes(self.array()?)),
            0xd9..=0xdb => {
                let length = self.length(tag - 0xd9)?;
                self.string(length)?
            }
            0xdc | 0xdd => {
                let length = self.length(tag - 0xdc + 1)?;
                self.items(length, depth)?
            }
            0xde | 0xdf => {
                let length = self.length(tag - 0xde + 1)?;
                self.map(length, depth)?
            }
            0xe0..=0xff => Value::Int(i64::from(tag as i8)),
            0xc1 | 0xc7..=0xc9 | 0xd4..=0xd8 => return Err(damaged("it has a type that BinaryCIF does not use")),
        })
    }

    fn string(&mut self, length: usize) -> Result<Value<'a>, Problem> {
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| damaged("a text is not UTF-8"))?;
        Ok(Value::Text(text))
    }

    // Lengths may be false, so no memory is reserved by them. Each value takes at least one byte.
    fn items(&mut self, length: usize, depth: usize) -> Result<Value<'a>, Problem> {
        (0..length).map(|_| self.value(depth + 1)).collect::<Result<_, _>>().map(Value::Array)
    }

    fn map(&mut self, length: usize, depth: usize) -> Result<Value<'a>, Problem> {
        (0..length)
            .map(|_| Ok((self.value(depth + 1)?, self.value(depth + 1)?)))
            .collect::<Result<_, _>>()
            .map(Value::Map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read() {
        let bytes = b"\x84\xa1a\x93\x01\xff\xd1\x01\x00\xa1b\xc4\x02\x07\x08\xa1c\xcb\x3f\xf8\0\0\0\0\0\0\xa1d\xc0";
        let value = read(bytes).unwrap();
        assert_eq!(value.get("a").items(), [Value::Int(1), Value::Int(-1), Value::Int(256)]);
        assert_eq!(value.get("b"), &Value::Bytes(&[7, 8]));
        assert_eq!((value.get("c").number(), value.get("d"), value.get("e")), (Some(1.5), &Value::Nil, &Value::Nil));
    }

    #[test]
    fn what_is_damaged_is_refused() {
        for bytes in [&b""[..], b"\x91", b"\xa5abc", b"\xdd\xff\xff\xff\xff\x01", b"\xc1", b"\x01\x02", b"\xa1\xff"] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
        assert!(read(&[0x91; 1000]).unwrap_err().to_string().contains("without end"));
    }
}
