//! Floating point functions with the same bits on every backend.
//!
//! One implementation each, made of IEEE operations in one written order. (A method such as `f32::exp` is the
//! platform's own on a CPU and does not exist on the device.) Special values are those of C99 and IEEE 754, but for
//! [`atan2`]'s; a NaN that one of the functions of the table makes, or hands on, is [`NAN`].
//!
//! The functions here are for `f32`; [`mod@f64`] has the same names, and [`approx`] fast ones that give up the same bits.
//!
//! # Errors
//!
//! The largest error that was measured over all 2^32 numbers (over some 10^8 pairs where there are two operands), in ulp:
//! the spacing of `f32` at the exact result. The exact result is that of `f64` functions.
//!
//! | function | error | range |
//! |---|---|---|
//! | [`fma`], [`sqrt`], [`recip`] | 0.5 | all numbers |
//! | [`floor`], [`ceil`], [`trunc`], [`round`], [`round_ties_even`], [`rem`] | 0 | all numbers |
//! | [`exp`] | 0.9 | all numbers |
//! | [`exp2`] | 0.9 | all numbers |
//! | [`exp_m1`] | 1.4 | all numbers |
//! | [`ln`] | 0.9 | all numbers |
//! | [`log2`] | 1.1 | all numbers |
//! | [`log10`] | 1.3 | all numbers |
//! | [`ln_1p`] | 1.0 | all numbers |
//! | [`sin`], [`cos`], [`sin_cos`] | 0.8 | all numbers, also large angles |
//! | [`tan`] | 2.3 | all numbers, also large angles |
//! | [`asin`], [`acos`] | 1.2 | all numbers |
//! | [`atan`] | 2.0 | all numbers |
//! | [`atan2`] | 2.1 | all pairs |
//! | [`sinh`] | 1.7 | all numbers |
//! | [`cosh`] | 1.4 | all numbers |
//! | [`tanh`] | 1.5 | all numbers |
//! | [`pow`] | 1.0 | all pairs |
//! | [`powi`] | `\|n\|` | where neither x^n nor its reciprocal overflows |
//! | [`cbrt`] | 0.51 | all numbers |
//! | [`hypot`] | 1.1 | all pairs |
//! | [`rsqrt`] | 1.5 | all numbers |
//! | [`exp_bounded`] | 0.9 | from -87 to 88 |
//! | [`reciprocal_bounded`] | 0.51 | from 1e-37 to 1e37 |
//! | [`reciprocal_sqrt_bounded`] | 1.0 | from 1e-37 to 1e37 |

pub mod approx;
mod basic;
mod bounded;
mod exponential;
pub mod f64;
mod hyperbolic;
mod inverse;
mod logarithm;
#[doc(hidden)]
pub mod methods;
mod power;
mod rounding;
mod trigonometry;

pub use basic::{NAN, canonical, fma, larger, recip, smaller, sqrt, to_u32};
pub use bounded::{exp_bounded, reciprocal_bounded, reciprocal_sqrt_bounded};
pub use exponential::{exp, exp_m1, exp2};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{ln, ln_1p, log2, log10};
pub use power::{cbrt, hypot, pow, powi, rsqrt};
pub use rounding::{ceil, floor, rem, rem_euclid, round, round_ties_even, trunc};
pub use trigonometry::{cos, sin, sin_cos, tan};
