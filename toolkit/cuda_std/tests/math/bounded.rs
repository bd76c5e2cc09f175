//! Functions for inner loops: error bounds against f64 over the stated ranges, special values, and the one NaN.

use crate::measure::{Worst, floats};
use cuda_std::math::*;
use std::f64::consts::PI;

#[test]
fn exp_is_within_its_bound() {
    let mut worst = Worst::default();
    for x in floats(1e-30, 88.0, 61) {
        worst.see(x, exp_bounded(x), f64::from(x).exp());
        if x <= 87.0 {
            worst.see(-x, exp_bounded(-x), f64::from(-x).exp());
        }
    }
    // Every float near the ends and in the range that Gaussian weights come from.
    for x in floats(86.9999, 87.0, 1).chain(floats(4.4, 4.5, 1)) {
        worst.see(-x, exp_bounded(-x), f64::from(-x).exp());
    }
    eprintln!("exp_bounded: {worst:?}");
    assert!(worst.ulps <= 0.9, "{worst:?}");
    assert_eq!([exp_bounded(0.0), exp_bounded(-0.0)], [1.0, 1.0]);
}

/// A weight may lose only a rounding to the next number: there is no step where the reduction changes its multiple.
#[test]
fn exp_never_falls_by_more_than_its_error() {
    let mut before = exp_bounded(-87.0);
    for x in floats(1e-3, 87.0, 4099).collect::<Vec<_>>().into_iter().rev() {
        let here = exp_bounded(-x);
        assert!(here >= before, "at {x}: {before}, then {here}");
        before = here;
    }
}

#[test]
fn reciprocal_is_within_its_bound() {
    let mut worst = Worst::default();
    // Every mantissa with an even and an odd exponent; other exponents repeat them.
    for x in floats(1.0, 4.0, 1).chain(floats(1e-37, 1e37, 509)) {
        worst.see(x, reciprocal_bounded(x), 1.0 / f64::from(x));
    }
    eprintln!("reciprocal_bounded: {worst:?}");
    assert!(worst.ulps <= 0.51, "{worst:?}");
    for power in -120..=120 {
        let x = 2f32.powi(power);
        assert_eq!(reciprocal_bounded(x) * x, 1.0, "2^{power}");
    }
}

#[test]
fn reciprocal_sqrt_is_within_its_bound() {
    let mut worst = Worst::default();
    for x in floats(1.0, 4.0, 1).chain(floats(1e-37, 1e37, 509)) {
        worst.see(x, reciprocal_sqrt_bounded(x), 1.0 / f64::from(x).sqrt());
    }
    eprintln!("reciprocal_sqrt_bounded: {worst:?}");
    assert!(worst.ulps <= 1.0, "{worst:?}");
}

#[test]
fn atan2_is_within_its_bound() {
    let mut worst = Worst::default();
    let mut see = |y: f32, x: f32| worst.see((y, x), atan2(y, x), f64::from(y).atan2(f64::from(x)));
    for t in floats(1e-30, 1.0, 251) {
        for (y, x) in [(t, 1.0), (1.0, t), (t, -1.0), (-1.0, -t)] {
            see(y, x);
        }
    }
    // Where quotients round.
    let mut bits = 1u32;
    let mut next = || {
        // Xorshift; never 0.
        bits ^= bits << 13;
        bits ^= bits >> 17;
        bits ^= bits << 5;
        f32::from_bits((bits & 0x807f_ffff) | (((bits >> 23) % 24 + 116) << 23))
    };
    for _ in 0..4_000_000 {
        see(next(), next());
    }
    eprintln!("atan2: {worst:?}");
    assert!(worst.ulps <= 2.1, "{worst:?}");
}

