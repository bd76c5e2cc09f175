//! The gamma function and its logarithm.

use super::exponential::scaled;
use super::power::Sum;
use super::{NAN, fma, ln, sinpi, trunc};
use core::f32::consts::PI;

/// The gamma function of 3/2 + g, for g between -1/2 and 1/2.
#[inline(always)]
fn gamma_near(g: f32) -> f32 {
    let p = fma(-1.129_485_3e-2, g, 1.625_192_5e-2);
    let p = fma(p, g, -1.598_044_7e-2);
    let p = fma(p, g, 2.444_432_7e-2);
    let p = fma(p, g, -3.820_153e-2);
    let p = fma(p, g, 5.879_057_2e-2);
    let p = fma(p, g, -7.750_744e-2);
    let p = fma(p, g, 1.446_352_8e-1);
    let p = fma(p, g, -1.072_953_4e-1);
    let p = fma(p, g, 4.148_136_4e-1);
    let p = fma(p, g, 3.233_840_3e-2);
    // The value at 3/2 in two parts.
    8.862_269_5e-1 + fma(p, g, -2.662_32e-8)
}

/// The gamma function; NaN for negative integers, infinite at 0 with its sign.
///
/// It takes up to 42 multiplications to reach the interval from 1 to 2.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::tgamma(1.0), math::tgamma(36.0), math::tgamma(-0.0)], [1.0, f32::INFINITY, f32::NEG_INFINITY]);
/// assert!((math::tgamma(5.0) - 24.0).abs() < 4e-6);
/// assert!(math::tgamma(-2.0).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn tgamma(x: f32) -> f32 {
    /// A factor of products, so that they are in range.
    const SCALE: f32 = 0.0625;
    if x.is_nan() || x < 0.0 && trunc(x) == x {
        return NAN;
    }
    if x > 36.0 {
        return f32::INFINITY;
    }
    if x < -43.0 {
        // Below every subnormal number, with the sign of each interval.
        let odd = (-0.5 * trunc(x)) != trunc(-0.5 * trunc(x));
        return if odd { 0.0 } else { -0.0 };
    }
    if x.abs() < 1e-8 {
        return 1.0 / x;
    }
    // The product of x - 1, x - 2 and so on down to 1, or of x, x + 1 and so on up to 1: each factor is exact, unless the result hardly depends
    // on it.
    let mut product = Sum { hi: 1.0, lo: 0.0 };
    let (mut left, mut count) = (x, 0i32);
    if x >= 1.0 {
        while left >= 2.0 {
            left -= 1.0;
            product = product.times(Sum { hi: left * SCALE, lo: 0.0 });
            count = count.wrapping_add(4);
        }
        let base = gamma_near(left - 1.5);
        return scaled(fma(base, product.hi, base * product.lo), count);
    }
    while left < 1.0 {
        product = product.times(Sum { hi: left * SCALE, lo: 0.0 });
        left += 1.0;
        count = count.wrapping_sub(4);
    }
    let base = gamma_near(left - 1.5);
    let quotient = base / product.hi;
    scaled(quotient - quotient * (product.lo / product.hi), count)
}

/// ln of the gamma function of 1 + t, for t between -0.3 and 0.5.
#[inline(always)]
fn lgamma_near_one(t: f32) -> f32 {
    let p = fma(-4.457_980_4e-2, t, 1.024_320_05e-1);
    let p = fma(p, t, -1.227_587_8e-1);
    let p = fma(p, t, 1.278_026_8e-1);
    let p = fma(p, t, -1.432_596_6e-1);
    let p = fma(p, t, 1.693_218e-1);
    let p = fma(p, t, -2.074_045_5e-1);
    let p = fma(p, t, 2.705_882_8e-1);
    let p = fma(p, t, -4.006_855_2e-1);
    let p = fma(p, t, 8.224_669_7e-1);
    // A sum, since the product at 1 is a negative zero.
    fma(t, -5.772_157e-1 + fma(p, t, 6.637_774e-9), 0.0)
}

/// ln of the gamma function of 2 + u, for u between -1/2 and 1.
#[inline(always)]
fn lgamma_near_two(u: f32) -> f32 {
    let p = fma(-3.161_752e-5, u, 1.233_849_5e-4);
    let p = fma(p, u, -2.523_667_4e-4);
    let p = fma(p, u, 5.038_329e-4);
    let p = fma(p, u, -1.178_063_9e-3);
    let p = fma(p, u, 2.890_377_5e-3);
    let p = fma(p, u, -7.388_62e-3);
    let p = fma(p, u, 2.058_092_9e-2);
    let p = fma(p, u, -6.735_203_4e-2);
    let p = fma(p, u, 3.224_670_3e-1);
    u * fma(p, u, 4.227_843_3e-1)
}

/// ln of the gamma function of x, for x from 0.3 on.
#[inline(always)]
fn lgamma_of_positive(x: f32) -> f32 {
    if x < 0.7 {
        // By the gamma function of x + 1.
        (if x <= 0.5 { lgamma_near_one(x) } else { lgamma_near_two(x - 1.0) }) - ln(x)
    } else if x <= 1.5 {
        lgamma_near_one(x - 1.0)
    } else if x < 3.0 {
        lgamma_near_two(x - 2.0)
    } else {
        // Stirling's series.
        let inverse = 1.0 / x;
        let s = inverse * inverse;
        let series = fma(fma(6.971_423e-4, s, -2.772_799_7e-3), s, 8.333_327e-2);
        fma(x - 0.5, ln(x) - 1.0, fma(series, inverse, 4.189_385_3e-1))
    }
}

/// The natural logarithm of the absolute value of the gamma function; infinite for 0 and negative integers.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::lgamma(1.0), math::lgamma(2.0), math::lgamma(-3.0)], [0.0, 0.0, f32::INFINITY]);
/// assert!((math::lgamma(5.0) - 24.0f32.ln()).abs() < 5e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn lgamma(x: f32) -> f32 {
    if x.is_nan() {
        return NAN;
    }
    let size = x.abs();
    if size == f32::INFINITY || x <= 0.0 && trunc(x) == x {
        return f32::INFINITY;
    }
    if size < 0.3 {
        return lgamma_near_one(x) - ln(size);
    }
    let y = lgamma_of_positive(size);
    // By reflection.
    if x > 0.0 { y } else { ln(PI / (size * sinpi(size).abs())) - y }
}
