//! Functions without branches and special cases, for arguments in a stated range: for inner loops.

use super::exponential::TO_INTEGER;
use super::fma;

/// 1 / x for `x` between 1e-37 and 1e37, within 0.51 ulp; meaningless outside.
///
/// It refines an estimate from the exponent by three steps of Newton's method. It has no branch, unlike the division, whose
/// device code has a slow path.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::reciprocal_bounded(3.0) - 1.0 / 3.0).abs() <= f32::EPSILON / 4.0);
/// ```
#[inline(always)]
#[must_use]
pub fn reciprocal_bounded(x: f32) -> f32 {
    let mut r = f32::from_bits(0x7ef3_11c7u32.wrapping_sub(x.to_bits()));
    r = fma(r, fma(-x, r, 1.0), r);
    r = fma(r, fma(-x, r, 1.0), r);
    fma(r, fma(-x, r, 1.0), r)
}

/// 1 / sqrt(x) for `x` between 1e-37 and 1e37, within 1.0 ulp; meaningless outside.
///
/// It refines an estimate from the exponent by four steps of Newton's method, the last one on the residual.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::reciprocal_sqrt_bounded(3.0) - 0.577_350_26).abs() <= f32::EPSILON / 2.0);
/// ```
#[inline(always)]
#[must_use]
pub fn reciprocal_sqrt_bounded(x: f32) -> f32 {
    let half = 0.5 * x;
    let mut r = f32::from_bits(0x5f37_5a86u32.wrapping_sub(x.to_bits() >> 1));
    r *= fma(-half * r, r, 1.5);
    r *= fma(-half * r, r, 1.5);
    r *= fma(-half * r, r, 1.5);
    let part = x * r;
    fma(0.5 * r, fma(-part, r, 1.0), r)
}

/// e^x for `-87 <= x <= 88`, within 0.9 ulp; meaningless outside.
///
/// It uses Cody and Waite's reduction by ln 2 in two parts, and the minimax polynomial on `|r| <= ln(2) / 2`.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::exp_bounded(-1.0) - 0.36787944).abs() < 5e-8);
/// ```
#[inline(always)]
#[must_use]
pub fn exp_bounded(x: f32) -> f32 {
    let shifted = fma(x, core::f32::consts::LOG2_E, TO_INTEGER);
    let k = shifted - TO_INTEGER;
    let r = fma(k, -0.693_145_75, x);
    let r = fma(k, -1.428_606_8e-6, r);
    let p = fma(1.382_094_6e-3, r, 8.368_684e-3);
    let p = fma(p, r, 4.166_826_6e-2);
    let p = fma(p, r, 1.666_652_1e-1);
    let p = fma(p, r, 0.499_999_94);
    let p = fma(p, r, 1.0);
    let p = fma(p, r, 1.0);
    // The low bits of `shifted` are k. Adding them to the exponent scales by 2^k.
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}
