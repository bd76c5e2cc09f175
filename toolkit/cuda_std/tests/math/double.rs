//! `cuda_std::math::f64`: reference values of many digits, special values, and exact results.

use crate::measure::Random;
use cuda_std::math::f64 as double;
use cuda_std::math::f64::NAN;

/// What `line` of the table gives: name, operands, the correctly rounded result.
fn parse(line: &str) -> (&str, f64, f64, f64) {
    let mut words = line.split(' ');
    let name = words.next().unwrap();
    let numbers: Vec<f64> = words.map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap())).collect();
    (name, numbers[0], numbers[1], numbers[numbers.len() - 1])
}

#[test]
fn results_are_within_their_bounds() {
    let table = include_str!("reference_f64.txt");
    let mut lines = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (name, x, y, expected) = parse(line);
        let (found, bound) = match name {
            "exp" => (double::exp(x), 1),
            "exp2" => (double::exp2(x), 1),
            "exp_m1" => (double::exp_m1(x), 1),
            "ln" => (double::ln(x), 1),
            "log2" => (double::log2(x), 1),
            "log10" => (double::log10(x), 1),
            "ln_1p" => (double::ln_1p(x), 1),
            "sin" => (double::sin(x), 1),
            "cos" => (double::cos(x), 1),
            "tan" => (double::tan(x), 1),
            "asin" => (double::asin(x), 1),
            "acos" => (double::acos(x), 1),
            "atan" => (double::atan(x), 1),
            "atan2" => (double::atan2(x, y), 1),
            "sinh" => (double::sinh(x), 2),
            "cosh" => (double::cosh(x), 2),
            "tanh" => (double::tanh(x), 2),
            "exp10" => (double::exp10(x), 1),
            "asinh" => (double::asinh(x), 2),
            "acosh" => (double::acosh(x), 2),
            "atanh" => (double::atanh(x), 2),
            "erf" => (double::erf(x), 1),
            "erfc" => (double::erfc(x), 2),
            "tgamma" => (double::tgamma(x), 4),
            "lgamma" => (double::lgamma(x), 2),
            "sinpi" => (double::sinpi(x), 2),
            "cospi" => (double::cospi(x), 2),
            "pow" => (double::pow(x, y), 1),
            "cbrt" => (double::cbrt(x), 0),
            "hypot" => (double::hypot(x, y), 1),
            other => panic!("a line for {other}"),
        };
        // The distance in floats: at most n for an error below n ulp.
        let apart = found.to_bits().abs_diff(expected.to_bits());
        assert!(apart <= bound, "{line}: {found:e} is {apart} numbers from {expected:e}");
        lines += 1;
    }
    assert!(lines > 250, "the table has {lines} lines");
}

#[test]
fn special_values_are_those_of_c99() {
    const INF: f64 = f64::INFINITY;
    let pi = std::f64::consts::PI;
    let cases = [
        ("exp", double::exp(-INF), 0.0),
        ("exp", double::exp(710.0), INF),
        ("exp2", double::exp2(-1074.0), f64::from_bits(1)),
        ("exp_m1", double::exp_m1(-0.0), -0.0),
        ("ln", double::ln(0.0), -INF),
        ("ln", double::ln(-1.0), NAN),
        ("log2", double::log2(8.0), 3.0),
        ("log10", double::log10(-INF), NAN),
        ("ln_1p", double::ln_1p(-1.0), -INF),
        ("sin", double::sin(-0.0), -0.0),
        ("sin", double::sin(INF), NAN),
        ("cos", double::cos(-INF), NAN),
        ("tan", double::tan(INF), NAN),
        ("asin", double::asin(1.5), NAN),
        ("acos", double::acos(-1.0), pi),
        ("atan", double::atan(INF), pi / 2.0),
        ("atan2", double::atan2(-0.0, -1.0), -pi),
        ("atan2", double::atan2(0.0, 0.0), 0.0),
        ("atan2", double::atan2(INF, INF), pi / 4.0),
        ("sinh", double::sinh(-INF), -INF),
        ("cosh", double::cosh(-INF), INF),
        ("tanh", double::tanh(-INF), -1.0),
        ("pow", double::pow(NAN, 0.0), 1.0),
        ("pow", double::pow(-8.0, 1.0 / 3.0), NAN),
        ("pow", double::pow(-0.0, -3.0), -INF),
        ("cbrt", double::cbrt(-27.0), -3.0),
        ("hypot", double::hypot(NAN, -INF), INF),
        ("hypot", double::hypot(f64::MAX, 1.0), f64::MAX),
        ("rsqrt", double::rsqrt(-1.0), NAN),
        ("recip", double::recip(-0.0), -INF),
        ("asinh", double::asinh(-INF), -INF),
        ("acosh", double::acosh(0.5), NAN),
        ("atanh", double::atanh(-1.0), -INF),
        ("exp10", double::exp10(-400.0), 0.0),
        ("erf", double::erf(-INF), -1.0),
        ("erfc", double::erfc(30.0), 0.0),
        ("tgamma", double::tgamma(-0.0), -INF),
        ("tgamma", double::tgamma(-3.0), NAN),
        ("tgamma", double::tgamma(172.0), INF),
        ("lgamma", double::lgamma(-3.0), INF),
        ("sinpi", double::sinpi(-1e300), -0.0),
        ("sinpi", double::sinpi(INF), NAN),
        ("cospi", double::cospi(-2.5), 0.0),
        ("cospi", double::cospi(1.0), -1.0),
        ("ldexp", double::ldexp(3.0, -1076), f64::from_bits(1)),
        ("ldexp", double::ldexp(f64::from_bits(1), 2097), 2f64.powi(1023)),
        ("ldexp", double::ldexp(-1.0, i32::MAX), -INF),
        ("ldexp", double::ldexp(NAN, i32::MIN), NAN),
        ("rem", double::rem(1e300, 0.0), NAN),
        ("rem", double::rem(-6.0, 3.0), -0.0),
        ("powi", double::powi(-2.0, -3), -0.125),
        ("canonical", double::canonical(-f64::NAN), NAN),
        ("smaller", double::smaller(NAN, 1.0), 1.0),
        ("larger", double::larger(NAN, 1.0), 1.0),
    ];
    for (name, found, expected) in cases {
        assert_eq!(found.to_bits(), expected.to_bits(), "{name}: {found:e}, not {expected:e}");
    }
}

