//! A number's exponent apart from its fraction. All of these are exact.

use super::canonical;
use super::exponential::scaled;

/// `x * 2^n`, rounded once where it is subnormal.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::ldexp(0.75, 4), math::ldexp(1.0, -149), math::ldexp(-1.0, 128)], [12.0, 1e-45, f32::NEG_INFINITY]);
/// ```
#[inline(always)]
#[must_use]
pub fn ldexp(x: f32, n: i32) -> f32 {
    let (fraction, exponent) = frexp(x);
    // Beyond these limits the result is already 0 or infinite.
    let n = if n > 300 { 300 } else { n };
    let n = if n < -300 { -300 } else { n }.wrapping_add(exponent);
    let n = if n > 160 { 160 } else { n };
    canonical(scaled(fraction, if n < -160 { -160 } else { n }))
}

/// x as `(fraction, exponent)`, where x is `fraction * 2^exponent` and the fraction is between 1/2 and 1, or x itself if that is 0, infinite
/// or NaN; then the exponent is 0.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::frexp(12.0), math::frexp(-1e-45), math::frexp(0.0)], [(0.75, 4), (-0.5, -148), (0.0, 0)]);
/// ```
#[inline(always)]
#[must_use]
pub fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (canonical(x), 0);
    }
    let subnormal = x.abs() < f32::MIN_POSITIVE;
    let bits = if subnormal { x * 16_777_216.0 } else { x }.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    let fraction = f32::from_bits(bits & 0x807f_ffff | 126 << 23);
    (fraction, exponent.wrapping_sub(if subnormal { 150 } else { 126 }))
}
