//! 16-bit floats on CPU cores, compared with the crate `half` and with exact arithmetic.

use cuda_std::prelude::*;

/// The finite values of a format from 0 on, in their order, as multiples of `2^-64` where those are whole.
fn exact_values(mantissa: u32) -> Vec<(u16, i128)> {
    let bias = (1i32 << (14 - mantissa)) - 1;
    let mut values = Vec::new();
    for bits in 0..0x7fffu16 << mantissa & 0x7fff {
        let (exponent, fraction) = (i32::from(bits >> mantissa), i128::from(bits & ((1 << mantissa) - 1)));
        let (significand, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << mantissa, exponent) };
        let shift = exponent - bias - mantissa as i32 + 64;
        if significand == 0 || (0..110).contains(&shift) {
            values.push((bits, if significand == 0 { 0 } else { significand << shift }));
        }
    }
    values
}

/// The nearest value, ties to even; `above` from half a step beyond the last value on.
fn nearest(values: &[(u16, i128)], exact: i128, above: u16) -> u16 {
    let sign = if exact < 0 { 0x8000 } else { 0 };
    let size = exact.abs();
    let next = values.partition_point(|(_, value)| *value <= size);
    let (bits, value) = values[next - 1];
    let (upper_bits, upper) = values.get(next).copied().unwrap_or_else(|| {
        // As if there were larger exponents.
        let step = value - values[next - 2].1;
        (above, value + step)
    });
    let (down, up) = (size - value, upper - size);
    sign | if down < up || down == up && bits % 2 == 0 { bits } else { upper_bits }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn every_value_widens_as_it_does_in_the_crate_half() {
    for bits in 0..=u16::MAX {
        let (x, y) = (f16::from_bits(bits), half::f16::from_bits(bits));
        assert_eq!((x.is_nan(), x.is_finite()), (y.is_nan(), y.is_finite()), "{bits:#x}");
        if y.is_nan() {
            assert_eq!(x.to_f32().to_bits(), 0x7fff_ffff);
            assert_eq!(f16::from_f32(x.to_f32()).to_bits(), f16::NAN.to_bits());
        } else {
            assert_eq!(x.to_f32().to_bits(), y.to_f32().to_bits(), "{bits:#x}");
            assert_eq!(f16::from_f32(x.to_f32()).to_bits(), bits);
            assert_eq!(f16::from_f64(f64::from(x)).to_bits(), bits);
        }
        let (x, y) = (bf16::from_bits(bits), half::bf16::from_bits(bits));
        assert_eq!((x.is_nan(), x.is_finite()), (y.is_nan(), y.is_finite()), "{bits:#x}");
        assert_eq!(x.to_f32().to_bits(), u32::from(bits) << 16);
        if !y.is_nan() {
            assert_eq!(x.to_f32().to_bits(), y.to_f32().to_bits());
            assert_eq!([bf16::from_f32(x.to_f32()), bf16::from_f64(x.into())].map(bf16::to_bits), [bits; 2]);
        }
        assert_eq!(half::f16::from(f16::from_bits(bits)).to_bits(), bits);
        assert_eq!(bf16::from(half::bf16::from_bits(bits)).to_bits(), bits);
    }
}

/// Every float, or every 977th and all at or next to the middle between two 16-bit values.
#[test]
fn floats_narrow_as_they_do_in_the_crate_half() {
    let check = |bits: u32| {
        let x = f32::from_bits(bits);
        let found = [f16::from_f32(x).to_bits(), bf16::from_f32(x).to_bits()];
        if x.is_nan() {
            assert_eq!(found, [0x7fff; 2], "{bits:#x}");
        } else {
            let expected = [half::f16::from_f32(x).to_bits(), half::bf16::from_f32(x).to_bits()];
            assert_eq!(found, expected, "{bits:#x}");
            assert_eq!([f16::from_f64(x.into()).to_bits(), bf16::from_f64(x.into()).to_bits()], expected, "{bits:#x}");
        }
    };
    let step = if std::env::var_os("CUDA_WIDE").is_some_and(|value| value == "1") { 1 } else { 977 };
    (0..=u32::MAX).step_by(step).for_each(check);
    for bits in 0..0x7f80u16 {
        let middle =
            f64::midpoint(bf16::from_bits(bits).into(), bf16::from_bits(bits + 1).to_f32().min(f32::MAX).into());
        (-1..2).for_each(|by| check((middle as f32).to_bits().wrapping_add_signed(by)));
    }
    for bits in 0..0x7c00u16 {
        let [low, high] =
            [bits, bits + 1].map(|bits| if bits == 0x7c00 { 65_536.0 } else { f16::from_bits(bits).to_f32() });
        let middle = f32::midpoint(low, high);
        (-1..2).for_each(|by| check(middle.to_bits().wrapping_add_signed(by)));
        (-1..2).for_each(|by| check((-middle).to_bits().wrapping_add_signed(by)));
    }
}

/// An `f64` is rounded once. By way of `f32` some would be rounded twice.
#[test]
fn doubles_are_rounded_once() {
    let values = exact_values(10);
    let mut dice = Dice(1);
    for _ in 0..200_000 {
        // Near the middle of two values: by less than an f32 can tell.
        let bits = dice.below(0x7bff) as u16;
        let middle = f64::midpoint(f16::from_bits(bits).into(), f16::from_bits(bits + 1).into());
        let x = f64::from_bits(middle.to_bits().wrapping_add(dice.below(1 << 24)).wrapping_sub(1 << 23));
        let scaled = x * f64::powi(2.0, 64);
        // What lies below 2^-64 only says on which side of the middle it is.
        let exact = if scaled.fract() == 0.0 { scaled as i128 } else { scaled.floor() as i128 };
        let expected = if scaled.fract() == 0.0 || x < middle {
            nearest(&values, exact, 0x7c00)
        } else {
            nearest(&values, exact + 1, 0x7c00)
        };
        assert_eq!(f16::from_f64(x).to_bits(), expected, "{x:e}");
        assert_eq!(f16::from_f64(-x).to_bits(), expected | 0x8000);
    }
    assert_eq!([1e300, -1e300, 1e-300, -1e-310].map(|x| f16::from_f64(x).to_bits()), [0x7c00, 0xfc00, 0, 0x8000]);
}

/// Sums, products and `x y + z` are nearest to the exact results, for all kinds of `f16`, and for `bf16` with exponents that 128
/// bits can hold.
#[test]
fn arithmetic_rounds_once() {
    let mut dice = Dice(2);
    let (values, wide) = (exact_values(10), exact_values(7));
    let integer = |x: f64, scale: i32| (x * f64::powi(2.0, scale)) as i128;
    for turn in 0..400_000 {
        // All bits; or numbers near each other, whose sums cancel.
        let draw = |dice: &mut Dice| match turn % 3 {
            0 => dice.below(1 << 16) as u16,
            1 => (0x3400 + dice.below(0xc00) as u16) | (dice.below(2) as u16) << 15,
            _ => {
                [dice.below(0x20) as u16, 0x7bff - dice.below(0x400) as u16, 0x0400 + dice.below(16) as u16]
                    [dice.below(3) as usize]
                    | (dice.below(2) as u16) << 15
            }
        };
        let [x, y, z] = [0; 3].map(|_| f16::from_bits(draw(&mut dice)));
        let results = [x + y, x - y, x * y, x.fma(y, z)];
        if [x, y, z].iter().all(|x| x.is_finite()) {
            let [a, b, c] = [x, y, z].map(|x| integer(x.into(), 24));
            let product = a * b;
            let exact = [(a + b) << 40, (a - b) << 40, product << 16, (product + (c << 24)) << 16];
            for (found, exact) in results.iter().zip(exact) {
                let expected = nearest(&values, exact, 0x7c00);
                // The sign of an exact zero has a test of its own.
                let mask = if exact == 0 { 0x7fff } else { 0xffff };
                assert_eq!(found.to_bits() & mask, expected & mask, "{x:?} {y:?} {z:?}: {results:?}");
            }
        }
        let draw = |dice: &mut Dice, low: u64, high: u64| {
            ((low + dice.below(high - low)) << 7 | dice.below(128)) as u16 | (dice.below(2) as u16) << 15
        };
        let [x, y] = [0; 2].map(|_| bf16::from_bits(draw(&mut dice, 107, 147)));
        let z = bf16::from_bits(draw(&mut dice, 82, 172));
        let [a, b, c] = [(x, 27), (y, 27), (z, 54)].map(|(x, scale)| integer(x.into(), scale));
        let exact = [(a + b) << 37, (a - b) << 37, (a * b) << 10, ((a * b) + c) << 10];
        for (found, exact) in [x + y, x - y, x * y, x.fma(y, z)].iter().zip(exact) {
            let expected = nearest(&wide, exact, u16::MAX);
            let mask = if exact == 0 { 0x7fff } else { 0xffff };
            assert_eq!(found.to_bits() & mask, expected & mask, "{x:?} {y:?} {z:?}");
        }
    }
    // What lies far below the last bit still says to which side a middle is rounded: 1 + 2^-8 and a little.
    let [x, y] = [1.0 + 1.0 / 128.0, 1.0 - 1.0 / 256.0].map(bf16::from_f32);
    let middle = f64::from(x) * f64::from(y);
    for (tiny, exact) in [(1e-38f32, middle + 1e-30), (-1e-38, middle - 1e-30)] {
        assert_eq!(x.fma(y, bf16::from_f32(tiny)), bf16::from_f64(exact));
    }
    let [x, y] = [1.0 + 1.0 / 16.0, 1.0 + 1.0 / 16.0 + 1.0 / 128.0].map(bf16::from_f32);
    let half_a_step = bf16::from_f64(f64::powi(2.0, -8) + f64::powi(2.0, -9));
    for tiny in [bf16::MIN_POSITIVE, -bf16::MIN_POSITIVE] {
        let sum = x * y + half_a_step;
        let exact = f64::from(x) * f64::from(y) + f64::from(tiny);
        assert_eq!((x.fma(y, tiny), sum.is_finite()), (bf16::from_f64(exact), true));
    }
}

#[test]
fn zeroes_infinities_and_nans_are_those_of_ieee_754() {
    let signs = |x: f32, y: f32, z: f32| {
        let [a, b, c] = [x, y, z].map(f16::from_f32);
        let [d, e, f] = [x, y, z].map(bf16::from_f32);
        let found = [a + b, a - b, a * b, a.fma(b, c)].map(f16::to_f32);
        assert_eq!(
            [d + e, d - e, d * e, d.fma(e, f)].map(|x| x.to_f32().to_bits() & 0xff80_0000),
            found.map(|x| x.to_bits() & 0xff80_0000)
        );
        for (found, expected) in found.iter().zip([x + y, x - y, x * y, x.mul_add(y, z)]) {
            if expected.is_nan() {
                assert!(found.is_nan(), "{x} {y} {z}");
            } else {
                assert_eq!(found.to_bits(), expected.to_bits(), "{x} {y} {z}");
            }
        }
    };
    let values = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for x in values {
        for y in values {
            values.iter().for_each(|z| signs(x, y, *z));
        }
    }
    assert_eq!((f16::INFINITY - f16::INFINITY).to_bits(), 0x7fff);
    assert_eq!((f16::MAX + f16::MAX).to_bits(), f16::INFINITY.to_bits());
    assert_eq!((bf16::MAX * bf16::MAX).to_bits(), bf16::INFINITY.to_bits());
    let [zero, minus] = [f16::ZERO, -f16::ZERO];
    assert_eq!(
        [zero.min(minus), minus.min(zero), zero.max(minus), minus.max(zero)].map(f16::to_bits),
        [0x8000, 0x8000, 0, 0]
    );
    let other = f16::from_bits(0x7c01);
    assert_eq!([other.min(f16::ONE), f16::ONE.max(other)], [f16::ONE; 2]);
    assert_eq!([other.min(other), other.max(f16::NAN)].map(f16::to_bits), [0x7fff; 2]);
    assert!(f16::NAN != f16::NAN && f16::from_f32(-1.0) < f16::ZERO && zero == minus);
    assert_eq!(f16::EPSILON.to_f32(), half::f16::EPSILON.to_f32());
    assert_eq!(
        [f16::MIN_POSITIVE, f16::MAX].map(f16::to_f32),
        [half::f16::MIN_POSITIVE, half::f16::MAX].map(f32::from)
    );
    assert_eq!(
        [bf16::MIN_POSITIVE, bf16::MAX, bf16::EPSILON].map(bf16::to_f32),
        [half::bf16::MIN_POSITIVE, half::bf16::MAX, half::bf16::EPSILON].map(f32::from)
    );
}

#[test]
fn pairs_and_eights_are_single_numbers_side_by_side() {
    let mut dice = Dice(3);
    for _ in 0..20_000 {
        let [x, y, z] = [0; 3].map(|_| [0; 2].map(|_| f16::from_bits(dice.below(1 << 16) as u16)));
        let [a, b, c] = [x, y, z].map(|[low, high]| f16x2::new(low, high));
        let single = |f: &dyn Fn(f16, f16, f16) -> f16| [0, 1].map(|k| f(x[k], y[k], z[k]).to_bits());
        let both = |pair: f16x2| pair.to_array().map(f16::to_bits);
        assert_eq!(both(a + b), single(&|x, y, _| x + y));
        assert_eq!(both(a - b), single(&|x, y, _| x - y));
        assert_eq!(both(a * b), single(&|x, y, _| x * y));
        assert_eq!(both(a.fma(b, c)), single(&f16::fma));
        assert_eq!(both(a.min(b)), single(&|x, y, _| x.min(y)));
        assert_eq!(both(a.max(b)), single(&|x, y, _| x.max(y)));
        assert_eq!(both(-a.abs()), single(&|x, _, _| -x.abs()));
        let eight = f16x8::new([a, b, c, a]);
        assert_eq!(bytemuck::cast::<_, [u16; 8]>(eight), eight.to_array().map(f16::to_bits));
        assert_eq!((eight * eight).pairs()[2].to_bits(), (c * c).to_bits());
    }
}

#[test]
fn vectors_are_read_wherever_a_slice_begins() {
    let words: Vec<u16> = (0..100).collect();
    for first in 0..9 {
        let vectors = Vectors::<_, 8>::of(&words[first..]);
        assert_eq!(vectors.len(), (100 - first as u32) / 8);
        assert_eq!(vectors.get(3)[7], first as u16 + 31);
        assert_eq!(Vectors::<_, 2>::of(&words[first..]).get(5), [10, 11].map(|k| k + first as u16));
    }
    let short: &[u16] = &words[..7];
    assert!(Vectors::<_, 8>::of(short).is_empty());
    assert!(std::panic::catch_unwind(|| Vectors::<_, 8>::of(short).get(0)).is_err());
}
