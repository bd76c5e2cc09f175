//! What each atomic operation does to a number, and to a structure.

use crate::machines;
use test_kernels as k;

#[test]
fn operations_of_integers_do_what_they_say() {
    let (word, signed, (long, out)) = machines().same(|on| {
        let (mut word, mut signed) = (on.buffer(&[10u32; 11])?, on.buffer(&[-10i32; 3])?);
        let (mut long, mut out) = (on.buffer(&[10u64; 3])?, on.buffer(&[1u64])?);
        let args = k::atomic_integers::Args {
            word: word.view_mut(),
            signed: signed.view_mut(),
            long: long.view_mut(),
            out: out.view_mut(),
        };
        k::atomic_integers::launch(on, 1, args)?;
        Ok((word.download()?, signed.download()?, (long.download()?, out.download()?)))
    });
    assert_eq!(word, [9, 3, 30, 2, 14, 12, 99, 77, 10, 15, 7]);
    assert_eq!(signed, [-30, -10, -3]);
    assert_eq!(long, [10 + (1 << 40), 1 << 41, 1 << 42]);
    assert_eq!(out, [1015]);
}

#[test]
fn extremes_of_floats_are_those_of_numbers() {
    let machines = machines();
    let range = |first: f32, values: &[f32]| {
        let (lowest, highest) = machines.same(|on| {
            let (mut lowest, mut highest, values) = (on.buffer(&[first])?, on.buffer(&[first])?, on.buffer(values)?);
            let (low, high) = (lowest.view_mut(), highest.view_mut());
            let args = k::atomic_extremes::Args { lowest: low, highest: high, values: values.view() };
            k::atomic_extremes::launch(on, 1, args)?;
            Ok((lowest.download()?, highest.download()?))
        });
        [lowest[0].to_bits(), highest[0].to_bits()]
    };
    let bits = |low: f32, high: f32| [low.to_bits(), high.to_bits()];
    assert_eq!(range(0.5, &[1.0, -2.0, 3.0, -4.5]), bits(-4.5, 3.0));
    assert_eq!(range(-5.0, &[-1.0, -2.0, -7.5]), bits(-7.5, -1.0));
    assert_eq!(range(5.0, &[1.0, 2.0, 7.5]), bits(1.0, 7.5));
    assert_eq!(range(0.0, &[-0.0]), bits(-0.0, 0.0));
    assert_eq!(range(-0.0, &[0.0]), bits(-0.0, 0.0));
    assert_eq!(range(1.0, &[f32::NAN, -f32::NAN]), bits(1.0, 1.0));
    assert_eq!(range(1.0, &[f32::INFINITY, f32::NEG_INFINITY]), bits(f32::NEG_INFINITY, f32::INFINITY));
    assert_eq!(range(1.0, &[1e-45, -1e-45]), bits(-1e-45, 1.0));
}

#[test]
fn numbers_of_64_bits_have_all_operations() {
    let machines = machines();
    let run = |values: &[f64]| {
        let (mut double, long) = machines.same(|on| {
            let mut double = on.buffer(&[1.0f64, 0.5, 0.5, 0.0, 2.0, 2.0])?;
            let mut long = on.buffer(&[i64::MIN, 10, -10, 10, 10, 10, 10])?;
            let values = on.buffer(values)?;
            let (double_view, long_view) = (double.view_mut(), long.view_mut());
            let args = k::atomic_long_numbers::Args { double: double_view, long: long_view, values: values.view() };
            k::atomic_long_numbers::launch(on, 1, args)?;
            // Which NaN a sum is differs between machines.
            let double =
                double.download()?.into_iter().map(|x| if x.is_nan() { f64::NAN } else { x }).collect::<Vec<_>>();
            Ok((double, long.download()?))
        });
        assert_eq!(long, [i64::MAX, i64::MIN, -3, 2, 14, -11, i64::MAX]);
        assert_eq!(double.split_off(3), [-1.5, 9.0, 2.0]);
        double
    };
    assert_eq!(run(&[]), [1.0, 0.5, 0.5]);
    assert_eq!(run(&[1.0, -2.0, 3.0, -4.5]), [-1.5, -4.5, 3.0]);
    assert_eq!(run(&[1e300, -1e300]), [0.0, -1e300, 1e300]);
    assert_eq!(run(&[5e-324, -5e-324])[1..], [-5e-324, 0.5]);
    let found = run(&[f64::NAN]);
    assert!(found[0].is_nan() && found[1..] == [0.5, 0.5], "{found:?}");
}

#[test]
fn atomics_of_64_bits_have_the_bits_of_the_cpu() {
    let x: Vec<f64> = (0..3000).map(|i| f64::from(i * 7919 % 10_007) - 5000.0).collect();
    let (_, double, _) = machines().same(|on| {
        let (mut long, mut double) = (on.buffer(&[i64::MIN + 5, 0, 0, 0])?, on.buffer(&[0.5, 0.0, 0.0, 0.0, 0.0])?);
        let (mut own, x) = (on.zeroed::<f64>(32)?, on.buffer(&x)?);
        let (long_view, double_view) = (long.view_mut(), double.view_mut());
        let args = k::wide_atomics::Args { long: long_view, double: double_view, own: own.view_mut(), x: x.view() };
        k::wide_atomics::launch(on, 4, args)?;
        Ok((long.download()?, double.download()?, own.download()?))
    });
    assert_eq!((double[3], double[4]), (7.0, 1.5));
}

#[test]
fn structures_are_updated_as_a_whole() {
    let x: Vec<f32> = (0..2500).map(|i| (i * 7919 % 997) as f32).collect();
    let start = [k::Best { score: -1.0, index: 0 }, k::Best { score: 0.0, index: 0 }];
    let none = [k::Best { score: 0.0, index: 9 }; 3];
    let (best, own) = machines().same(|on| {
        let (mut best, mut own, x) = (on.buffer(&start)?, on.buffer(&none)?, on.buffer(&x)?);
        k::best_of::launch(on, 3, k::best_of::Args { best: best.view_mut(), own: own.view_mut(), x: x.view() })?;
        Ok((best.download()?, own.download()?))
    });
    let first = |x: &[f32], at| {
        let score = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        k::Best { score, index: at + x.iter().position(|x| *x == score).unwrap() as u32 }
    };
    assert_eq!(own, [first(&x[..1000], 0), first(&x[1000..2000], 1000), first(&x[2000..], 2000)]);
    let flips = (0..2500).fold(0, |bits, i| bits ^ (i % 1000));
    assert_eq!(best, [first(&x, 0), k::Best { score: 2500.0, index: flips }]);
}
