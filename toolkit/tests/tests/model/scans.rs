//! Prefix sums follow the documented tree; votes and reductions of threads.

use crate::{machines, numbers, one_segment};
use cuda_host::{Buffer, CudaError, Machine};
use cuda_std::prelude::*;
use test_kernels as k;
use toolkit_tests::device::Machines;
use toolkit_tests::dice::bits;

/// The documented tree, written again: groups of 32, rounds of 32 groups, a carry from round to round. The last of each is the total.
fn expected(input: &[f32]) -> [Vec<f32>; 2] {
    fn scan(values: &[f32]) -> [f32; 32] {
        let mut now = [0.0; 32];
        now[..values.len()].copy_from_slice(values);
        for below in [1, 2, 4, 8, 16] {
            let old = now;
            (below..32).for_each(|k| now[k] = old[k - below] + old[k]);
        }
        now
    }
    let (mut inclusive, mut exclusive, mut carry) = (Vec::new(), Vec::new(), 0.0);
    for round in input.chunks(1024) {
        let groups: Vec<_> = round.chunks(32).map(scan).collect();
        let totals = scan(&groups.iter().map(|group| group[31]).collect::<Vec<_>>());
        for (i, _) in round.iter().enumerate() {
            let (group, k) = (i / 32, i % 32);
            let prefix = carry + if group == 0 { 0.0 } else { totals[group - 1] };
            inclusive.push(prefix + groups[group][k]);
            exclusive.push(prefix + if k == 0 { 0.0 } else { groups[group][k - 1] });
        }
        carry += totals[31];
    }
    inclusive.push(carry);
    exclusive.push(carry);
    [inclusive, exclusive]
}

const LENGTHS: [u32; 12] = [0, 1, 31, 32, 33, 255, 1000, 1023, 1024, 1025, 2048, 5000];

#[test]
fn prefix_sums_follow_one_tree_for_every_block_size() {
    fn check<const N: usize>(machines: &Machines, input: &[f32], offsets: &Offsets, expected: &[Vec<u32>; 2])
    where
        k::prefix_sums::Kernel<N>: k::prefix_sums::Instance,
    {
        let (inclusive, exclusive) = machines.same(|on| {
            let (offsets, input) = (on.offsets(offsets)?, on.buffer(input)?);
            let [mut a, mut b] = two(on, &vec![9.0; expected[0].len()])?;
            let args = k::prefix_sums::Args {
                inclusive: Segments { data: a.view_mut(), offsets: &offsets },
                exclusive: Segments { data: b.view_mut(), offsets: &offsets },
                input: input.view(),
            };
            k::prefix_sums::launch::<N, _>(on, LENGTHS.len() as u32, args)?;
            Ok((a.download()?, b.download()?))
        });
        assert!([bits(&inclusive), bits(&exclusive)] == *expected, "{N} threads");
    }
    // A block for each length. Its part is one element longer, for the total.
    let input = numbers(LENGTHS.iter().sum());
    let (mut ends, mut trees, mut rest) = (vec![0], [Vec::new(), Vec::new()], &input[..]);
    for n in LENGTHS {
        let (part, others) = rest.split_at(n as usize);
        trees.iter_mut().zip(expected(part)).for_each(|(tree, part)| tree.extend(bits(&part)));
        ends.push(ends[ends.len() - 1] + n + 1);
        rest = others;
    }
    let (machines, offsets) = (machines(), Offsets::new(ends).unwrap());
    check::<32>(&machines, &input, &offsets, &trees);
    check::<96>(&machines, &input, &offsets, &trees);
    check::<256>(&machines, &input, &offsets, &trees);
    check::<1024>(&machines, &input, &offsets, &trees);
}

/// Two buffers of the same elements.
fn two(on: &Machine, elements: &[f32]) -> Result<[Buffer<f32>; 2], CudaError> {
    Ok([on.buffer(elements)?, on.buffer(elements)?])
}

#[test]
fn scans_in_place_follow_the_same_tree() {
    let machines = machines();
    for n in LENGTHS {
        let (input, offsets) = (numbers(n), one_segment(n as usize + 1));
        let (inclusive, exclusive) = machines.same(|on| {
            let offsets = on.offsets(&offsets)?;
            let [mut a, mut b] = two(on, &[&input[..], &[7.0]].concat())?;
            let args = k::prefix_sums_in_place::Args {
                inclusive: Segments { data: a.view_mut(), offsets: &offsets },
                exclusive: Segments { data: b.view_mut(), offsets: &offsets },
            };
            k::prefix_sums_in_place::launch(on, 1, args)?;
            Ok((a.download()?, b.download()?))
        });
        assert_eq!([bits(&inclusive), bits(&exclusive)], expected(&input).map(|sums| bits(&sums)), "{n} elements");
    }
}

