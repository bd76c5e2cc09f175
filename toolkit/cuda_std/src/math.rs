//! Floating-point functions with the same bits on every backend.
//!
//! Each function has one implementation, of IEEE operations in a fixed order. (A method such as `f32::exp` uses the
//! platform's library on a CPU and does not exist on the device.) Special values follow C99 and IEEE 754, except those of
//! [`atan2`]. Every NaN that a function in the table returns is [`NAN`].
//!
//! The functions here are for `f32`. [`mod@f64`] has the same names, and [`approx`] has fast functions without the same
//! bits.
//!
//! # Errors
//!
//! The largest measured error over all 2^32 numbers (over some 10^8 pairs for functions with two arguments), in ulp: the
//! spacing of `f32` at the exact result. Functions of `f64` stand for the exact result. For [`exp10`], [`sinpi`], [`cospi`], the error and
//! gamma functions, and the inverses of the hyperbolic functions it is the largest over every 499th number.
//!
//! | function | error | range |
//! |---|---|---|
//! | [`fma`], [`sqrt`], [`recip`] | 0.5 | all numbers |
//! | [`floor`], [`ceil`], [`trunc`], [`round`], [`round_ties_even`], [`rem`] | 0 | all numbers |
//! | [`exp`] | 0.9 | all numbers |
//! | [`exp2`] | 0.9 | all numbers |
//! | [`exp10`] | 1.0 | all numbers |
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
//! | [`asinh`], [`acosh`] | 1.8 | all numbers |
//! | [`atanh`] | 2.1 | all numbers |
//! | [`sinpi`], [`cospi`] | 1.0 | all numbers |
//! | [`erf`] | 1.1 | all numbers |
//! | [`erfc`] | 3.0 | all numbers |
//! | [`tgamma`] | 2.5 | all numbers |
//! | [`lgamma`] | 4.0 | except from -10.001 to -2.264, where it has zeros: there its error is below 3e-6 |
//! | [`frexp`], [`ldexp`] | 0, and 0.5 for subnormal results | all numbers |
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
mod error_function;
mod exponential;
pub mod f64;
mod gamma;
mod hyperbolic;
mod inverse;
mod logarithm;
#[doc(hidden)]
pub mod methods;
mod outer;
mod power;
mod rounding;
mod scale;
mod trigonometry;

pub use basic::{NAN, canonical, fma, fma_to_unit, larger, recip, smaller, sqrt, to_u32};
pub use bounded::{exp_bounded, reciprocal_bounded, reciprocal_sqrt_bounded};
pub use error_function::{erf, erfc};
pub use exponential::{exp, exp_m1, exp2, exp10};
pub use gamma::{lgamma, tgamma};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{ln, ln_1p, log2, log10};
pub use outer::add_outer;
pub use power::{cbrt, hypot, pow, powi, rsqrt};
pub use rounding::{ceil, floor, rem, rem_euclid, round, round_ties_even, trunc};
pub use scale::{frexp, ldexp};
pub use trigonometry::{cos, cospi, sin, sin_cos, sinpi, tan};
