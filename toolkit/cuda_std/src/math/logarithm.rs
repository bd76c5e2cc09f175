//! Logarithms.

use super::{NAN, fma};

/// ln 2 as a part of 15 bits, whose product with an exponent is exact, and the remainder.
const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
/// log10(2) in the same way.
const LOG10_2: [f32; 2] = [0.301_025_4, 4.605_039e-6];
const LOG2_E: [f32; 2] = [core::f32::consts::LOG2_E, 1.925_963e-8];
const LOG10_E: [f32; 2] = [core::f32::consts::LOG10_E, -1.010_305e-8];

/// A number as `2^exponent * (1 + fraction)`, the fraction between -1/3 and 1/3.
#[derive(Clone, Copy)]
struct Parts {
    exponent: f32,
    fraction: f32,
    /// The rounding error of the fraction.
    lost: f32,
}

/// The bits of the factor `2^k` in `2^k * m` with m between 2/3 and 4/3.
#[inline(always)]
fn exponent_bits(bits: u32) -> u32 {
    bits.wrapping_sub(0x3f2a_aaab) & 0xff80_0000
}

#[inline(always)]
fn exponent(bits: u32) -> f32 {
    (bits as i32 >> 23) as f32
}

impl Parts {
    /// The parts of a positive, finite number.
    #[inline(always)]
    fn of(x: f32) -> Self {
        let subnormal = x < f32::MIN_POSITIVE;
        let bits = if subnormal { x * 8_388_608.0 } else { x }.to_bits();
        let power = exponent_bits(bits);
        Self {
            exponent: exponent(power) - if subnormal { 23.0 } else { 0.0 },
            fraction: f32::from_bits(bits.wrapping_sub(power)) - 1.0,
            lost: 0.0,
        }
    }

    /// The parts of 1 + x, for x between -1 and 2^25.
    #[inline(always)]
    fn of_one_plus(x: f32) -> Self {
        let power = exponent_bits((1.0 + x).to_bits());
        // (1 + x) s - 1 for s = 2^-k; both s - 1 and x s are exact.
        let s = f32::from_bits(1.0f32.to_bits().wrapping_sub(power));
        let fraction = fma(x, s, s - 1.0);
        Self { exponent: exponent(power), fraction, lost: fma(x, s, (s - 1.0) - fraction) }
    }

    /// ln(1 + fraction) - fraction.
    #[inline(always)]
    fn rest(self) -> f32 {
        let f = self.fraction;
        let p = fma(1.200_781_5e-1, f, -1.284_579e-1);
        let p = fma(p, f, 1.075_408_8e-1);
        let p = fma(p, f, -1.219_562_8e-1);
        let p = fma(p, f, 1.430_446_7e-1);
        let p = fma(p, f, -1.667_958_8e-1);
        let p = fma(p, f, 1.999_959_8e-1);
        let p = fma(p, f, -2.499_982e-1);
        let p = fma(p, f, 3.333_333_4e-1);
        fma(fma(p, f, -0.5), f * f, fma(-f, self.lost, self.lost))
    }

    #[inline(always)]
    fn ln(self) -> f32 {
        sum(self.exponent * LN_2[0], self.fraction, fma(self.exponent, LN_2[1], self.rest()))
    }

    #[inline(always)]
    fn log2(self) -> f32 {
        let (hi, lo) = self.times(LOG2_E);
        sum(self.exponent, hi, lo)
    }

    #[inline(always)]
    fn log10(self) -> f32 {
        let (hi, lo) = self.times(LOG10_E);
        sum(self.exponent * LOG10_2[0], hi, fma(self.exponent, LOG10_2[1], lo))
    }

    /// ln(1 + fraction) times a constant, as two parts.
    #[inline(always)]
    fn times(self, [head, tail]: [f32; 2]) -> (f32, f32) {
        let f = self.fraction;
        let hi = f * head;
        (hi, fma(f, tail, fma(self.rest(), head, fma(f, head, -hi))))
    }
}

/// `a + b + c` with one significant rounding, for an `a` that is 0 or larger than `b`, and a small `c`.
#[inline(always)]
fn sum(a: f32, b: f32, c: f32) -> f32 {
    let s = a + b;
    s + ((b - (s - a)) + c)
}

/// A logarithm of any number.
#[inline(always)]
fn log(x: f32, of_parts: impl Fn(Parts) -> f32) -> f32 {
    if x > 0.0 && x < f32::INFINITY {
        of_parts(Parts::of(x))
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        NAN
    }
}

/// The natural logarithm.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::ln(1.0), math::ln(0.0)], [0.0, f32::NEG_INFINITY]);
/// assert!(math::ln(-1.0).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn ln(x: f32) -> f32 {
    log(x, Parts::ln)
}

/// The logarithm to base 2; exact where x is a power of two.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::log2(8.0) - 3.0).abs() < 5e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn log2(x: f32) -> f32 {
    log(x, Parts::log2)
}

/// The logarithm to base 10.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::log10(1000.0) - 3.0).abs() < 5e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn log10(x: f32) -> f32 {
    log(x, Parts::log10)
}

/// ln(1 + x), without cancellation near 0.
///
/// ```
/// use cuda_std::math;
///
/// // 1 + x is 1 in f32 here.
/// assert!((math::ln_1p(1e-8) - 1e-8).abs() < 1e-15);
/// ```
#[inline(always)]
#[must_use]
pub fn ln_1p(x: f32) -> f32 {
    // Above this number, adding 1 makes no difference.
    const LARGE: f32 = 33_554_432.0;
    if x > -1.0 && x < LARGE { Parts::of_one_plus(x).ln().copysign(x) } else { ln(if x < LARGE { 1.0 + x } else { x }) }
}