#[test]
fn scans_begin_with_an_initial_value() {
    let machines = machines();
    for n in LENGTHS {
        // Whole numbers, because an initial value changes the order of additions. Then others, whose order is the machines'.
        let whole: Vec<f32> = (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as f32).collect();
        let run = |input: &[f32], initial| {
            let offsets = one_segment(n as usize + 1);
            let (inclusive, exclusive) = machines.same(|on| {
                let (offsets, input) = (on.offsets(&offsets)?, on.buffer(input)?);
                let [mut a, mut b] = two(on, &vec![9.0; n as usize + 1])?;
                let args = k::prefix_sums_from::Args {
                    inclusive: Segments { data: a.view_mut(), offsets: &offsets },
                    exclusive: Segments { data: b.view_mut(), offsets: &offsets },
                    input: input.view(),
                    initial,
                };
                k::prefix_sums_from::launch(on, 1, args)?;
                Ok((a.download()?, b.download()?))
            });
            [inclusive, exclusive]
        };
        let sums = expected(&whole).map(|sums| sums.iter().map(|sum| sum + 100.0).collect::<Vec<_>>());
        assert_eq!(run(&whole, 100.0), sums, "{n} elements");
        run(&numbers(n), 2.25);
    }
}

#[test]
fn scans_one_after_the_other_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in LENGTHS {
        let (ends, one_more) = (one_segment(n as usize), one_segment(n as usize + 1));
        machines.same(|on| {
            let (ends, one_more, input) = (on.offsets(&ends)?, on.offsets(&one_more)?, on.buffer(&numbers(n))?);
            let (mut a, mut b) = (on.buffer(&vec![9.0f32; n as usize])?, on.buffer(&vec![9.0f32; n as usize + 1])?);
            let args = k::running_sums::Args {
                inclusive: Segments { data: a.view_mut(), offsets: &ends },
                exclusive: Segments { data: b.view_mut(), offsets: &one_more },
                input: input.view(),
                initial: 2.25,
            };
            k::running_sums::launch(on, 1, args)?;
            Ok((a.download()?, b.download()?))
        });
    }
}

#[test]
fn the_lower_one_is_the_left_operand() {
    let input: Vec<u32> = (0..3000u32).map(|i| if i % 7 == 3 { i } else { 0 }).collect();
    let offsets = one_segment(input.len());
    let out = machines().same(|on| {
        let (offsets, input, mut out) = (on.offsets(&offsets)?, on.buffer(&input)?, on.zeroed::<u32>(3000)?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::last_nonzero::launch(on, 1, k::last_nonzero::Args { out: segments, input: input.view() })?;
        out.download()
    });
    for (i, found) in (0i64..).zip(out) {
        assert_eq!(i64::from(found), ((i - 3).div_euclid(7) * 7 + 3).max(0), "element {i}");
    }
}

#[test]
fn blocks_ask_their_indices_and_their_threads() {
    let machines = machines();
    for (n, threshold) in [(0u32, 0.0f32), (10, 0.0), (100, 0.0), (160, -1e9), (4000, -1e9), (5000, 1e9), (5000, 300.0)]
    {
        let input = numbers(n);
        let found = machines.same(|on| {
            let (input, mut out) = (on.buffer(&input)?, on.zeroed::<f32>(7)?);
            k::votes::launch(on, 1, k::votes::Args { out: out.view_mut(), input: input.view(), threshold })?;
            out.download()
        });
        let own: Vec<f32> = input.iter().copied().chain([0.0; 160]).take(160).collect();
        let count = |x: &[f32]| x.iter().filter(|x| **x > threshold).count();
        let number = |b| f32::from(u8::from(b));
        let of_threads = &input[..input.len().min(160)];
        let expected = [
            count(&input) as f32,
            number(count(&input) > 0),
            number(count(&input) == input.len()),
            found[3],
            count(&own) as f32,
            number(count(&own) > 0),
            number(count(of_threads) == of_threads.len()),
        ];
        assert_eq!(found, expected, "{n} indices, above {threshold}");
        let exact = (0u32..).zip(&own).map(|(t, x)| f64::from(*x) + f64::from(t)).sum::<f64>();
        assert!((f64::from(found[3]) - exact).abs() < 0.05, "{n} indices: {} in place of {exact}", found[3]);
    }
}
