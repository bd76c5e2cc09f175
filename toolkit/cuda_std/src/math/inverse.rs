//! Inverse trigonometric functions.

use super::{NAN, canonical, fma, sqrt};
use core::f32::consts::{FRAC_PI_2, PI};

/// The rounding error of pi / 2.
const FRAC_PI_2_LOST: f32 = -4.371_139e-8;

/// arcsin(t) - t for `|t| <= 1/2`, given t and t^2.
#[inline(always)]
fn asin_less_itself(t: f32, t2: f32) -> f32 {
    let p = fma(4.215_838_8e-2, t2, 2.418_474_3e-2);
    let p = fma(p, t2, 4.546_915_4e-2);
    let p = fma(p, t2, 7.495_309_4e-2);
    let p = fma(p, t2, 1.666_675_2e-1);
    t * t2 * p
}

/// arccos(x) for x between 1/2 and 1, in two parts: twice the arcsine of half the chord.
#[inline(always)]
fn acos_near_one(x: f32) -> (f32, f32) {
    let t2 = fma(-0.5, x, 0.5);
    let t = sqrt(t2);
    (2.0 * t, 2.0 * asin_less_itself(t, t2))
}

/// `a - b - c` with one significant rounding, for `a > b > 0` and a small `c`.
#[inline(always)]
fn less(a: f32, b: f32, c: f32) -> f32 {
    let most = a - b;
    most + (((a - most) - b) - c)
}

/// The angle between -pi/2 and pi/2 whose sine is x; NaN beyond `|x| = 1`.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::asin(0.5) - std::f32::consts::FRAC_PI_6).abs() < 1e-7);
/// assert!(math::asin(1.5).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn asin(x: f32) -> f32 {
    let size = x.abs();
    let angle = if size <= 0.5 {
        size + asin_less_itself(size, size * size)
    } else {
        let (hi, lo) = acos_near_one(size);
        less(FRAC_PI_2, hi, lo - FRAC_PI_2_LOST)
    };
    if size <= 1.0 { angle.copysign(x) } else { NAN }
}

/// The angle between 0 and pi whose cosine is x; NaN beyond `|x| = 1`.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::acos(0.5) - std::f32::consts::FRAC_PI_3).abs() < 2e-7);
/// assert_eq!(math::acos(1.0), 0.0);
/// ```
#[inline(always)]
#[must_use]
pub fn acos(x: f32) -> f32 {
    let size = x.abs();
    let angle = if size <= 0.5 {
        FRAC_PI_2 - (x - (FRAC_PI_2_LOST - asin_less_itself(x, x * x)))
    } else {
        let (hi, lo) = acos_near_one(size);
        if x > 0.0 { hi + lo } else { less(PI, hi, lo - 2.0 * FRAC_PI_2_LOST) }
    };
    if size <= 1.0 { angle } else { NAN }
}

/// The angle between -pi/2 and pi/2 whose tangent is x.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::atan(1.0) - std::f32::consts::FRAC_PI_4).abs() < 2e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn atan(x: f32) -> f32 {
    canonical(atan2(x.abs(), 1.0).copysign(x))
}

/// The angle of the vector `(x, y)` from `-PI` to `PI`, within 2.1 ulp; NaN where an operand is NaN or both are infinite,
/// and 0 for the null vector. (An angle slightly above -pi rounds to `-PI`.)
///
/// ```
/// use cuda_std::math;
///
/// // The point (-1, 1) is in the second quadrant.
/// assert!((math::atan2(1.0, -1.0) - 3.0 * std::f32::consts::FRAC_PI_4).abs() < 5e-7);
/// ```
#[inline]
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (small, large) = if steep { (ax, ay) } else { (ay, ax) };
    if large == 0.0 {
        // Not a quotient, since y may still be NaN.
        return small;
    }
    // atan on [0, 1]: an odd polynomial with the least maximum relative error.
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
