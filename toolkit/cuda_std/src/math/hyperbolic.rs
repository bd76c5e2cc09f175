//! Hyperbolic functions.

use super::exponential::exp_shifted;
use super::{NAN, fma, smaller};

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