/// Numbers of any bits: no panic where integers inside overflow, a known NaN, and results near those of the platform.
#[test]
fn exponents_are_taken_off_and_put_on() {
    let tiny = f64::from_bits(1);
    for (x, expected) in [
        (12.0, (0.75, 4)),
        (f64::MAX, (1.0f64.next_down(), 1024)),
        (-tiny, (-0.5, -1073)),
        (f64::MIN_POSITIVE, (0.5, -1021)),
        (-0.0, (-0.0, 0)),
        (f64::NEG_INFINITY, (f64::NEG_INFINITY, 0)),
    ] {
        let (fraction, exponent) = double::frexp(x);
        assert_eq!((fraction.to_bits(), exponent), (f64::to_bits(expected.0), expected.1), "{x:e}");
        assert_eq!(double::ldexp(fraction, exponent).to_bits(), x.to_bits(), "{x:e}");
    }
    // Ties to even, once.
    assert_eq!([double::ldexp(1.5, -1074), double::ldexp(2.5, -1074)], [2.0 * tiny; 2]);
    assert_eq!(double::ldexp(1.0f64.next_up(), -1075), tiny);
}

#[test]
fn any_bits_give_what_the_platform_gives() {
    type One = fn(f64) -> f64;
    let functions: [(&str, One, One); 17] = [
        ("exp", double::exp, f64::exp),
        ("exp2", double::exp2, f64::exp2),
        ("exp_m1", double::exp_m1, f64::exp_m1),
        ("ln", double::ln, f64::ln),
        ("log2", double::log2, f64::log2),
        ("log10", double::log10, f64::log10),
        ("ln_1p", double::ln_1p, f64::ln_1p),
        ("sin", double::sin, f64::sin),
        ("cos", double::cos, f64::cos),
        ("tan", double::tan, f64::tan),
        ("asin", double::asin, f64::asin),
        ("acos", double::acos, f64::acos),
        ("atan", double::atan, f64::atan),
        ("sinh", double::sinh, f64::sinh),
        ("cosh", double::cosh, f64::cosh),
        ("tanh", double::tanh, f64::tanh),
        ("cbrt", double::cbrt, f64::cbrt),
    ];
    let mut random = Random::new(5);
    for round in 0..20_000 {
        let any = f64::from_bits(random.bits());
        // Random bits are mostly huge or tiny numbers.
        let x = if round % 2 == 0 { any } else { (random.unit() - 0.5) * 2f64.powi((random.bits() % 24) as i32 - 12) };
        let y = f64::from_bits(random.bits());
        for (name, own, platform) in functions {
            assert_near(name, own(x), platform(x), x);
        }
        let (sin, cos) = double::sin_cos(x);
        assert_eq!((sin.to_bits(), cos.to_bits()), (double::sin(x).to_bits(), double::cos(x).to_bits()), "{x:e}");
        assert_near("atan2", double::atan2(x, y), x.atan2(y), x);
        assert_near("hypot", double::hypot(x, y), x.hypot(y), x);
        for y in [y, (y.to_bits() % 64) as f64 - 32.0] {
            assert_near("pow", double::pow(x, y), x.powf(y), x);
        }
        assert_exact("rem", double::rem(x, y), x % y, x);
        assert_exact("rem_euclid", double::rem_euclid(x, y), x.rem_euclid(y), x);
        assert_exact("floor", double::floor(x), x.floor(), x);
        assert_exact("ceil", double::ceil(x), x.ceil(), x);
        assert_exact("trunc", double::trunc(x), x.trunc(), x);
        assert_exact("round", double::round(x), x.round(), x);
        assert_exact("round_ties_even", double::round_ties_even(x), x.round_ties_even(), x);
        assert_exact("sqrt", double::canonical(double::sqrt(x)), x.sqrt(), x);
    }
}

fn assert_exact(name: &str, found: f64, expected: f64, x: f64) {
    let expected = double::canonical(expected);
    assert_eq!(found.to_bits(), expected.to_bits(), "{name}({x:e}) is {found:e}, not {expected:e}");
}

fn assert_near(name: &str, found: f64, expected: f64, x: f64) {
    if expected.is_nan() {
        return assert_exact(name, found, expected, x);
    }
    let apart = found.to_bits().abs_diff(expected.to_bits());
    assert!(apart <= 3, "{name}({x:e}) is {found:e}, {apart} numbers from {expected:e}");
}
