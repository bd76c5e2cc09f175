//! Exact results: rounding to integers, and remainders.

use crate::measure::{Random, Worst, every};
use cuda_std::math;

fn same(found: f32, expected: f32) -> bool {
    let expected = if expected.is_nan() { math::NAN } else { expected };
    found.to_bits() == expected.to_bits()
}

#[test]
fn integers_are_those_of_the_standard_library() {
    every(|_: &mut Worst<f32>, bits| {
        let x = f32::from_bits(bits);
        assert!(same(math::floor(x), x.floor()), "floor({x:e})");
        assert!(same(math::ceil(x), x.ceil()), "ceil({x:e})");
        assert!(same(math::trunc(x), x.trunc()), "trunc({x:e})");
        assert!(same(math::round(x), x.round()), "round({x:e})");
        assert!(same(math::round_ties_even(x), x.round_ties_even()), "round_ties_even({x:e})");
    });
}

#[test]
fn halves_and_their_neighbours_round_as_they_should() {
    for i in -10i16..=10 {
        let half = f32::from(i) + 0.5;
        for x in [half.next_down(), half, half.next_up()] {
            assert!(same(math::round(x), x.round()), "round({x:e})");
            assert!(same(math::round_ties_even(x), x.round_ties_even()), "round_ties_even({x:e})");
        }
    }
}

#[test]
fn rests_are_exact() {
    let mut random = Random::new(4);
    let ends = [0.0, f32::from_bits(1), f32::MIN_POSITIVE, 1.0, 3.0, 1e10, f32::MAX, f32::INFINITY, f32::NAN];
    let signed = |x: f32| [x, -x];
    let mut pairs: Vec<(f32, f32)> = ends
        .iter()
        .flat_map(|x| ends.iter().map(move |y| (*x, *y)))
        .flat_map(|(x, y)| signed(x).map(|x| (x, y)))
        .collect();
    for _ in 0..300_000 {
        let bits = random.bits();
        let (x, y) = (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
        pairs.extend([(x, y), (x, f32::from_bits(x.to_bits() ^ (y.to_bits() >> 5)))]);
    }
    for (x, y) in pairs {
        for y in signed(y) {
            assert!(same(math::rem(x, y), x % y), "rem({x:e}, {y:e}) is {:e}", math::rem(x, y));
            assert!(same(math::rem_euclid(x, y), x.rem_euclid(y)), "rem_euclid({x:e}, {y:e})");
        }
    }
}
