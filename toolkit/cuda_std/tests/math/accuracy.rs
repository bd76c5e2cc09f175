//! The errors that the documentation of `cuda_std::math` states.

use crate::measure::{Random, Worst, every, wide};
use cuda_std::math;

/// Compares a function of one operand with that of f64, over every exponent.
fn check(name: &str, bound: f64, function: impl Fn(f32) -> f32 + Sync, exact: impl Fn(f64) -> f64 + Sync) {
    let worst = every(|worst: &mut Worst<f32>, bits| {
        let x = f32::from_bits(bits);
        worst.see(x, function(x), exact(f64::from(x)));
    });
    eprintln!("{name}: {worst:?}");
    assert!(worst.ulps <= bound, "{name}: {worst:?}, but the documentation says {bound}");
}

#[test]
fn exponentials() {
    check("exp", 0.9, math::exp, f64::exp);
    check("exp2", 0.9, math::exp2, f64::exp2);
    check("exp10", 1.2, math::exp10, libm::exp10);
    check("exp_m1", 1.4, math::exp_m1, f64::exp_m1);
}

#[test]
fn logarithms() {
    check("ln", 0.9, math::ln, f64::ln);
    check("log2", 1.1, math::log2, f64::log2);
    check("log10", 1.3, math::log10, f64::log10);
    check("ln_1p", 1.0, math::ln_1p, f64::ln_1p);
}

#[test]
fn trigonometric_functions() {
    check("sin", 0.8, math::sin, f64::sin);
    check("cos", 0.8, math::cos, f64::cos);
    check("tan", 2.3, math::tan, f64::tan);
}

#[test]
fn angles() {
    check("asin", 1.2, math::asin, f64::asin);
    check("acos", 1.2, math::acos, f64::acos);
    check("atan", 2.0, math::atan, f64::atan);
}

#[test]
fn hyperbolic_functions() {
    check("sinh", 1.7, math::sinh, f64::sinh);
    check("cosh", 1.4, math::cosh, f64::cosh);
    check("tanh", 1.5, math::tanh, f64::tanh);
    check("asinh", 3.0, math::asinh, libm::asinh);
    check("acosh", 4.0, math::acosh, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) });
    check("atanh", 3.0, math::atanh, libm::atanh);
}

/// sin(pi x), after an exact reduction.
fn sinpi(x: f64) -> f64 {
    let rest = x % 2.0;
    let halves = (2.0 * rest).round();
    let angle = std::f64::consts::PI * (rest - 0.5 * halves);
    let y = match halves as i32 & 3 {
        0 => angle.sin(),
        1 => angle.cos(),
        2 => -angle.sin(),
        _ => -angle.cos(),
    };
    if y == 0.0 { 0.0f64.copysign(x) } else { y }
}

/// cos(pi x), without a negative zero.
fn cospi(x: f64) -> f64 {
    let shifted = x.abs() % 2.0 + 0.5;
    sinpi(shifted).abs().copysign(if sinpi(shifted) < 0.0 { -1.0 } else { 1.0 })
}

#[test]
fn functions_of_half_turns() {
    check("sinpi", 1.0, math::sinpi, sinpi);
    check("cospi", 1.0, math::cospi, cospi);
}

#[test]
fn error_functions() {
    check("erf", 2.0, math::erf, libm::erf);
    check("erfc", 4.0, math::erfc, libm::erfc);
}

#[test]
fn gamma_functions() {
    check("tgamma", 5.0, math::tgamma, libm::tgamma);
    // Between negative integers the logarithm has zeros, near which its error is one of ln.
    let near_zeros = |x: f64| (-10.001..=-2.264).contains(&x);
    let outside = |x: f64, y: f64| if near_zeros(x) { 0.0 } else { y };
    check(
        "lgamma",
        6.0,
        |x| if near_zeros(f64::from(x)) { 0.0 } else { math::lgamma(x) },
        |x| outside(x, libm::lgamma(x)),
    );
    let worst = every(|worst: &mut Worst<f32>, bits| {
        // All of them in the sample.
        let x = -2.264 - 7.737 * (f64::from(bits) / f64::from(u32::MAX)) as f32;
        let (found, exact) = (f64::from(math::lgamma(x)), libm::lgamma(f64::from(x)));
        let apart = if found == exact { 0.0 } else { (found - exact).abs() };
        if apart > worst.ulps {
            *worst = Worst { ulps: apart, at: x };
        }
    });
    eprintln!("lgamma near zeros, absolute: {worst:?}");
    assert!(worst.ulps <= 3e-6, "{worst:?}");
}

