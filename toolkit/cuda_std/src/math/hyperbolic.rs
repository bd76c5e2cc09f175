//! Hyperbolic functions and their inverses.

use super::exponential::exp_shifted;
use super::{NAN, canonical, fma, ln, ln_1p, smaller, sqrt};

/// e^|x| / 2, which is infinite where the hyperbolic sine and cosine are.
#[inline(always)]
fn half_exp(size: f32) -> f32 {
    exp_shifted(smaller(size, 90.0), -1)
}

/// The hyperbolic sine.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::sinh(0.0), 0.0);
/// assert!((math::sinh(1.0) - 1.1752012).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn sinh(x: f32) -> f32 {
    let size = x.abs();
    let y = if size < 1.0 {
        let s = size * size;
        let p = fma(2.782_213_2e-6, s, 1.984_289_6e-4);
        let p = fma(p, s, 8.333_310_5e-3);
        let p = fma(p, s, 1.666_666_7e-1);
        fma(size * s, p, size)
    } else {
        let half = half_exp(size);
        half - 0.25 / half
    };
    if x.is_nan() { NAN } else { y.copysign(x) }
}

/// The hyperbolic cosine.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::cosh(0.0), 1.0);
/// assert!((math::cosh(1.0) - 1.5430806).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn cosh(x: f32) -> f32 {
    let half = half_exp(x.abs());
    if x.is_nan() { NAN } else { half + 0.25 / half }
}

/// The hyperbolic tangent.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::tanh(0.0), math::tanh(20.0), math::tanh(-20.0)], [0.0, 1.0, -1.0]);
/// ```
#[inline(always)]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    let y = if size < 0.55 {
        let s = size * size;
        let p = fma(-6.242_849_4e-3, s, 2.105_071_4e-2);
        let p = fma(p, s, -5.384_754_8e-2);
        let p = fma(p, s, 1.333_254_4e-1);
        let p = fma(p, s, -3.333_331_6e-1);
        fma(size * s, p, size)
    } else {
        // From 10 on the result is 1.
        1.0 - 2.0 / (exp_shifted(2.0 * smaller(size, 10.0), 0) + 1.0)
    };
    if x.is_nan() { NAN } else { y.copysign(x) }
}

/// ln(2 x) for a large x, whose double may not be an f32.
#[inline(always)]
fn ln_of_double(x: f32) -> f32 {
    ln(x) + core::f32::consts::LN_2
}

/// From here on, x^2 + 1 and x^2 - 1 are x^2 for the result.
const LARGE: f32 = 8192.0;

/// The inverse of the hyperbolic sine.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::asinh(0.0), 0.0);
/// assert!((math::asinh(-1.0) + 0.8813736).abs() < 2e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn asinh(x: f32) -> f32 {
    let size = x.abs();
    let y = if size < LARGE {
        let square = size * size;
        // e^y - 1 is x + (sqrt(x^2 + 1) - 1), without cancellation.
        ln_1p(size + square / (1.0 + sqrt(1.0 + square)))
    } else {
        ln_of_double(size)
    };
    canonical(y.copysign(x))
}

/// The inverse of the hyperbolic cosine, at least 0; NaN below 1.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::acosh(1.0), 0.0);
/// assert!((math::acosh(2.0) - 1.316958).abs() < 3e-7);
/// assert!(math::acosh(0.5).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn acosh(x: f32) -> f32 {
    if x < 1.0 {
        NAN
    } else if x < LARGE {
        let above = x - 1.0;
        ln_1p(above + sqrt(fma(above, above, 2.0 * above)))
    } else {
        canonical(ln_of_double(x))
    }
}

/// The inverse of the hyperbolic tangent; infinite at 1 and -1, NaN beyond.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::atanh(0.0), math::atanh(-1.0)], [0.0, f32::NEG_INFINITY]);
/// assert!((math::atanh(0.5) - 0.5493061).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn atanh(x: f32) -> f32 {
    let size = x.abs();
    canonical((0.5 * ln_1p(2.0 * size / (1.0 - size))).copysign(x))
}