#[test]
fn atan2_knows_the_axes() {
    let pi = PI as f32;
    for (y, x, angle) in [
        (0.0, 1.0, 0.0),
        (-0.0, 1.0, 0.0),
        (0.0, -1.0, pi),
        (-0.0, -1.0, pi),
        (1.0, 0.0, pi / 2.0),
        (-1.0, 0.0, -pi / 2.0),
        (-1.0, -0.0, -pi / 2.0),
        (0.0, 0.0, 0.0),
        (-0.0, -0.0, 0.0),
        (f32::MIN_POSITIVE, 0.0, pi / 2.0),
        (f32::NEG_INFINITY, 1.0, -pi / 2.0),
        (1.0, f32::NEG_INFINITY, pi),
    ] {
        assert_eq!(atan2(y, x), angle, "atan2({y}, {x})");
    }
    // Only rounding reaches the other end of the circle.
    assert_eq!(atan2(-1e-30, -1.0), -pi);
    for (y, x) in [
        (f32::NAN, 1.0),
        (1.0, f32::NAN),
        (f32::INFINITY, f32::INFINITY),
        (f32::NEG_INFINITY, f32::INFINITY),
        (f32::NAN, f32::NAN),
        (f32::NAN, 0.0),
        (f32::NAN, f32::INFINITY),
        (0.0, f32::NAN),
    ] {
        assert!(atan2(y, x).is_nan(), "atan2({y}, {x}) is {}", atan2(y, x));
    }
}

#[test]
fn fma_rounds_once() {
    let e = f32::EPSILON;
    // The product is 1 + 2e + e^2 and rounds to 1 + 2e. The difference is what rounding loses.
    assert_eq!(fma(1.0 + e, 1.0 + e, -(1.0 + 2.0 * e)), e * e);
    assert_eq!(fma(f32::MAX, 2.0, f32::NEG_INFINITY), f32::NEG_INFINITY);
    assert!(fma(f32::INFINITY, 0.0, 1.0).is_nan());
}

#[test]
fn sqrt_is_correctly_rounded() {
    for x in floats(f32::from_bits(1), f32::MAX, 4001) {
        assert_eq!(sqrt(x), f64::from(x).sqrt() as f32, "{x:e}");
    }
    assert!(sqrt(-1.0).is_nan());
    assert_eq!(sqrt(-0.0).to_bits(), (-0.0f32).to_bits());
}

/// Also of numbers that are known only at run time, and of square roots, whose comparisons compilers remove.
#[test]
fn every_nan_becomes_one() {
    let hidden = std::hint::black_box::<f32>;
    let zero = hidden(0.0);
    let nans = [
        canonical(f32::from_bits(hidden(f32::from_bits(0xffc0_0000)).to_bits())),
        canonical(hidden(f32::from_bits(0x7f80_0001))),
        canonical(hidden(f32::from_bits(0xffff_ffff))),
        canonical(zero / zero),
        canonical(sqrt(zero / zero)),
        canonical(sqrt(hidden(-1.0))),
        canonical(sqrt(zero / hidden(-0.0))),
        canonical(hidden(f32::INFINITY) - hidden(f32::INFINITY)),
        canonical(-sqrt(zero / zero)),
        canonical(sqrt(zero / zero) * 2.0),
        NAN,
    ];
    for (i, nan) in nans.iter().enumerate() {
        assert_eq!(nan.to_bits(), 0x7fc0_0000, "number {i}");
    }
    for x in [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX] {
        assert_eq!(canonical(x).to_bits(), x.to_bits(), "{x}");
        assert_eq!(canonical(hidden(x)).to_bits(), x.to_bits(), "{x}");
    }
}

#[test]
fn comparing_takes_the_second_of_what_does_not_compare() {
    assert_eq!((smaller(1.0, 2.0), larger(1.0, 2.0)), (1.0, 2.0));
    assert_eq!((smaller(2.0, 1.0), larger(2.0, 1.0)), (1.0, 2.0));
    assert_eq!((smaller(f32::NAN, 1.0), larger(f32::NAN, 1.0)), (1.0, 1.0));
    assert!(smaller(1.0, f32::NAN).is_nan() && larger(1.0, f32::NAN).is_nan());
    assert_eq!(smaller(-0.0, 0.0).to_bits(), 0.0f32.to_bits());
    assert_eq!(larger(-0.0, 0.0).to_bits(), 0.0f32.to_bits());
}