#[test]
fn roots_and_reciprocals() {
    check("cbrt", 0.51, math::cbrt, f64::cbrt);
    check("rsqrt", 1.5, math::rsqrt, |x| 1.0 / x.sqrt());
    check("recip", 0.5, math::recip, |x| 1.0 / x);
}

/// Angles next to multiples of pi / 2, where a reduction with too few digits loses all of them.
#[test]
fn angles_that_nearly_vanish() {
    let mut worst = Worst::default();
    let mut multiple = 1.0f64;
    while multiple < 2e38 {
        let nearest = (multiple * std::f64::consts::FRAC_PI_2) as f32;
        for bits in nearest.to_bits() - 2..=nearest.to_bits() + 2 {
            let x = f32::from_bits(bits);
            worst.see(x, math::sin(x), f64::from(x).sin());
            worst.see(-x, math::cos(-x), f64::from(-x).cos());
        }
        multiple = (multiple * 1.000_37).ceil();
    }
    // The float that comes closest to a multiple of pi / 2 for its size.
    let x = 16_367_173.0 * 2f32.powi(72);
    worst.see(x, math::cos(x), f64::from(x).cos());
    assert!(worst.ulps <= 0.8, "{worst:?}");
}

#[test]
fn sine_and_cosine_are_those_of_both() {
    every(|_: &mut Worst<f32>, bits| {
        let x = f32::from_bits(bits);
        let (sin, cos) = math::sin_cos(x);
        assert_eq!((sin.to_bits(), cos.to_bits()), (math::sin(x).to_bits(), math::cos(x).to_bits()), "{x:e}");
    });
}

fn pairs(seed: u64, mut see: impl FnMut(&mut Random, f32, f32)) {
    let mut random = Random::new(seed);
    for _ in 0..if wide() { 200_000_000 } else { 1_000_000 } {
        let bits = random.bits();
        see(&mut random, f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
    }
}

#[test]
fn powers() {
    let mut worst = Worst::default();
    pairs(1, |random, x, any| {
        // Bases of all sizes and ones near 1; exponents that keep the result in range, whole ones, and any.
        let x = if any.to_bits() & 1 == 0 { x } else { f32::from_bits(0x3f80_0000 + (x.to_bits() >> 8) - (1 << 23)) };
        let fitting = ((random.unit() * 284.0 - 152.0) / f64::from(x.abs()).log2()) as f32;
        for y in [any, fitting, fitting.round()] {
            worst.see((x, y), math::pow(x, y), f64::from(x).powf(f64::from(y)));
        }
    });
    eprintln!("pow: {worst:?}");
    assert!(worst.ulps <= 1.0, "{worst:?}");
}

#[test]
fn whole_powers() {
    for n in -16..=16i32 {
        let mut worst = Worst::default();
        pairs(2, |_, x, _| {
            let exact = f64::from(x).powi(n);
            // The positive power is in range, too; the negative one is its reciprocal.
            if (1e-37..1e37).contains(&exact.abs()) {
                worst.see(x, math::powi(x, n), exact);
            }
        });
        assert!(worst.ulps <= f64::from(n.abs()), "{n}: {worst:?}");
    }
}

#[test]
fn lengths() {
    let mut worst = Worst::default();
    pairs(3, |random, x, any| {
        // Any two, and two of about the same size.
        let close = f32::from_bits(x.to_bits() ^ random.bits() as u32 >> (5 + random.bits() % 8));
        for y in [any, close] {
            worst.see((x, y), math::hypot(x, y), f64::from(x).hypot(f64::from(y)));
        }
    });
    eprintln!("hypot: {worst:?}");
    assert!(worst.ulps <= 1.1, "{worst:?}");
}
