//! Special values of C99 and IEEE 754.

use cuda_std::math::*;
use std::f32::consts::{FRAC_PI_2, PI};

const INF: f32 = f32::INFINITY;

/// Bits, so that the signs of zeros and the one NaN count.
#[track_caller]
fn assert_values(name: &str, function: impl Fn(f32) -> f32, values: &[(f32, f32)]) {
    for &(x, expected) in values {
        let found = function(x);
        assert_eq!(found.to_bits(), expected.to_bits(), "{name}({x:e}) is {found:e}, not {expected:e}");
    }
    for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)] {
        assert_eq!(function(nan).to_bits(), NAN.to_bits(), "{name}(NaN)");
    }
}

#[test]
fn of_one_operand() {
    let tiny = f32::from_bits(1);
    assert_values("exp", exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (88.8, INF), (-104.0, 0.0)]);
    assert_values(
        "exp2",
        exp2,
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (10.0, 1024.0),
            (-149.0, tiny),
            (128.0, INF),
            (INF, INF),
            (-INF, 0.0),
            (-151.0, 0.0),
        ],
    );
    assert_values(
        "exp_m1",
        exp_m1,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (-30.0, -1.0), (tiny, tiny), (-tiny, -tiny), (89.0, INF)],
    );
    for (name, log) in [("ln", ln as fn(f32) -> f32), ("log2", log2), ("log10", log10)] {
        assert_values(name, log, &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)]);
    }
    assert_values("log2", log2, &[(8.0, 3.0), (0.25, -2.0), (tiny, -149.0)]);
    assert_values("log10", log10, &[(1000.0, 3.0), (1e10, 10.0)]);
    assert_values(
        "ln_1p",
        ln_1p,
        &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-1.5, NAN), (INF, INF), (-INF, NAN), (tiny, tiny), (-tiny, -tiny)],
    );
    for (name, odd) in [("sin", sin as fn(f32) -> f32), ("tan", tan)] {
        assert_values(name, odd, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (tiny, tiny), (-tiny, -tiny)]);
    }
    assert_values("cos", cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (tiny, 1.0)]);
    assert_values(
        "asin",
        asin,
        &[(0.0, 0.0), (-0.0, -0.0), (1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2), (1.1, NAN), (-INF, NAN), (-tiny, -tiny)],
    );
    assert_values("acos", acos, &[(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (-0.0, FRAC_PI_2), (1.1, NAN), (INF, NAN)]);
    assert_values("atan", atan, &[(0.0, 0.0), (-0.0, -0.0), (INF, FRAC_PI_2), (-INF, -FRAC_PI_2), (-tiny, -tiny)]);
    assert_values("sinh", sinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (90.0, INF), (-tiny, -tiny)]);
    assert_values("cosh", cosh, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (-90.0, INF)]);
    assert_values("tanh", tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (-20.0, -1.0), (-tiny, -tiny)]);
    assert_values("exp10", exp10, &[(0.0, 1.0), (-0.0, 1.0), (38.6, INF), (INF, INF), (-46.0, 0.0), (-INF, 0.0)]);
    assert_values("asinh", asinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (tiny, tiny), (-tiny, -tiny)]);
    assert_values("acosh", acosh, &[(1.0, 0.0), (INF, INF), (1.0f32.next_down(), NAN), (-1e30, NAN), (-INF, NAN)]);
    assert_values(
        "atanh",
        atanh,
        &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (tiny, tiny), (-tiny, -tiny)],
    );
    assert_values("erf", erf, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (4.0, 1.0)]);
    assert_values("erfc", erfc, &[(0.0, 1.0), (-0.0, 1.0), (INF, 0.0), (-INF, 2.0), (10.1, 0.0), (-10.1, 2.0)]);
    assert_values(
        "tgamma",
        tgamma,
        &[
            (0.0, INF),
            (-0.0, -INF),
            (INF, INF),
            (-INF, NAN),
            (-1.0, NAN),
            (-1e30, NAN),
            (1.0, 1.0),
            (2.0, 1.0),
            (35.1, INF),
            (tiny, INF),
            (-tiny, -INF),
            // From -n - 1 to -n the sign is that of (-1)^(n + 1).
            (-42.5, -0.0),
            (-43.5, 0.0),
            (-44.5, -0.0),
            (-4_000_000.5, -0.0),
            (-4_000_001.5, 0.0),
        ],
    );
    assert_values(
        "lgamma",
        lgamma,
        &[
            (1.0, 0.0),
            (2.0, 0.0),
            (0.0, INF),
            (-0.0, INF),
            (-1.0, INF),
            (INF, INF),
            (-INF, INF),
            (-1e30, INF),
            (1e38, INF),
        ],
    );
    assert_values(
        "sinpi",
        sinpi,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, 0.0),
            (-3.0, -0.0),
            (0.5, 1.0),
            (-1.5, 1.0),
            (3e38, 0.0),
            (INF, NAN),
            (-INF, NAN),
        ],
    );
    assert_values(
        "cospi",
        cospi,
        &[(0.0, 1.0), (0.5, 0.0), (-1.5, 0.0), (2.5, 0.0), (1.0, -1.0), (-8_388_609.0, -1.0), (3e38, 1.0), (INF, NAN)],
    );
    assert_values("cbrt", cbrt, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (27.0, 3.0), (-8.0, -2.0)]);
    assert_values("rsqrt", rsqrt, &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1.0, NAN), (-INF, NAN), (4.0, 0.5)]);
    assert_values("recip", recip, &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (4.0, 0.25)]);
    for n in [-2, -1, 1, 2] {
        assert_values("powi", |x| powi(x, n), &[(1.0, 1.0)]);
    }
}

