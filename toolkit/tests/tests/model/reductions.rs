//! The documented order of operations in reductions, written again as loops.

use crate::{machines, one_segment};
use cuda_std::prelude::*;
use test_kernels as k;
use toolkit_tests::device::Machines;

/// The value of slot `i` after the passes with strides down to `stride`. The number of slots is a power of two.
fn halved(slots: &[u32], i: usize, stride: usize) -> u32 {
    if stride == slots.len() {
        slots[i]
    } else {
        k::mix(halved(slots, i, stride * 2), halved(slots, i + stride, stride * 2))
    }
}

/// The slots of interleaved values: slot `s` of `n` combines values `s`, `s + n`, ..
fn slots(values: &[u32], n: usize) -> Vec<u32> {
    (0..n).map(|s| values.iter().skip(s).step_by(n).fold(0, |a, b| k::mix(a, *b))).collect()
}

fn block_tree(values: &[u32]) -> u32 {
    let groups: Vec<u32> = slots(values, 1024).chunks(32).map(|group| halved(group, 0, 1)).collect();
    halved(&groups, 0, 1)
}

fn values(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7 | 1).collect()
}

#[test]
fn blocks_reduce_by_the_tree_that_is_promised_whatever_their_size() {
    fn check<const N: usize>(machines: &Machines, all: &[u32], expected: u32)
    where
        k::reduced::Kernel<N>: k::reduced::Instance,
    {
        let n = all.len() - 3;
        let offsets = one_segment(all.len());
        let (results, memory) = machines.same(|on| {
            let (offsets, values) = (on.offsets(&offsets)?, on.buffer(all)?);
            let (mut results, mut memory) = (on.zeroed::<u32>(3)?, on.zeroed::<u32>(all.len())?);
            let args = k::reduced::Args {
                results: results.view_mut(),
                memory: Segments { data: memory.view_mut(), offsets: &offsets },
                values: values.view(),
                n: n as u32,
            };
            k::reduced::launch::<N, _>(on, 1, args)?;
            Ok((results.download()?, memory.download()?))
        });
        assert_eq!(results, [expected; 3], "{n} values, {N} threads");
        assert_eq!(memory[..n], all[..n], "{n} values, {N} threads");
        assert_eq!(memory[n..], [0; 3], "{n} values, {N} threads: nothing else is written");
    }
    let machines = machines();
    for n in [0, 1, 2, 31, 32, 33, 63, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 5000] {
        let all = values(n + 3);
        let expected = block_tree(&all[..n]);
        check::<32>(&machines, &all, expected);
        check::<64>(&machines, &all, expected);
        check::<96>(&machines, &all, expected);
        check::<128>(&machines, &all, expected);
        check::<160>(&machines, &all, expected);
        check::<256>(&machines, &all, expected);
        check::<512>(&machines, &all, expected);
        check::<768>(&machines, &all, expected);
        check::<992>(&machines, &all, expected);
        check::<1024>(&machines, &all, expected);
    }
}

/// The order for sums of floats: another order rounds differently.
#[test]
fn sums_have_the_bits_of_the_tree() {
    let values: Vec<f32> = (0..3000).map(|i| 1.0 / (1.0 + i as f32) * if i % 3 == 0 { -1e3 } else { 1.0 }).collect();
    let mut slots = vec![0.0f32; 1024];
    for (s, slot) in slots.iter_mut().enumerate() {
        *slot = values[s];
        values[s..].iter().step_by(1024).skip(1).for_each(|x| *slot += x);
    }
    let tree = |slots: &[f32]| {
        let mut slots = slots.to_vec();
        while slots.len() > 1 {
            let (low, high) = slots.split_at(slots.len() / 2);
            slots = low.iter().zip(high).map(|(a, b)| a + b).collect();
        }
        slots[0]
    };
    let expected = tree(&slots.chunks(32).map(tree).collect::<Vec<_>>());
    let out = machines().same(|on| {
        let (values, mut out) = (on.buffer(&values)?, on.zeroed::<f32>(2)?);
        k::float_sums::launch(on, 1, k::float_sums::Args { out: out.view_mut(), values: values.view() })?;
        out.download()
    });
    assert_eq!([out[0].to_bits(), out[1].to_bits()], [expected.to_bits(); 2]);
    assert_ne!(out[0], values.iter().sum::<f32>(), "or this test would not see an order");
}

#[test]
fn teams_reduce_by_interleaved_slots() {
    let (machines, values) = (machines(), values(200));
    let offsets = one_segment(values.len() + 1);
    for lanes in [1, 2, 4, 8, 16, 32] {
        let out = machines.same(|on| {
            let (offsets, input) = (on.offsets(&offsets)?, on.buffer(&values)?);
            let mut out = on.zeroed::<[u32; 3]>(values.len() + 1)?;
            let segments = Segments { data: out.view_mut(), offsets: &offsets };
            k::team_sums::launch(on, 1, k::team_sums::Args { out: segments, values: input.view(), lanes })?;
            out.download()
        });
        for (i, found) in out.iter().enumerate() {
            let expected = halved(&slots(&values[..i], lanes as usize), 0, 1);
            assert_eq!(found, &[expected; 3], "{i} values, {lanes} lanes");
        }
    }
}

