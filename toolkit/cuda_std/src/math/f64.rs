//! The functions of [`math`](super) for `f64`.
//!
//! Most come from the crate `libm`, a port of musl's and FreeBSD's functions to Rust: IEEE operations in a fixed order, the
//! same on all targets if its feature `arch` is off, as it is here. (If another crate of a program turns it on, libm uses
//! the processor's square root and fused multiply-add, which round in the same way.) Every NaN is [`NAN`].
//!
//! Errors are those that libm's sources state, and less than one ulp unless stated otherwise. On the device [`sin`],
//! [`cos`], [`tan`] and [`sin_cos`] use some 600 bytes of stack (for the reduction of large angles), others up to 64.
//!
//! ```
//! use cuda_std::math::f64 as math;
//! use std::f64::consts::{E, FRAC_PI_3, FRAC_PI_4, FRAC_PI_6, LN_2, SQRT_2};
//!
//! let near = |x: f64, y: f64| (x - y).abs() <= 4.0 * f64::EPSILON * y.abs();
//! assert_eq!((math::fma(2.0, 3.0, 1.0), math::sqrt(2.25), math::recip(8.0), math::rsqrt(4.0)), (7.0, 1.5, 0.125, 0.5));
//! assert_eq!((math::smaller(1.0, 2.0), math::larger(f64::NAN, 1.0)), (1.0, 1.0));
//! assert_eq!([math::floor(-2.2), math::ceil(2.2), math::trunc(-2.7), math::round(2.5)], [-3.0, 3.0, -2.0, 3.0]);
//! assert_eq!([math::round_ties_even(2.5), math::rem(-7.5, 2.0), math::rem_euclid(-7.5, 2.0)], [2.0, -1.5, 0.5]);
//! assert!(near(math::exp(1.0), E) && near(math::exp_m1(1.0), E - 1.0) && near(math::ln(2.0), LN_2));
//! assert!(near(math::exp2(0.5), SQRT_2) && near(math::pow(2.0, 0.5), SQRT_2) && near(math::log2(8.0), 3.0));
//! assert!(near(math::log10(1000.0), 3.0) && near(math::ln_1p(1.0), LN_2) && near(math::cbrt(-27.0), -3.0));
//! assert!(near(math::sin(FRAC_PI_6), 0.5) && near(math::cos(FRAC_PI_3), 0.5) && near(math::tan(FRAC_PI_4), 1.0));
//! assert_eq!(math::sin_cos(0.75), (math::sin(0.75), math::cos(0.75)));
//! assert!(near(math::asin(0.5), FRAC_PI_6) && near(math::acos(0.5), FRAC_PI_3) && near(math::atan(1.0), FRAC_PI_4));
//! assert!(near(math::atan2(1.0, -1.0), 3.0 * FRAC_PI_4) && near(math::hypot(3e300, 4e300), 5e300));
//! assert!(near(math::sinh(1.0), (E - 1.0 / E) / 2.0) && near(math::cosh(1.0), (E + 1.0 / E) / 2.0));
//! assert!(near(math::tanh(1.0), math::sinh(1.0) / math::cosh(1.0)) && math::powi(3.0, 4) == 81.0);
//! assert!(near(math::asinh(math::sinh(2.0)), 2.0) && near(math::acosh(math::cosh(2.0)), 2.0));
//! assert!(near(math::atanh(math::tanh(0.5)), 0.5) && near(math::exp10(2.0), 100.0));
//! assert!(near(math::erf(1.0), 0.842_700_792_949_714_9) && near(math::erfc(1.0), 1.0 - math::erf(1.0)));
//! assert!(near(math::tgamma(5.0), 24.0) && near(math::lgamma(5.0), math::ln(24.0)));
//! assert_eq!((math::sinpi(-1.5), math::cospi(1.0), math::ldexp(0.75, 4), math::frexp(12.0)), (1.0, -1.0, 12.0, (0.75, 4)));
//! assert_eq!(math::canonical(-f64::NAN).to_bits(), math::NAN.to_bits());
//! ```

use super::power::repeated_squares;
use super::rounding::operations;

/// The only NaN of results.
pub const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

/// `x`, or [`NAN`] for any NaN.
#[inline(always)]
#[must_use]
pub fn canonical(x: f64) -> f64 {
    // This tests the bits, as for f32.
    let bits = x.to_bits();
    f64::from_bits(if bits << 1 > f64::INFINITY.to_bits() << 1 { NAN.to_bits() } else { bits })
}