#[test]
fn of_powers() {
    for (x, y, expected) in [
        // Whatever the other operand is.
        (NAN, 0.0, 1.0),
        (NAN, -0.0, 1.0),
        (1.0, NAN, 1.0),
        (1.0, INF, 1.0),
        (0.0, 0.0, 1.0),
        (INF, 0.0, 1.0),
        (NAN, 1.0, NAN),
        (2.0, NAN, NAN),
        (-1.0, NAN, NAN),
        // Of zero.
        (0.0, -1.0, INF),
        (-0.0, -1.0, -INF),
        (0.0, -2.0, INF),
        (-0.0, -2.0, INF),
        (-0.0, -1.5, INF),
        (-0.0, -INF, INF),
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 2.5, 0.0),
        // Of infinity, and to it.
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (0.5, -INF, INF),
        (-0.5, -INF, INF),
        (2.0, -INF, 0.0),
        (0.5, INF, 0.0),
        (-2.0, INF, INF),
        (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (-INF, 0.5, INF),
        (INF, -0.5, 0.0),
        (INF, 0.5, INF),
        // Of negative numbers.
        (-8.0, 1.0 / 3.0, NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, -2.0, 0.25),
        (-1.0, 16_777_217.0, 1.0),
        (-1.0, 16_777_215.0, -1.0),
        (-1.0, 8_388_607.5, NAN),
        (-1.0, f32::MAX, 1.0),
        // The ends of the range.
        (2.0, 128.0, INF),
        (-2.0, 129.0, -INF),
        (2.0, -149.0, f32::from_bits(1)),
        (2.0, -151.0, 0.0),
        (-2.0, -151.0, -0.0),
        (f32::MAX, f32::MAX, INF),
        (f32::MIN_POSITIVE, f32::MAX, 0.0),
        (f32::from_bits(1), -1.0, INF),
        (f32::MAX, 1.0, f32::MAX),
        (f32::from_bits(1), 1.0, f32::from_bits(1)),
    ] {
        let found = pow(x, y);
        assert_eq!(found.to_bits(), expected.to_bits(), "pow({x:e}, {y:e}) is {found:e}, not {expected:e}");
    }
    assert_eq!([powi(NAN, 0), powi(0.0, 0), powi(INF, 0)], [1.0; 3]);
    assert_eq!([powi(2.0, 10), powi(-2.0, 3), powi(2.0, -2), powi(-2.0, -1)], [1024.0, -8.0, 0.25, -0.5]);
    assert_eq!([powi(1.0, i32::MIN), powi(-1.0, i32::MAX), powi(2.0, i32::MIN)], [1.0, -1.0, 0.0]);
    assert_eq!(powi(0.0, -3), INF);
    assert_eq!(powi(-0.0, -3), -INF);
}

#[test]
fn of_lengths() {
    assert_eq!([hypot(3.0, -4.0), hypot(0.0, -0.0), hypot(-5.0, 0.0)], [5.0, 0.0, 5.0]);
    assert_eq!([hypot(INF, NAN), hypot(NAN, -INF), hypot(-INF, 1.0), hypot(f32::MAX, f32::MAX)], [INF; 4]);
    assert_eq!(hypot(f32::from_bits(3), f32::from_bits(4)), f32::from_bits(5));
    assert_eq!([hypot(NAN, 1.0).to_bits(), hypot(1.0, -NAN).to_bits()], [NAN.to_bits(); 2]);
}

#[test]
fn exponents_are_taken_off_and_put_on() {
    for (x, expected) in [
        (12.0, (0.75, 4)),
        (-0.5, (-0.5, 0)),
        (f32::MAX, (1.0f32.next_down(), 128)),
        (f32::from_bits(1), (0.5, -148)),
        (f32::MIN_POSITIVE, (0.5, -125)),
        (0.0, (0.0, 0)),
        (-0.0, (-0.0, 0)),
        (-INF, (-INF, 0)),
        (-f32::NAN, (NAN, 0)),
    ] {
        let (fraction, exponent) = frexp(x);
        assert_eq!((fraction.to_bits(), exponent), (f32::to_bits(expected.0), expected.1), "{x:e}");
        // Both ways, and by exponents that need more than one factor.
        assert_eq!(ldexp(fraction, exponent).to_bits(), canonical(x).to_bits(), "{x:e}");
        for n in [i32::MIN, -300, -150, -30, -1, 0, 1, 100, 277, i32::MAX] {
            let exact = f64::from(canonical(x)) * 2f64.powi(n.clamp(-600, 600));
            assert_eq!(ldexp(x, n).to_bits(), canonical(exact as f32).to_bits(), "{x:e} and {n}");
        }
    }
    // Ties to even, once.
    assert_eq!(ldexp(1.5, -149), f32::from_bits(2));
    assert_eq!(ldexp(2.5, -149), f32::from_bits(2));
    assert_eq!(ldexp(1.0f32.next_up(), -150), f32::from_bits(1));
}
