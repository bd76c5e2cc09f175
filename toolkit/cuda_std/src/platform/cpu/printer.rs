//! Printing with the same text as a GPU's `vprintf`.

use std::io::Write as _;

/// Values in the form that a device reads.
pub trait Packed {
    fn words(&self) -> Vec<&dyn Word>;
}

/// One of these values.
pub trait Word {
    fn text(&self, conversion: &str) -> String;
}

macro_rules! integers {
    ($($ty:ty)*) => { $(
        impl Word for $ty {
            fn text(&self, _: &str) -> String {
                self.to_string()
            }
        }
    )* };
}

integers!(i32 u32 i64 u64);

impl Word for f64 {
    fn text(&self, conversion: &str) -> String {
        general(*self, if conversion == "%.9g" { 9 } else { 17 })
    }
}

#[inline(never)]
pub(crate) fn print<P: Packed, const N: usize>(format: &'static [u8; N], values: &P) {
    let line = line(format, &values.words());
    // As on the device, a kernel does not depend on whether anybody reads its output.
    let _ = std::io::stdout().lock().write_all(&line);
}

/// A core runs the code between phases once.
#[inline(always)]
pub(crate) fn speaks_for_the_block() -> bool {
    true
}

fn line(format: &[u8], values: &[&dyn Word]) -> Vec<u8> {
    let (mut line, mut values, mut rest) = (Vec::new(), values.iter(), format);
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            0 => break,
            b'%' if after.first() == Some(&b'%') => {
                line.push(b'%');
                rest = &after[1..];
            }
            b'%' => {
                let end = after.iter().position(|byte| b"dug".contains(byte)).map_or(after.len(), |at| at + 1);
                let conversion = format!("%{}", String::from_utf8_lossy(&after[..end]));
                let value = values.next().expect("a value for each conversion");
                line.extend_from_slice(value.text(&conversion).as_bytes());
                rest = &after[end..];
            }
            byte => line.push(*byte),
        }
    }
    line
}

/// C's `%.{digits}g`.
fn general(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
    without_zeros(&format!("{x:.*}", (digits as i32 - 1 - exponent) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_text_of_c() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.100000001"),
            (1e9, "1e+09"),
            (123_456_789.0, "123456792"),
            (1.5e-5, "1.49999996e-05"),
            (0.0001, "9.99999975e-05"),
            (-2.5e20, "-2.50000005e+20"),
            (f32::INFINITY, "inf"),
            (f32::NAN, "nan"),
        ] {
            assert_eq!(general(f64::from(x), 9), text);
        }
        assert_eq!(general(0.1, 17), "0.10000000000000001");
        assert_eq!(general(999_999_999.9, 9), "1e+09");
    }

    #[test]
    fn lines_are_those_of_c() {
        let values: [&dyn Word; 3] = [&7u32, &-1i64, &0.5f64];
        assert_eq!(line(b"a %u%% %lld, %.9g\n\0\0", &values), b"a 7% -1, 0.5\n");
    }
}
