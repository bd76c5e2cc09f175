//! The error function and its complement.

use super::exponential::{exp_less_line, exp_shifted, reduced, scaled};
use super::{NAN, canonical, fma, smaller};

/// erf(t) / t - 1 for t between 0 and 0.93, given t^2.
#[inline(always)]
fn erf_over_itself(t2: f32) -> f32 {
    let p = fma(7.996_65e-5, t2, -8.049_769_7e-4);
    let p = fma(p, t2, 5.192_405e-3);
    let p = fma(p, t2, -2.685_573_1e-2);
    let p = fma(p, t2, 1.128_362_6e-1);
    let p = fma(p, t2, -3.761_263e-1);
    fma(p, t2, 1.283_791_7e-1)
}

/// The error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::erf(0.0), math::erf(5.0), math::erf(f32::NEG_INFINITY)], [0.0, 1.0, -1.0]);
/// assert!((math::erf(0.5) - 0.5204999).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn erf(x: f32) -> f32 {
    let size = x.abs();
    let y = if size < 0.93 {
        fma(size, erf_over_itself(size * size), size)
    } else {
        // From 4 on the result is 1. The polynomial is -ln(1 - erf(t)) / t - 1.
        let t = smaller(size, 4.0);
        let p = fma(1.152_152_8e-5, t, -3.256_488_4e-4);
        let p = fma(p, t, 3.653_758e-3);
        let p = fma(p, t, -2.378_535e-2);
        let p = fma(p, t, 1.062_631_7e-1);
        let p = fma(p, t, 6.351_359e-1);
        let p = fma(p, t, 1.286_521_7e-1);
        1.0 - exp_shifted(-fma(p, t, t), 0)
    };
    if x.is_nan() { NAN } else { y.copysign(x) }
}

/// 1 - erf(x), without cancellation.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::erfc(0.0), math::erfc(11.0), math::erfc(f32::NEG_INFINITY)], [1.0, 0.0, 2.0]);
/// assert!((math::erfc(3.0) / 2.209_049_7e-5 - 1.0).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn erfc(x: f32) -> f32 {
    let size = x.abs();
    if size < 0.5 {
        return 1.0 - fma(x, erf_over_itself(x * x), x);
    }
    // From 10.1 on the result is 0. e^(-t^2), where t^2 has two parts.
    let t = smaller(size, 10.1);
    let square = t * t;
    let rest = fma(t, t, -square);
    let (k, r, lost) = reduced(-square);
    let power = 1.0 + (r + exp_less_line(r, lost));
    let power = fma(-rest, power, power);
    // e^(t^2) erfc(t) (1 + 2 t), as a polynomial of (t - 2) / (t + 2).
    let q = (t - 2.0) / (t + 2.0);
    let p = fma(-2.210_853_4e-4, q, -1.278_777_8e-3);
    let p = fma(p, q, 1.144_344_3e-3);
    let p = fma(p, q, 8.670_66e-3);
    let p = fma(p, q, -8.005_52e-3);
    let p = fma(p, q, -5.421_463_4e-2);
    let p = fma(p, q, 1.640_487_8e-1);
    let p = fma(p, q, -1.660_304_5e-1);
    let p = fma(p, q, -9.276_377e-2);
    let p = fma(p, q, 1.276_978_4);
    // The quotient of the product by 1 + 2 t, with the rounding errors of both.
    let (product, divisor) = (p * power, fma(2.0, t, 1.0));
    let inverse = 1.0 / divisor;
    let y = product * inverse;
    let lost = fma(p, power, -product) - y * fma(2.0, t, 1.0 - divisor);
    let y = scaled(fma(fma(-y, divisor, product) + lost, inverse, y), k);
    canonical(if size.is_nan() {
        x
    } else if x < 0.0 {
        2.0 - y
    } else {
        y
    })
}
