//! Arithmetic of 16-bit floats by integers and `f64`, rounded once. CPU cores use it, and GPUs without the instruction.
//!
//! `M` identifies the format: the number of bits after the binary point, 10 for `f16` and 7 for `bf16`. The exponent has
//! the other `15 - M` bits.

// GPUs from 8.0 on have instructions for nearly all of them.
#![cfg_attr(target_feature = "sm_80", allow(dead_code))]

/// The only NaN that conversions and arithmetic return.
pub(crate) const NAN: u16 = 0x7fff;

/// The bits of infinity. All larger values, apart from the sign, are NaN.
#[inline(always)]
pub(crate) const fn infinity<const M: u32>() -> u16 {
    0x7fff << M & 0x7fff
}

#[inline(always)]
pub(crate) const fn is_nan<const M: u32>(bits: u16) -> bool {
    bits & 0x7fff > infinity::<M>()
}

/// Rounds to the nearest value, ties to even.
#[inline(always)]
pub(crate) const fn round<const M: u32>(x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if exponent == 0x7ff {
        return if mantissa == 0 { sign | infinity::<M>() } else { NAN };
    }
    let bias = (1 << (14 - M)) - 1;
    // The exponent's field in the result. Results are subnormal where it is 0 or less.
    let field = exponent.wrapping_sub(1023 - bias);
    if field > 2 * bias {
        return sign | infinity::<M>();
    }
    // A subnormal f64 is far too small to matter.
    let significand = mantissa | 1 << 52;
    let (base, shift) = if field > 0 {
        ((field as u16).wrapping_sub(1) << M, 52 - M)
    } else {
        (0, (53 - M).wrapping_add(field.unsigned_abs()))
    };
    if shift > 53 {
        // Less than half of the smallest number.
        return sign;
    }
    let (quotient, rest, half) = (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || rest == half && quotient & 1 == 1;
    // A carry goes into the exponent, and from the largest exponent to infinity.
    sign | base.wrapping_add(quotient as u16).wrapping_add(up as u16)
}

/// Rounds to the nearest value, ties to even.
#[inline(always)]
pub(crate) const fn narrow<const M: u32>(x: f32) -> u16 {
    if M == 7 {
        // `bf16` is the upper half of the same format.
        let bits = x.to_bits();
        if bits & 0x7fff_ffff > 0x7f80_0000 {
            return NAN;
        }
        return (bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16) as u16;
    }
    round::<M>(x as f64)
}

/// Converts exactly. NVIDIA's conversion turns a NaN of `f16` into all bits except the sign; a `bf16` is the upper half of
/// a word.
#[inline(always)]
pub(crate) const fn widen<const M: u32>(bits: u16) -> f32 {
    if M == 7 {
        return f32::from_bits((bits as u32) << 16);
    }
    let (sign, rest) = ((bits as u32 & 0x8000) << 16, bits as u32 & 0x7fff);
    if rest > 0x7c00 {
        return f32::from_bits(0x7fff_ffff);
    }
    if rest == 0x7c00 {
        return f32::from_bits(sign | 0x7f80_0000);
    }
    // Exact: the factor changes the exponent's bias from 127 to 15, for subnormal numbers too.
    let size = f32::from_bits(rest << 13) * f32::from_bits((254 - 15) << 23);
    f32::from_bits(sign | size.to_bits())
}

/// Splits a word into its halves.
#[inline(always)]
fn halves(x: u32) -> [u16; 2] {
    [x as u16, (x >> 16) as u16]
}

/// Applies a function of halves to both halves.
#[inline(always)]
fn both<const N: usize>(operands: [u32; N], f: impl Fn([u16; N]) -> u16) -> u32 {
    let [low, high] = [0, 1].map(|half| f(operands.map(|x| halves(x)[half])));
    u32::from(low) | u32::from(high) << 16
}

/// `x y + z`, rounded once.
#[inline(always)]
fn fma_one<const M: u32>([x, y, z]: [u16; 3]) -> u16 {
    let [x, y, z] = [x, y, z].map(|bits| f64::from(widen::<M>(bits)));
    // The product has 22 or 16 bits, which an f64 holds exactly.
    let product = x * y;
    let sum = product + z;
    // The rounding error of the sum, exactly, by Knuth's two-sum.
    let back = sum - product;
    let lost = (product - (sum - back)) + (z - back);
    let mut bits = sum.to_bits();
    if sum.is_finite() && lost != 0.0 && bits & 1 == 0 {
        // Rounding to odd makes the second rounding, to far fewer bits, equal to a single one.
        bits = if (lost > 0.0) == (sum > 0.0) { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    }
    round::<M>(f64::from_bits(bits))
}

/// `x y + z` of both halves, each rounded once.
#[inline(always)]
pub(crate) fn fma<const M: u32>(x: u32, y: u32, z: u32) -> u32 {
    both([x, y, z], fma_one::<M>)
}

/// Sums of both halves.
#[inline(always)]
pub(crate) fn add<const M: u32>(x: u32, y: u32) -> u32 {
    let one = narrow::<M>(1.0);
    both([x, y], |[x, y]| fma_one::<M>([x, one, y]))
}

/// Products of both halves.
#[inline(always)]
pub(crate) fn mul<const M: u32>(x: u32, y: u32) -> u32 {
    // The product is exact before it is rounded.
    both([x, y], |[x, y]| round::<M>(f64::from(widen::<M>(x)) * f64::from(widen::<M>(y))))
}

/// The rank of a number that is not NaN among all numbers, with -0 before +0.
#[inline(always)]
fn order(bits: u16) -> u16 {
    if bits & 0x8000 == 0 { bits | 0x8000 } else { !bits }
}

#[inline(always)]
fn select<const M: u32>(x: u32, y: u32, takes_first: impl Fn(u16, u16) -> bool) -> u32 {
    both([x, y], |[x, y]| match (is_nan::<M>(x), is_nan::<M>(y)) {
        (true, true) => NAN,
        (true, false) => y,
        (false, true) => x,
        (false, false) => {
            if takes_first(order(x), order(y)) {
                x
            } else {
                y
            }
        }
    })
}

/// The smaller of both halves.
#[inline(always)]
pub(crate) fn min<const M: u32>(x: u32, y: u32) -> u32 {
    select::<M>(x, y, |x, y| x <= y)
}

/// The larger of both halves.
#[inline(always)]
pub(crate) fn max<const M: u32>(x: u32, y: u32) -> u32 {
    select::<M>(x, y, |x, y| x >= y)
}
