//! Floating point functions with the same bits on every backend.
//!
//! One implementation each, made of IEEE operations in one written order. (A method such as `f32::exp` is the
//! platform's own on a CPU and does not exist on the device.) The error bounds are measured against `f64` over
//! the stated range; an ulp is the spacing of `f32` at the result.

/// The one NaN that results are written with.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// `a * b + c`, rounded once.
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// The square root, correctly rounded.
#[inline(always)]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// `x`, or [`NAN`] for any NaN: its bits differ between processors.
#[inline(always)]
#[must_use]
pub fn canonical(x: f32) -> f32 {
    // On the bits, sign shifted out: a comparison of numbers is left out by LLVM where `x` is a square root, since
    // either way a NaN is the result.
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > f32::INFINITY.to_bits() << 1 { NAN.to_bits() } else { bits })
}

/// The smaller of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// 1 / x for `x` between 1e-37 and 1e37, within 0.51 ulp; meaningless outside.
///
/// An estimate from the exponent and three steps of Newton's method: no branch, unlike the division, whose device code
/// has a slow path.
#[inline(always)]
#[must_use]
pub fn reciprocal_bounded(x: f32) -> f32 {
    let mut r = f32::from_bits(0x7ef3_11c7u32.wrapping_sub(x.to_bits()));
    r = fma(r, fma(-x, r, 1.0), r);
    r = fma(r, fma(-x, r, 1.0), r);
    fma(r, fma(-x, r, 1.0), r)
}

/// Adding and taking away this rounds a number of magnitude below 2^22 to an integer, ties to even.
const TO_INTEGER: f32 = 12_582_912.0;

/// e^x for `-87 <= x <= 88`, within 0.9 ulp; meaningless outside.
///
/// Cody and Waite's reduction by ln 2 in two parts, and the polynomial of least maximum error on `|r| <= ln(2) / 2`.
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
    // The low bits of `shifted` are k: added to the exponent, they scale by 2^k.
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The angle of the vector `(x, y)` from `-PI` to `PI`, within 2.1 ulp; NaN where an operand is NaN or both are
/// infinite. 0 for the null vector. (`-PI` is what an angle slightly above -pi rounds to.)
#[inline]
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    use core::f32::consts::{FRAC_PI_2, PI};
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (small, large) = if steep { (ax, ay) } else { (ay, ax) };
    if large == 0.0 {
        // Not a quotient; and y may still be NaN.
        return small;
    }
    // atan on [0, 1]: odd polynomial, least maximum relative error.
    let t = small / large;
    let s = t * t;
    let p = fma(2.919_393_1e-3, s, -1.636_310_3e-2);
    let p = fma(p, s, 4.320_463_5e-2);
    let p = fma(p, s, -7.551_656e-2);
    let p = fma(p, s, 1.066_576_84e-1);
    let p = fma(p, s, -1.421_100_2e-1);
    let p = fma(p, s, 1.999_376_7e-1);
    let p = fma(p, s, -3.333_315_3e-1);
    let atan = fma(t * s, p, t);
    let angle = if steep { FRAC_PI_2 - atan } else { atan };
    let angle = if x < 0.0 { PI - angle } else { angle };
    if y < 0.0 { -angle } else { angle }
}
