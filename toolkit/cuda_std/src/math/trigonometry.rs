//! Trigonometric functions of all numbers, however large.

use super::exponential::TO_INTEGER;
use super::{NAN, fma, trunc};

/// pi / 2 in three parts of 24 bits, all positive.
const FRAC_PI_2: [f32; 3] = [f32::from_bits(0x3fc9_0fda), 7.549_789_4e-8, 5.390_303e-15];

/// An angle as `quadrant * pi/2 + hi + lo`, where hi is between -pi/4 and pi/4, and lo is its rounding error.
#[derive(Clone, Copy)]
struct Reduced {
    /// Modulo 4.
    quadrant: u32,
    hi: f32,
    lo: f32,
}

/// Cody and Waite's reduction, for `|x| <= 65536`.
#[inline(always)]
fn reduced_near(x: f32) -> Reduced {
    let shifted = fma(x, core::f32::consts::FRAC_2_PI, TO_INTEGER);
    let n = shifted - TO_INTEGER;
    // Exact.
    let a = fma(n, -FRAC_PI_2[0], x);
    // a - n FRAC_PI_2[1], and the total rounding error.
    let b = -n * FRAC_PI_2[1];
    let hi = a + b;
    let of_b = hi - a;
    let lost = (a - (hi - of_b)) + (b - of_b);
    let rest = fma(-n, FRAC_PI_2[1], -b);
    Reduced { quadrant: shifted.to_bits(), hi, lo: fma(-n, FRAC_PI_2[2], lost + rest) }
}

/// 32 zero bits, then the first bits of 2 / pi.
static FRAC_2_PI: [u32; 8] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];

/// Payne and Hanek's reduction, for finite `|x| >= 65536`: the product with those bits of 2 / pi that determine the
/// quadrant and the fraction.
#[cold]
#[inline(always)]
fn reduced_far(x: f32) -> Reduced {
    let bits = x.to_bits();
    let mantissa = u64::from(bits << 8 | 0x8000_0000);
    // Bits of higher weight contribute multiples of 4 quadrants.
    let skipped = (bits >> 23 & 0xff).wrapping_sub(128);
    let (first, shift) = (skipped >> 5, skipped & 31);
    let word = |i: u32| FRAC_2_PI[(first.wrapping_add(i) & 7) as usize];
    let window = |i: u32| ((u64::from(word(i)) << 32 | u64::from(word(i.wrapping_add(1)))) << shift) >> 32;
    // In units of 2^-62 quadrants, modulo 4 quadrants.
    let product = (mantissa.wrapping_mul(window(0)) << 32)
        .wrapping_add(mantissa.wrapping_mul(window(1)))
        .wrapping_add(mantissa.wrapping_mul(window(2)) >> 32);
    let quadrant = product.wrapping_add(1 << 61) >> 62;
    let fraction = product.wrapping_sub(quadrant << 62) as i64;
    let angle = fraction as f64 * (core::f64::consts::FRAC_PI_2 / (1u64 << 62) as f64);
    let hi = angle as f32;
    let lo = (angle - f64::from(hi)) as f32;
    let quadrant = quadrant as u32;
    if x < 0.0 { Reduced { quadrant: quadrant.wrapping_neg(), hi: -hi, lo: -lo } } else { Reduced { quadrant, hi, lo } }
}

impl Reduced {
    #[inline(always)]
    fn of(x: f32) -> Self {
        if x.abs() <= 65_536.0 { reduced_near(x) } else { reduced_far(x) }
    }

    /// The angle a quarter turn further.
    #[inline(always)]
    fn next(self) -> Self {
        Self { quadrant: self.quadrant.wrapping_add(1), ..self }
    }

    /// sin(hi + lo).
    #[inline(always)]
    fn sin_of_rest(self) -> f32 {
        let s = self.hi * self.hi;
        let p = fma(-1.951_828_5e-4, s, 8.332_189e-3);
        let p = fma(p, s, -1.666_665_5e-1);
        self.hi + fma(self.hi * s, p, fma(-0.5 * s, self.lo, self.lo))
    }

    /// cos(hi + lo).
    #[inline(always)]
    fn cos_of_rest(self) -> f32 {
        let s = self.hi * self.hi;
        let p = fma(2.443_232_7e-5, s, -1.388_731e-3);
        let p = fma(p, s, 4.166_664_6e-2);
        let half = 0.5 * s;
        let most = 1.0 - half;
        let lost = (1.0 - most) - half;
        most + (lost + fma(s * s, p, -self.hi * self.lo))
    }

