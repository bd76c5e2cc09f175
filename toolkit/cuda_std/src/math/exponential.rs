//! Powers of e and of two.

use super::{NAN, fma, larger, smaller};

/// Adding and subtracting this rounds a number of magnitude below 2^22 to an integer, ties to even. Between the two steps
/// the low bits are that integer.
pub(super) const TO_INTEGER: f32 = 12_582_912.0;

/// ln 2 in two parts of 24 bits, both positive.
const LN_2: [f32; 2] = [f32::from_bits(0x3f31_7217), 5.769_999e-8];

/// 2^k for `-126 <= k <= 127`.
#[inline(always)]
pub(super) fn power_of_two(k: i32) -> f32 {
    f32::from_bits((k.wrapping_add(127) as u32) << 23)
}

/// `p * 2^k`, rounded once, for `p` between 0.5 and 2 and k between -200 and 200.
#[inline(always)]
pub(super) fn scaled(p: f32, k: i32) -> f32 {
    let half = k >> 1;
    // The first product is exact.
    p * power_of_two(half) * power_of_two(k.wrapping_sub(half))
}

/// An integer `k`, a remainder `r` of magnitude below 0.35, and its rounding error `lost`, with `x = k ln 2 + r + lost`,
/// for x between -1000 and 1000.
#[inline(always)]
pub(super) fn reduced(x: f32) -> (i32, f32, f32) {
    let shifted = fma(x, core::f32::consts::LOG2_E, TO_INTEGER);
    let k = shifted - TO_INTEGER;
    // This step is exact. The next one is not, and its rounding error is kept.
    let most = fma(k, -LN_2[0], x);
    let r = fma(k, -LN_2[1], most);
    let lost = fma(k, -LN_2[1], most - r);
    (shifted.to_bits().wrapping_sub(TO_INTEGER.to_bits()) as i32, r, lost)
}

/// e^(r + lost) - 1 - r for `|r| < 0.35`.
#[inline(always)]
pub(super) fn exp_less_line(r: f32, lost: f32) -> f32 {
    let q = fma(1.395_011_7e-3, r, 8.368_916e-3);
    let q = fma(q, r, 4.166_621_3e-2);
    let q = fma(q, r, 1.666_651_8e-1);
    let q = fma(q, r, 0.5);
    fma(r * r, q, lost)
}

/// `e^x * 2^shift`, rounded once, for x between -120 and 120 and a small shift.
#[inline(always)]
pub(super) fn exp_shifted(x: f32, shift: i32) -> f32 {
    let (k, r, lost) = reduced(x);
    scaled(1.0 + (r + exp_less_line(r, lost)), k.wrapping_add(shift))
}

/// 2^(hi + lo) for hi between -160 and 160 and a lo that is small compared to 1.
#[inline(always)]
pub(super) fn exp2_of_sum(hi: f32, lo: f32) -> f32 {
    let shifted = hi + TO_INTEGER;
    let r = (hi - (shifted - TO_INTEGER)) + lo;
    let p = fma(1.547_215_5e-4, r, 1.339_122_7e-3);
    let p = fma(p, r, 9.618_022e-3);
    let p = fma(p, r, 5.550_359_2e-2);
    let p = fma(p, r, 2.402_265e-1);
    let p = fma(p, r, core::f32::consts::LN_2);
    scaled(fma(p, r, 1.0), shifted.to_bits().wrapping_sub(TO_INTEGER.to_bits()) as i32)
}

/// e^x.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::exp(0.0), math::exp(f32::NEG_INFINITY), math::exp(89.0)], [1.0, 0.0, f32::INFINITY]);
/// assert!((math::exp(1.0) - std::f32::consts::E).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn exp(x: f32) -> f32 {
    // Beyond these limits the result is already 0 or infinite.
    let y = exp_shifted(larger(smaller(x, 89.0), -104.0), 0);
    if x.is_nan() { NAN } else { y }
}

/// 2^x; exact where x is an integer.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::exp2(10.0), math::exp2(-3.0)], [1024.0, 0.125]);
/// ```
#[inline(always)]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    let y = exp2_of_sum(larger(smaller(x, 129.0), -152.0), 0.0);
    if x.is_nan() { NAN } else { y }
}

/// 10^x.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::exp10(0.0), math::exp10(39.0), math::exp10(-46.0)], [1.0, f32::INFINITY, 0.0]);
/// assert!((math::exp10(2.0) - 100.0).abs() < 2e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    /// log2(10) and its rounding error.
    const LOG2_10: [f32; 2] = [core::f32::consts::LOG2_10, 7.059_537e-8];
    // Beyond these limits the result is already 0 or infinite.
    let limited = larger(smaller(x, 39.0), -46.0);
    let hi = limited * LOG2_10[0];
    let y = exp2_of_sum(hi, fma(limited, LOG2_10[1], fma(limited, LOG2_10[0], -hi)));
    if x.is_nan() { NAN } else { y }
}

/// e^x - 1, without cancellation near 0.
///
/// ```
/// use cuda_std::math;
///
/// // e^x - 1 is nearly x here, and e^x in f32 is 1.
/// assert!((math::exp_m1(1e-8) - 1e-8).abs() < 1e-15);
/// ```
#[inline(always)]
#[must_use]
pub fn exp_m1(x: f32) -> f32 {
    // At the lower limit the result is already -1.
    let (k, r, lost) = reduced(larger(smaller(x, 89.0), -18.0));
    let curved = exp_less_line(r, lost);
    // Half of the result, since 2^128 is not an f32.
    let half = power_of_two(k.wrapping_sub(1));
    let y = if k == 0 { r + curved } else { 2.0 * fma(curved, half, fma(r, half, half - 0.5)) };
    if x.is_nan() { NAN } else { y.copysign(x) }
}
