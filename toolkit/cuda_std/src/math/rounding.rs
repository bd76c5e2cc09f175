//! Rounding to integers, and remainders. All of these are exact.

use super::{NAN, canonical};

/// Functions that are one operation of IEEE 754: a method of the standard library on a CPU and of `core` on the device.
macro_rules! operations {
    ($float:ident: $($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(x: $float) -> $float {
            #[cfg(target_arch = "nvptx64")]
            let y = core::$float::math::$name(x);
            #[cfg(not(target_arch = "nvptx64"))]
            let y = x.$name();
            canonical(y)
        }
    )+};
}

pub(super) use operations;

operations! {
    f32:
    /// The largest integer not above x.
    ///
    /// ```
    /// # use cuda_std::math;
    /// assert_eq!([math::floor(2.7), math::floor(-2.2)], [2.0, -3.0]);
    /// ```
    floor;
    /// The smallest integer not below x.
    ///
    /// ```
    /// # use cuda_std::math;
    /// assert_eq!([math::ceil(2.2), math::ceil(-2.7)], [3.0, -2.0]);
    /// ```
    ceil;
    /// x without its fraction.
    ///
    /// ```
    /// # use cuda_std::math;
    /// assert_eq!([math::trunc(2.7), math::trunc(-2.7)], [2.0, -2.0]);
    /// ```
    trunc;
    /// The nearest integer, ties to even.
    ///
    /// ```
    /// # use cuda_std::math;
    /// assert_eq!([math::round_ties_even(2.5), math::round_ties_even(3.5)], [2.0, 4.0]);
    /// ```
    round_ties_even;
}

/// The nearest integer, ties away from 0.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::round(2.5), math::round(-2.5), math::round(2.4)], [3.0, -3.0, 2.0]);
/// ```
#[inline(always)]
#[must_use]
pub fn round(x: f32) -> f32 {
    let whole = trunc(x);
    if (x - whole).abs() >= 0.5 { whole + 1.0f32.copysign(x) } else { whole }
}

/// The remainder of `x / y` rounded toward 0, with the sign of x: the result of `%` on a CPU (on a device, `%` is not
/// exact).
///
/// A quotient of `2^k` takes about k / 8 divisions of integers.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::rem(7.5, 2.0), math::rem(-7.5, 2.0)], [1.5, -1.5]);
/// assert!(math::rem(1.0, 0.0).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn rem(x: f32, y: f32) -> f32 {
    const INFINITY: u32 = f32::INFINITY.to_bits();
    let (a, b) = (x.abs().to_bits(), y.abs().to_bits());
    if a >= INFINITY || b > INFINITY || b == 0 {
        return NAN;
    }
    if a < b {
        return x;
    }
    let ((mut rest, exponent), (divisor, unit)) = (integer(a), integer(b));
    let mut left = exponent.wrapping_sub(unit);
    while left > 0 {
        // 24 bits of the remainder and 8 more are 32.
        let step = if left < 8 { left } else { 8 };
        rest = (rest % divisor) << step;
        left = left.wrapping_sub(step);
    }
    rest %= divisor;
    // 2^(unit - 150), which may be subnormal; the product is exact.
    let scale = f32::from_bits(if unit > 23 { unit.wrapping_sub(23) << 23 } else { 1 << unit.wrapping_sub(1) });
    (rest as f32 * scale).copysign(x)
}

/// A finite number's bits as `(m, e)`, where its value is `m 2^(e - 150)`, m is below 2^24, and e is at least 1.
#[inline(always)]
fn integer(bits: u32) -> (u32, u32) {
    let (fraction, exponent) = (bits & 0x007f_ffff, bits >> 23);
    if exponent == 0 { (fraction, 1) } else { (fraction | 0x0080_0000, exponent) }
}

/// The nonnegative remainder of `x / y`: [`rem`], or `rem + |y|` rounded (so it may be `|y|` itself).
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::rem_euclid(7.5, 2.0), math::rem_euclid(-7.5, 2.0)], [1.5, 0.5]);
/// ```
#[inline(always)]
#[must_use]
pub fn rem_euclid(x: f32, y: f32) -> f32 {
    let rest = rem(x, y);
    if rest < 0.0 { rest + y.abs() } else { rest }
}
