//! All functions of `cuda_std::math`, so that a test can compare the bits of both sides.

use cuda_std::math::{self, approx};
use cuda_std::prelude::*;

/// The names of functions, and a function that applies one of them to two operands.
macro_rules! functions {
    ($(#[$doc:meta])* $names:ident, $apply:ident($x:ident, $y:ident: $type:ty) { $($name:ident => $value:expr,)+ }) => {
        $(#[$doc])*
        pub const $names: &[&str] = &[$(stringify!($name)),+];

        /// Returns 0 if there is no such function.
        #[inline(always)]
        fn $apply(function: u32, $x: $type, $y: $type) -> $type {
            let number = 0u32;
            $(
                if function == number {
                    return $value;
                }
                let number = number.wrapping_add(1);
            )+
            let _ = number;
            0.0
        }
    };
}

functions! {
    /// The functions of [`math_table()`], by number.
    MATH_FUNCTIONS, apply(x, y: f32) {
        fma => math::canonical(math::fma(x, y, x)),
        sqrt => math::canonical(math::sqrt(x)),
        recip => math::recip(x),
        smaller => math::canonical(math::smaller(x, y)),
        larger => math::canonical(math::larger(x, y)),
        to_u32 => f32::from_bits(math::to_u32(x) & 0x7f7f_ffff),
        floor => math::floor(x),
        ceil => math::ceil(x),
        trunc => math::trunc(x),
        round => math::round(x),
        round_ties_even => math::round_ties_even(x),
        rem => math::rem(x, y),
        rem_euclid => math::rem_euclid(x, y),
        exp => math::exp(x),
        exp2 => math::exp2(x),
        exp10 => math::exp10(x),
        exp_m1 => math::exp_m1(x),
        exp_bounded => if (-87.0..=88.0).contains(&x) { math::exp_bounded(x) } else { math::NAN },
        reciprocal_bounded => if (1e-37..=1e37).contains(&x) { math::reciprocal_bounded(x) } else { math::NAN },
        reciprocal_sqrt_bounded => if (1e-37..=1e37).contains(&x) { math::reciprocal_sqrt_bounded(x) } else { math::NAN },
        ln => math::ln(x),
        log2 => math::log2(x),
        log10 => math::log10(x),
        ln_1p => math::ln_1p(x),
        sin => math::sin(x),
        cos => math::cos(x),
        tan => math::tan(x),
        sin_and_cos => { let (sin, cos) = math::sin_cos(x); math::canonical(math::fma(sin, y, cos)) },
        asin => math::asin(x),
        acos => math::acos(x),
        atan => math::atan(x),
        atan2 => math::canonical(math::atan2(x, y)),
        sinh => math::sinh(x),
        cosh => math::cosh(x),
        tanh => math::tanh(x),
        asinh => math::asinh(x),
        acosh => math::acosh(x),
        atanh => math::atanh(x),
        sinpi => math::sinpi(x),
        cospi => math::cospi(x),
        erf => math::erf(x),
        erfc => math::erfc(x),
        tgamma => math::tgamma(x),
        lgamma => math::lgamma(x),
        ldexp => math::ldexp(x, y as i32),
        frexp => { let (fraction, exponent) = math::frexp(x); math::canonical(fraction + exponent as f32) },
        pow => math::pow(x, y),
        powi => math::powi(x, y as i32),
        powi_7 => math::powi(x, 7),
        cbrt => math::cbrt(x),
        hypot => math::hypot(x, y),
        rsqrt => math::rsqrt(x),
    }
}

functions! {
    /// The functions of [`math_table_f64()`], by number.
    MATH_FUNCTIONS_F64, apply_f64(x, y: f64) {
        fma => math::f64::canonical(math::f64::fma(x, y, x)),
        sqrt => math::f64::canonical(math::f64::sqrt(x)),
        recip => math::f64::recip(x),
        smaller => math::f64::canonical(math::f64::smaller(x, y)),
        larger => math::f64::canonical(math::f64::larger(x, y)),
        floor => math::f64::floor(x),
        ceil => math::f64::ceil(x),
        trunc => math::f64::trunc(x),
        round => math::f64::round(x),
        round_ties_even => math::f64::round_ties_even(x),
        rem => math::f64::rem(x, y),
        rem_euclid => math::f64::rem_euclid(x, y),
        exp => math::f64::exp(x),
        exp2 => math::f64::exp2(x),
        exp10 => math::f64::exp10(x),
        exp_m1 => math::f64::exp_m1(x),
        ln => math::f64::ln(x),
        log2 => math::f64::log2(x),
        log10 => math::f64::log10(x),
        ln_1p => math::f64::ln_1p(x),
        asin => math::f64::asin(x),
        acos => math::f64::acos(x),
        atan => math::f64::atan(x),
        atan2 => math::f64::atan2(x, y),
        sinh => math::f64::sinh(x),
        cosh => math::f64::cosh(x),
        tanh => math::f64::tanh(x),
        asinh => math::f64::asinh(x),
        acosh => math::f64::acosh(x),
        atanh => math::f64::atanh(x),
        pow => math::f64::pow(x, y),
        powi => math::f64::powi(x, y as i32),
        cbrt => math::f64::cbrt(x),
        hypot => math::f64::hypot(x, y),
        rsqrt => math::f64::rsqrt(x),
    }
}

functions! {
    /// The functions of [`angle_table_f64()`], by number.
    ANGLE_FUNCTIONS_F64, apply_angle_f64(x, y: f64) {
        sin => math::f64::sin(x),
        cos => math::f64::cos(x),
        tan => math::f64::tan(x),
        sin_and_cos => { let (sin, cos) = math::f64::sin_cos(x); math::f64::canonical(math::f64::fma(sin, y, cos)) },
    }
}

functions! {
    /// The functions of [`special_table_f64()`], by number.
    SPECIAL_FUNCTIONS_F64, apply_special_f64(x, y: f64) {
        sinpi => math::f64::sinpi(x),
        cospi => math::f64::cospi(x),
        erf => math::f64::erf(x),
        erfc => math::f64::erfc(x),
        tgamma => math::f64::tgamma(x),
        lgamma => math::f64::lgamma(x),
        ldexp => math::f64::ldexp(x, y as i32),
        frexp => { let (fraction, exponent) = math::f64::frexp(x); math::f64::canonical(fraction + f64::from(exponent)) },
    }
}

functions! {
    /// The functions of [`approx_table()`], by number.
    APPROX_FUNCTIONS, apply_approx(x, y: f32) {
        exp2 => approx::exp2(x),
        log2 => approx::log2(x),
        sin => approx::sin(x),
        cos => approx::cos(x),
        rsqrt => approx::rsqrt(x),
        recip => approx::recip(x),
        tanh => approx::tanh(x),
        div => approx::div(x, y),
    }
}

/// Applies function number `function` of [`MATH_FUNCTIONS`] to corresponding elements of `x` and `y`.
#[kernel(threads = 128)]
pub fn math_table(block: &mut Block, out: &mut Segment<f32>, x: &[f32], y: &[f32], function: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| apply(function, x.at(first + i), y.at(first + i)));
}

/// Function number `function` of [`MATH_FUNCTIONS_F64`], as [`math_table()`].
#[kernel(threads = 128)]
pub fn math_table_f64(block: &mut Block, out: &mut Segment<f64>, x: &[f64], y: &[f64], function: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| apply_f64(function, x.at(first + i), y.at(first + i)));
}

/// Function number `function` of [`ANGLE_FUNCTIONS_F64`], as [`math_table()`]. These functions reduce angles, which takes
/// long code.
// Without the number of blocks, the assembler uses few registers and spills.
#[kernel(threads = 128, blocks_per_sm = 2)]
pub fn angle_table_f64(block: &mut Block, out: &mut Segment<f64>, x: &[f64], y: &[f64], function: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| apply_angle_f64(function, x.at(first + i), y.at(first + i)));
}

/// Function number `function` of [`SPECIAL_FUNCTIONS_F64`], as [`math_table()`].
#[kernel(threads = 128, blocks_per_sm = 2)]
pub fn special_table_f64(block: &mut Block, out: &mut Segment<f64>, x: &[f64], y: &[f64], function: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| apply_special_f64(function, x.at(first + i), y.at(first + i)));
}

/// Function number `function` of [`APPROX_FUNCTIONS`], as [`math_table()`].
#[kernel(threads = 128)]
pub fn approx_table(block: &mut Block, out: &mut Segment<f32>, x: &[f32], y: &[f32], function: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| apply_approx(function, x.at(first + i), y.at(first + i)));
}
