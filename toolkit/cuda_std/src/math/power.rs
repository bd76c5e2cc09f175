//! Powers and roots.

use super::exponential::{exp2_of_sum, power_of_two};
use super::{NAN, canonical, fma, larger, smaller, sqrt};

/// The unevaluated sum of two numbers, the second of which is small compared to the first: about 45 bits.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub hi: f32,
    pub lo: f32,
}

impl Sum {
    /// `a + b`, for an `a` that is 0 or larger than `b`.
    #[inline(always)]
    fn of(a: f32, b: Self) -> Self {
        let hi = a + b.hi;
        Self { hi, lo: (b.hi - (hi - a)) + b.lo }
    }

    #[inline(always)]
    fn plus(self, c: f32) -> Self {
        Self { hi: self.hi, lo: self.lo + c }
    }

    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let hi = self.hi * other.hi;
        Self { hi, lo: fma(self.lo, other.hi, fma(self.hi, other.lo, fma(self.hi, other.hi, -hi))) }
    }
}

/// log2 of a positive, finite number, with a relative error of about 2^-36.
#[inline(always)]
fn log2_as_sum(x: f32) -> Sum {
    let subnormal = x < f32::MIN_POSITIVE;
    let bits = if subnormal { x * 8_388_608.0 } else { x }.to_bits();
    // x = 2^exponent (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
    let power = bits.wrapping_sub(core::f32::consts::FRAC_1_SQRT_2.to_bits()) & 0xff80_0000;
    let exponent = (power as i32 >> 23) as f32 - if subnormal { 23.0 } else { 0.0 };
    let f = f32::from_bits(bits.wrapping_sub(power)) - 1.0;

    // q = f / (2 + f); then ln(1 + f) = 2 artanh(q).
    let divisor = Sum::of(2.0, Sum { hi: f, lo: 0.0 });
    let inverse = 1.0 / divisor.hi;
    let hi = f * inverse;
    let q = Sum { hi, lo: inverse * fma(-hi, divisor.lo, fma(-hi, divisor.hi, f)) };

    // log2(1 + f) = q (2 / ln 2 + q^2 (2 / (3 ln 2) + q^2 r)).
    let q2 = q.times(q);
    let r = fma(3.378_209_2e-1, q2.hi, 4.118_499_2e-1);
    let r = fma(r, q2.hi, 5.770_802e-1);
    let third = Sum::of(9.617_967e-1, Sum { hi: q2.hi * r, lo: -7.028_462e-9 });
    let first = Sum::of(2.885_39, q2.times(third)).plus(3.851_926e-8);
    Sum::of(exponent, q.times(first))
}

/// Whether y is an odd integer.
#[inline(always)]
fn is_odd(y: f32) -> bool {
    // Larger numbers are all even.
    let small = y.abs() < 16_777_216.0;
    let integer = if small { y as i32 } else { 0 };
    small && integer as f32 == y && integer & 1 == 1
}

/// x^y. Special cases follow C99: 1 if y is 0 or x is 1, even if the other is NaN; NaN for a negative x and a y that is not
/// an integer.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::pow(2.0, 0.5) - std::f32::consts::SQRT_2).abs() < 2e-7);
/// assert_eq!(math::pow(-2.0, 3.0), -8.0);
/// assert!(math::pow(-2.0, 0.5).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    const LARGE: f32 = 8_388_608.0;
    let size = x.abs();
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    let magnitude = if size == 1.0 {
        1.0
    } else if size == 0.0 || size == f32::INFINITY || y.abs() == f32::INFINITY {
        if (size > 1.0) == (y > 0.0) { f32::INFINITY } else { 0.0 }
    } else {
        let log = log2_as_sum(size);
        let product = log.times(Sum { hi: y, lo: 0.0 });
        if product.hi >= 129.0 {
            f32::INFINITY
        } else if product.hi <= -152.0 {
            0.0
        } else {
            exp2_of_sum(product.hi, product.lo)
        }
    };
    let negative = x.is_sign_negative() && is_odd(y);
    // Only numbers below LARGE can have fractions.
    let fraction = y.abs() < LARGE && (y as i32) as f32 != y;
    if x < 0.0 && x > f32::NEG_INFINITY && fraction {
        NAN
    } else if negative {
        -magnitude
    } else {
        magnitude
    }
}

/// `x^n` by repeated squaring, of either float.
macro_rules! repeated_squares {
    ($x:ident, $n:ident) => {{
        let mut left = $n.unsigned_abs();
        let mut power = $x;
        let mut y = 1.0;
        loop {
            if left & 1 == 1 {
                y *= power;
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            power *= power;
        }
        canonical(if $n < 0 { 1.0 / y } else { y })
    }};
}

pub(super) use repeated_squares;

/// x^n by repeated squaring: for a constant n, a few multiplications.
///
/// Each multiplication rounds, so the error grows with n. Where x^-n exceeds the range of `f32`, a negative power is 0.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::powi(3.0, 4), math::powi(2.0, -2), math::powi(0.0, 0)], [81.0, 0.25, 1.0]);
/// ```
#[inline(always)]
#[must_use]
pub fn powi(x: f32, n: i32) -> f32 {
    repeated_squares!(x, n)
}

/// The cube root.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::cbrt(-27.0) + 3.0).abs() < 5e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn cbrt(x: f32) -> f32 {
    let size = x.abs();
    if !(size > 0.0 && size < f32::INFINITY) {
        return canonical(x);
    }
    let subnormal = size < f32::MIN_POSITIVE;
    let bits = if subnormal { size * 16_777_216.0 } else { size }.to_bits();
    // size = m 2^(3k) with m between 1 and 8.
    let exponent = (bits >> 23).wrapping_add(2);
    let third = exponent / 3;
    let m =
        f32::from_bits((bits & 0x007f_ffff) | (exponent.wrapping_sub(third.wrapping_mul(3)).wrapping_add(127) << 23));
    let k = (third as i32).wrapping_sub(if subnormal { 51 } else { 43 });

    // A third of the exponent is correct to 5 bits. A step of Halley's method triples that.
    let t = f32::from_bits((m.to_bits() / 3).wrapping_add(0x2a51_19f2));
    let t3 = t * t * t;
    let t = t * ((t3 + 2.0 * m) / (2.0 * t3 + m));
    // A step of Newton's method, with t^2 in two parts, so that t^3 - m keeps its bits.
    let t2 = t * t;
    let over = fma(fma(t, t, -t2), t, fma(t2, t, -m));
    let root = t - over / (3.0 * t2);
    (root * power_of_two(k)).copysign(x)
}

/// The length of the vector `(x, y)`, without intermediate overflow. It is infinite where an operand is, even if the other
/// is NaN.
///
/// ```
/// use cuda_std::math;
///
/// // There is no intermediate overflow.
/// assert!((math::hypot(3e30, 4e30) / 5e30 - 1.0).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    if x == f32::INFINITY || y == f32::INFINITY {
        return f32::INFINITY;
    }
    let (large, small) = (larger(x, y), smaller(y, x));
    let (down, up) = if large > 1.152_921_5e18 {
        (power_of_two(-70), power_of_two(70))
    } else if large < 9.094_947e-13 {
        (power_of_two(86), power_of_two(-86))
    } else {
        (1.0, 1.0)
    };
    let (large, small) = (large * down, small * down);
    canonical(sqrt(fma(large, large, small * small)) * up)
}

/// 1 / sqrt(x). Each operation is correctly rounded.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::rsqrt(4.0) - 0.5).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    canonical(1.0 / sqrt(x))
}