/// The smaller of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `a * b + c`, rounded once.
#[inline(always)]
#[must_use]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// The square root, correctly rounded.
#[inline(always)]
#[must_use]
pub fn sqrt(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return core::f64::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

operations! {
    f64:
    /// The largest integer that is not above x.
    floor;
    /// The smallest integer that is not below x.
    ceil;
    /// x without its fraction.
    trunc;
    /// The nearest integer, ties to even.
    round_ties_even;
}

/// The nearest integer, ties away from 0.
#[inline(always)]
#[must_use]
pub fn round(x: f64) -> f64 {
    let whole = trunc(x);
    if (x - whole).abs() >= 0.5 { whole + 1.0f64.copysign(x) } else { whole }
}

/// Functions of libm with canonical NaNs.
macro_rules! from_libm {
    ($($(#[$doc:meta])* $name:ident($($x:ident),+) = $function:ident;)+) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($x: f64),+) -> f64 {
            canonical(libm::$function($($x),+))
        }
    )+};
}

from_libm! {
    /// e^x.
    exp(x) = exp;
    /// 2^x, within 0.503 ulp.
    exp2(x) = exp2;
    /// 10^x.
    exp10(x) = exp10;
    /// e^x - 1.
    exp_m1(x) = expm1;
    /// The natural logarithm.
    ln(x) = log;
    /// The logarithm to base 2.
    log2(x) = log2;
    /// The logarithm to base 10.
    log10(x) = log10;
    /// ln(1 + x).
    ln_1p(x) = log1p;
    /// The sine of x radians.
    sin(x) = sin;
    /// The cosine of x radians.
    cos(x) = cos;
    /// The tangent of x radians.
    tan(x) = tan;
    /// The angle between -pi/2 and pi/2 whose sine is x.
    asin(x) = asin;
    /// The angle between 0 and pi whose cosine is x.
    acos(x) = acos;
    /// The angle between -pi/2 and pi/2 whose tangent is x.
    atan(x) = atan;
    /// The angle of the vector `(x, y)` from -pi to pi, with signed zeros and infinities as in C99 (unlike
    /// [`atan2`](super::atan2) of `f32`).
    atan2(y, x) = atan2;
    /// The hyperbolic sine, within 2 ulp.
    sinh(x) = sinh;
    /// The hyperbolic cosine, within 2 ulp.
    cosh(x) = cosh;
    /// The hyperbolic tangent, within 2 ulp.
    tanh(x) = tanh;
    /// The inverse of the hyperbolic sine, within 2 ulp.
    asinh(x) = asinh;
    /// The inverse of the hyperbolic tangent, within 2 ulp.
    atanh(x) = atanh;
    /// The error function.
    erf(x) = erf;
    /// 1 - erf(x), within 2 ulp.
    erfc(x) = erfc;
    /// The gamma function, within 4 ulp; special cases as [`tgamma`](super::tgamma) of `f32`.
    tgamma(x) = tgamma;
    /// The logarithm of the gamma function's absolute value, within 2 ulp for positive numbers; special cases as
    /// [`lgamma`](super::lgamma) of `f32`.
    lgamma(x) = lgamma;
    /// x^y; special cases as in C99.
    pow(x, y) = pow;
    /// The cube root, correctly rounded.
    cbrt(x) = cbrt;
    /// The length of the vector `(x, y)`, without intermediate overflow.
    hypot(x, y) = hypot;
    /// The remainder of `x / y` rounded toward 0, with the sign of x. It is exact.
    rem(x, y) = fmod;
}

/// The sine and the cosine of x radians, with the bits of [`sin`] and [`cos`].
#[inline]
#[must_use]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let (sin, cos) = libm::sincos(x);
    (canonical(sin), canonical(cos))
}

/// The inverse of the hyperbolic cosine, within 2 ulp; NaN below 1.
#[inline]
#[must_use]
pub fn acosh(x: f64) -> f64 {
    // libm returns numbers for negative operands.
    if x < 1.0 { NAN } else { canonical(libm::acosh(x)) }
}

/// The sine of pi x, within 2 ulp; a zero with the sign of x where x is an integer.
#[inline]
#[must_use]
pub fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return NAN;
    }
    let (halves, rest) = half_turns(x);
    if rest == 0.0 && halves & 1 == 0 { 0.0f64.copysign(x) } else { sin_of_parts(halves, rest) }
}

/// The cosine of pi x, within 2 ulp; 0 where it vanishes.
#[inline]
#[must_use]
pub fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return NAN;
    }
    let (halves, rest) = half_turns(x);
    if rest == 0.0 && halves & 1 == 1 { 0.0 } else { sin_of_parts(halves.wrapping_add(1), rest) }
}

/// A number of half turns as `halves / 2 + rest`, exactly, where the rest is between -1/4 and 1/4; `halves` is modulo 4.
#[inline(always)]
fn half_turns(x: f64) -> (i32, f64) {
    // A whole number of turns is left out; the rest is exact.
    let x = fma(-2.0, trunc(0.5 * x), x);
    let halves = round_ties_even(2.0 * x);
    (halves as i32, fma(halves, -0.5, x))
}

/// sin(pi (halves / 2 + rest)).
#[inline(always)]
fn sin_of_parts(halves: i32, rest: f64) -> f64 {
    let angle = core::f64::consts::PI * rest;
    let y = if halves & 1 == 0 { libm::sin(angle) } else { libm::cos(angle) };
    if halves & 2 == 0 { y } else { -y }
}

/// `x * 2^n`, rounded once where it is subnormal.
#[inline]
#[must_use]
pub fn ldexp(x: f64, n: i32) -> f64 {
    canonical(libm::ldexp(x, n))
}

/// x as `(fraction, exponent)`; see [`frexp`](super::frexp) of `f32`.
#[inline]
#[must_use]
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (canonical(x), 0);
    }
    let subnormal = x.abs() < f64::MIN_POSITIVE;
    let bits = if subnormal { x * 18_014_398_509_481_984.0 } else { x }.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | 1022 << 52);
    (fraction, exponent.wrapping_sub(if subnormal { 1076 } else { 1022 }))
}

/// x^n by repeated squaring; see [`powi`](super::powi) of `f32`.
#[inline(always)]
#[must_use]
pub fn powi(x: f64, n: i32) -> f64 {
    repeated_squares!(x, n)
}

/// 1 / sqrt(x). Each operation is correctly rounded.
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f64) -> f64 {
    canonical(1.0 / sqrt(x))
}

/// 1 / x, correctly rounded.
#[inline(always)]
#[must_use]
pub fn recip(x: f64) -> f64 {
    canonical(1.0 / x)
}

/// The nonnegative remainder of `x / y`: [`rem`], or `rem + |y|` rounded (so it may be `|y|` itself).
#[inline]
#[must_use]
pub fn rem_euclid(x: f64, y: f64) -> f64 {
    let rest = rem(x, y);
    if rest < 0.0 { rest + y.abs() } else { rest }
}