/// Numbers of both signs, and weights that shrink as they grow.
fn weighted(n: u32) -> (Vec<f32>, Vec<f32>) {
    let x: Vec<f32> = values(n as usize).iter().map(|x| (*x as f32).sqrt() - 3e3).collect();
    let weights = x.iter().rev().map(|x| 1.0 / x).collect();
    (x, weights)
}

/// A block sums 300 elements.
const PER_BLOCK: u32 = 300;

#[test]
fn parts_are_added_in_the_order_of_steps() {
    let machines = machines();
    let run = |x: &[f32], weights: &[f32], n: u32| {
        machines.same(|on| {
            let (x, weights, mut out) = (on.buffer(x)?, on.buffer(weights)?, on.zeroed::<[f32; 4]>(n as usize + 1)?);
            let args = k::sums_of_pairs::Args { out: out.view_mut(), x: x.view(), weights: weights.view() };
            k::sums_of_pairs::launch(on, (n + 1).div_ceil(PER_BLOCK), args)?;
            out.download()
        })
    };
    for n in [1u32, 33, 200, 299, 700] {
        let (x, weights) = weighted(n);
        let sums = run(&x, &weights, n);
        for (i, [a, b, c, d]) in sums.iter().enumerate() {
            assert_eq!([c.to_bits(), d.to_bits()], [a.to_bits(), b.to_bits()], "{i} of {n} values");
        }
        let terms = || x.iter().zip(&weights).map(|(x, weight)| f64::from(*x) * f64::from(*weight).powi(2));
        let (exact, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        assert!((f64::from(sums[n as usize][1]) - exact).abs() <= 1e-5 * size, "{n}: {exact}");
    }
}

#[test]
fn near_parts_are_added_in_the_order_of_steps() {
    let machines = machines();
    for n in [1u32, 33, 200, 299, 700] {
        let (x, weights) = weighted(n);
        for lanes in [8, 16, 32] {
            let sums = machines.same(|on| {
                let (x, weights) = (on.buffer(&x)?, on.buffer(&weights)?);
                let mut out = on.zeroed::<[f32; 6]>(n as usize + 1)?;
                let args = k::sums_of_near::Args { out: out.view_mut(), x: x.view(), weights: weights.view(), lanes };
                k::sums_of_near::launch(on, (n + 1).div_ceil(PER_BLOCK), args)?;
                out.download()
            });
            for (i, sums) in sums.iter().map(|sums| sums.map(f32::to_bits)).enumerate() {
                assert_eq!(sums[..3], sums[3..], "{i} of {n} values, {lanes} lanes");
            }
            let near = || (0u32..).zip(&x).zip(&weights).filter(|((j, x), _)| k::is_near(*j, **x));
            let sum = |values: &mut dyn Iterator<Item = f64>| {
                values.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
            };
            let exact = [
                sum(&mut x.iter().map(|x| f64::from(*x).powi(2))),
                sum(&mut near().map(|((_, x), _)| f64::from(*x))),
                sum(&mut near().map(|(_, weight)| f64::from(*weight))),
            ];
            for (found, (exact, size)) in sums[n as usize].iter().zip(exact) {
                assert!(
                    (f64::from(*found) - exact).abs() <= 1e-5 * size,
                    "{n} values, {lanes} lanes: {found}, not {exact}"
                );
            }
        }
    }
}

#[test]
fn parts_of_elements_that_do_not_exist_are_not_added() {
    let machines = machines();
    let (x, weights) = weighted(200);
    for (x, weights) in [(&x[..100], &weights[..]), (&x[..], &weights[..100])] {
        machines.panic(|on| {
            let (x, weights, mut out) = (on.buffer(x)?, on.buffer(weights)?, on.zeroed::<[f32; 4]>(201)?);
            let args = k::sums_of_pairs::Args { out: out.view_mut(), x: x.view(), weights: weights.view() };
            k::sums_of_pairs::launch(on, 1, args)?;
            out.download()
        });
        for lanes in [8, 16, 32] {
            machines.panic(|on| {
                let (x, weights, mut out) = (on.buffer(x)?, on.buffer(weights)?, on.zeroed::<[f32; 6]>(201)?);
                let args = k::sums_of_near::Args { out: out.view_mut(), x: x.view(), weights: weights.view(), lanes };
                k::sums_of_near::launch(on, 1, args)?;
                out.download()
            });
        }
    }
}

#[test]
fn values_may_have_eight_words() {
    let out = machines().same(|on| {
        let mut out = on.zeroed::<[u32; 8]>(1)?;
        k::wide_sum::launch(on, 1, k::wide_sum::Args { out: out.view_mut(), n: 1500 })?;
        out.download()
    });
    assert_eq!(out[0], core::array::from_fn(|k| 1500 * 1499 / 2 * k as u32));
}
