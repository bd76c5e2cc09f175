//! The compressed positions of a frame.
//!
//! Positions are whole multiples of the precision. An atom is written in full, and then up to ten atoms as small differences, each from
//! the one before. Of a full atom and the first small one the order is swapped, so that waters (O, H, H) have small differences. Three
//! numbers share a field of bits: with sizes s, the field is (x s₁ + y) s₂ + z.
//!
//! The crate for this format (`molly`) panics where a file is damaged, or writes to standard error.

use super::bits::Bits;
use crate::source::{f32_at, u32_at};

/// Sizes of small differences, about powers of the cube root of 2: a field of `i` bits holds three numbers below `SIZES[i]`.
#[rustfmt::skip]
const SIZES: [u32; 73] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256, 322, 406, 512, 645, 812, 1024, 1290,
    1625, 2048, 2580, 3250, 4096, 5060, 6501, 8192, 10321, 13003, 16384, 20642, 26007, 32768, 41285, 52015, 65536, 82570, 104031,
    131072, 165140, 208063, 262144, 330280, 416127, 524287, 660561, 832255, 1048576, 1321122, 1664510, 2097152, 2642245, 3329021,
    4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216,
];
/// The first of them.
const FIRST: usize = 9;
/// Above this size, the three numbers of a full atom have a field each.
const MOST_IN_FIELD: u32 = 0xff_ffff;

/// A divisor with its reciprocal.
#[derive(Clone, Copy)]
struct Divisor {
    divisor: u64,
    /// 2^64 divided by it, rounded up.
    reciprocal: u64,
}

impl Divisor {
    const fn new(divisor: u32) -> Self {
        let divisor = divisor as u64;
        // Only `divide_any` is right for 0 and 1, whose reciprocals do not fit; no field of three numbers has them.
        Self { divisor, reciprocal: if divisor < 2 { 0 } else { u64::MAX / divisor + 1 } }
    }

    /// Quotient and rest of a number whose product with the divisor is below 2^64: the rounding of the reciprocal is then too small to
    /// count.
    #[inline]
    fn divide(self, number: u64) -> (u64, u64) {
        let quotient = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
        (quotient, number.wrapping_sub(quotient.wrapping_mul(self.divisor)))
    }
}

/// Three numbers in one field.
struct Field {
    bits: u32,
    sizes: [Divisor; 3],
    /// Whether reciprocals divide a number of so many bits.
    is_short: bool,
}

impl Field {
    fn new(bits: u32, sizes: [u32; 3]) -> Self {
        let largest = sizes.into_iter().max().unwrap_or_default();
        let is_short = sizes.iter().all(|&size| size > 1) && bits + (32 - largest.leading_zeros()) <= 64 && bits <= 57;
        Self { bits, sizes: sizes.map(Divisor::new), is_short }
    }

    #[inline]
    fn take(&self, bits: &mut Bits<'_>) -> [i32; 3] {
        if !self.is_short {
            return self.take_long(bits);
        }
        let number = bits.take_low_first(self.bits);
        let (rest, z) = self.sizes[2].divide(number);
        let (x, y) = self.sizes[1].divide(rest);
        [x as i32, y as i32, z as i32]
    }

    /// Of large cells, up to 72 bits.
    #[inline(never)]
    fn take_long(&self, bits: &mut Bits<'_>) -> [i32; 3] {
        let number = match self.bits {
            0..=56 => u128::from(bits.take_low_first(self.bits)),
            _ => {
                let low = bits.take_low_first(32);
                u128::from(low) | u128::from(bits.take_low_first(self.bits - 32)) << 32
            }
        };
        let [_, y, z] = self.sizes.map(|size| u128::from(size.divisor));
        let rest = number / z;
        [(rest / y) as i32, (rest % y) as i32, (number % z) as i32]
    }
}

/// How a full atom is written.
enum Full {
    Field(Field),
    /// Bits of each number.
    Each([u32; 3]),
}

/// Number of bits of the product of some sizes.
fn bits_of(sizes: &[u32]) -> u32 {
    let product: u128 = sizes.iter().map(|&size| u128::from(size)).product();
    128 - product.leading_zeros()
}

/// Decodes the first `wanted` atoms of `atoms` in Å, each of which `put` gets with its number. The error says what is wrong.
pub(super) fn decode(
    prelude: &[u8],
    bytes: &[u8],
    atoms: usize,
    wanted: usize,
    mut put: impl FnMut(usize, [f32; 3]),
) -> Result<(), String> {
    let precision = f32_at(prelude, 0);
    if !(precision.is_finite() && precision > 0.0) {
        return Err(format!("the precision of positions is {precision}"));
    }
    // As the format's first implementation computes it, to the bit.
    let unit = 1.0 / precision;
    let least: [i32; 3] = [4, 8, 12].map(|at| u32_at(prelude, at) as i32);
    let most: [i32; 3] = [16, 20, 24].map(|at| u32_at(prelude, at) as i32);
    let sizes: [u32; 3] = std::array::from_fn(|axis| (most[axis].wrapping_sub(least[axis]) as u32).wrapping_add(1));
    if (0..3).any(|axis| most[axis] < least[axis] || sizes[axis] == 0) {
        return Err(format!("the largest positions {most:?} are below the smallest {least:?}"));
    }
    let full = match sizes.iter().any(|&size| size > MOST_IN_FIELD) {
        true => Full::Each(sizes.map(|size| bits_of(&[size]))),
        false => Full::Field(Field::new(bits_of(&sizes), sizes)),
    };
    let mut small = u32_at(prelude, 28) as usize;
    let small_field = |small: usize| -> Result<(Field, i32), String> {
        match SIZES.get(small) {
            Some(&size) if small >= FIRST => Ok((Field::new(small as u32, [size; 3]), (size / 2) as i32)),
            _ => Err(format!("differences have {small} bits, and not {FIRST} to {}", SIZES.len() - 1)),
        }
    };
    let (mut differences, mut half) = small_field(small)?;
    let mut bits = Bits::new(bytes);
    let mut run = 0;
    let mut at = 0;
    let mut put = |at: usize, multiples: [i32; 3]| {
        if at < wanted {
            put(at, multiples.map(|value| (value as f32 * unit) * 10.0));
        }
    };
    while at < wanted {
        let raw = match &full {
            Full::Field(field) => field.take(&mut bits),
            Full::Each(each) => each.map(|own| bits.take(own) as i32),
        };
        let mut before: [i32; 3] = std::array::from_fn(|axis| raw[axis].wrapping_add(least[axis]));
        let mut change = 0;
        if bits.take(1) == 1 {
            let coded = bits.take(5) as usize;
            change = (coded % 3) as i32 - 1;
            run = coded / 3;
        }
        if bits.is_past_end() {
            return Err(format!("the compressed positions end at atom {at} of {atoms}"));
        }
        if at + 1 + run > atoms {
            return Err(format!("a run of {} atoms begins at atom {at} of {atoms}", run + 1));
        }
        if run == 0 {
            put(at, before);
        }
        for index in 0..run {
            let raw = differences.take(&mut bits);
            let next: [i32; 3] = std::array::from_fn(|axis| raw[axis].wrapping_add(before[axis]).wrapping_sub(half));
            match index {
                0 => {
                    put(at, next);
                    put(at + 1, before);
                }
                _ => put(at + 1 + index, next),
            }
            before = next;
        }
        if bits.is_past_end() {
            return Err(format!("the compressed positions end at atom {at} of {atoms}"));
        }
        at += run + 1;
        if change != 0 {
            small = small.wrapping_add_signed(change as isize);
            (differences, half) = small_field(small)?;
        }
    }
    Ok(())
}