    #[inline(always)]
    fn sin(self) -> f32 {
        let y = if self.quadrant & 1 == 0 { self.sin_of_rest() } else { self.cos_of_rest() };
        if self.quadrant & 2 == 0 { y } else { -y }
    }
}

/// Below this, the sine and the tangent of x round to x.
const TINY: f32 = 1.0 / 4096.0;

/// The sine of x radians.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::sin(0.0), 0.0);
/// // It also holds for large angles such as 10^9 radians.
/// assert!((math::sin(1e9) - 0.5458434).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn sin(x: f32) -> f32 {
    sin_cos(x).0
}

/// The cosine of x radians.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::cos(0.0), 1.0);
/// assert!(math::cos(f32::INFINITY).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn cos(x: f32) -> f32 {
    sin_cos(x).1
}

/// The sine and the cosine of x radians, with the bits of [`sin`] and [`cos`], from one reduction.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::sin_cos(0.75), (math::sin(0.75), math::cos(0.75)));
/// ```
#[inline(always)]
#[must_use]
pub fn sin_cos(x: f32) -> (f32, f32) {
    if !x.is_finite() {
        return (NAN, NAN);
    }
    let reduced = Reduced::of(x);
    (if x.abs() < TINY { x } else { reduced.sin() }, reduced.next().sin())
}

/// A number of half turns as `halves / 2 + rest`, exactly, where the rest is between -1/4 and 1/4; `halves` is modulo 4.
#[inline(always)]
fn half_turns(x: f32) -> (u32, f32) {
    // A whole number of turns is left out; the rest is exact.
    let x = fma(-2.0, trunc(0.5 * x), x);
    let shifted = fma(x, 2.0, TO_INTEGER);
    (shifted.to_bits(), fma(shifted - TO_INTEGER, -0.5, x))
}

/// sin(pi r) for r between -1/4 and 1/4.
#[inline(always)]
fn sin_of_half_turns(r: f32) -> f32 {
    let s = r * r;
    let p = fma(7.915_745e-2, s, -5.989_812e-1);
    let p = fma(p, s, 2.550_154_7);
    let p = fma(p, s, -5.167_712_7);
    // pi in two parts.
    fma(r, core::f32::consts::PI, r * fma(p, s, -8.742_278e-8))
}

/// cos(pi r) for r between -1/4 and 1/4.
#[inline(always)]
fn cos_of_half_turns(r: f32) -> f32 {
    let s = r * r;
    let p = fma(2.287_547_4e-1, s, -1.334_736_2);
    let p = fma(p, s, 4.058_696_3);
    let p = fma(p, s, -4.934_802);
    fma(p, s, 1.0)
}

/// sin(pi (halves / 2 + rest)).
#[inline(always)]
fn sin_of_parts(halves: u32, rest: f32) -> f32 {
    let y = if halves & 1 == 0 { sin_of_half_turns(rest) } else { cos_of_half_turns(rest) };
    if halves & 2 == 0 { y } else { -y }
}

/// The sine of pi x; a zero with the sign of x where x is an integer.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::sinpi(0.5), math::sinpi(-1.5), math::sinpi(1e9)], [1.0, 1.0, 0.0]);
/// assert!((math::sinpi(1.0 / 6.0) - 0.5).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn sinpi(x: f32) -> f32 {
    if !x.is_finite() {
        return NAN;
    }
    let (halves, rest) = half_turns(x);
    if rest == 0.0 && halves & 1 == 0 { 0.0f32.copysign(x) } else { sin_of_parts(halves, rest) }
}

/// The cosine of pi x; 0 where it vanishes.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::cospi(0.5), math::cospi(1.0), math::cospi(1e9)], [0.0, -1.0, 1.0]);
/// assert!((math::cospi(1.0 / 3.0) - 0.5).abs() < 1e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn cospi(x: f32) -> f32 {
    if !x.is_finite() {
        return NAN;
    }
    let (halves, rest) = half_turns(x);
    // Without a negative zero.
    if rest == 0.0 && halves & 1 == 1 { 0.0 } else { sin_of_parts(halves.wrapping_add(1), rest) }
}

/// The tangent of x radians.
///
/// ```
/// use cuda_std::math;
///
/// assert!((math::tan(std::f32::consts::FRAC_PI_4) - 1.0).abs() < 3e-7);
/// ```
#[inline(always)]
#[must_use]
pub fn tan(x: f32) -> f32 {
    if !x.is_finite() {
        return NAN;
    }
    if x.abs() < TINY {
        return x;
    }
    let reduced = Reduced::of(x);
    let (sin, cos) = (reduced.sin_of_rest(), reduced.cos_of_rest());
    if reduced.quadrant & 1 == 0 { sin / cos } else { -cos / sin }
}
