//! The examples of the chapter on reductions and scans, on CPU cores.

use super::model::sum;
use bytemuck::{Pod, Zeroable};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use toolkit_tests::dice::bits;

/// Numbers whose sums are rounded, and so depend on the order.
fn numbers(n: u32) -> Vec<f32> {
    let word = |i: u32| i.wrapping_mul(2_654_435_761) >> 8;
    (0..n).map(|i| if word(i) % 3 == 0 { -1000.0 } else { 1000.0 } / (word(i) % 9973 + 1) as f32).collect()
}

fn executors() -> [CpuExecutor; 3] {
    [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)]
}

// ANCHOR: sums
/// The sum of `x`: by a block, by a team of eight, and by a warp.
#[kernel(threads = 256)]
pub fn sums(
    block: &mut Block,
    by_block: &mut Chunk<f32, 1>,
    by_team: &mut Chunk<f32, 1>,
    by_warp: &mut Chunk<f32, 1>,
    x: &[f32],
) {
    let n = x.len() as u32;
    let sum = block.reduce(n, 0.0, |i| x.at(i), |a, b| a + b);
    by_block.set(block, 0, sum);
    by_team.fill_by_team::<8>(block, 1, |team, _| team.reduce(n, 0.0, |sum, i| sum + x.at(i), |a, b| a + b));
    by_warp.fill_by_warp(block, 1, |warp, _| {
        let mut sums = warp.per_lane(|_| 0.0);
        for first in (0..n).step_by(32) {
            warp.each(&mut sums, |lane, sum| {
                let i = first + lane.index();
                if i < n {
                    *sum += x.at(i);
                }
            });
        }
        warp.reduce(&sums, |a, b| a + b)
    });
}
// ANCHOR_END: sums

// ANCHOR: slots
/// The order in which a team of `L` threads adds numbers, as a loop; with 32 slots, that of the warp above.
fn sum_of_slots<const L: usize>(values: &[f32]) -> f32 {
    let mut slots = [0.0; L];
    for (i, value) in values.iter().enumerate() {
        slots[i % L] += value;
    }
    let mut stride = L / 2;
    while stride > 0 {
        for s in 0..stride {
            slots[s] += slots[s + stride];
        }
        stride /= 2;
    }
    slots[0]
}
// ANCHOR_END: slots

/// The block's sum again, with another number of threads.
#[kernel(threads = 96)]
fn by_96_threads(block: &mut Block, out: &mut Chunk<f32, 1>, x: &[f32]) {
    let sum = block.reduce(x.len() as u32, 0.0, |i| x.at(i), |a, b| a + b);
    out.set(block, 0, sum);
}

#[test]
fn each_sum_has_the_order_that_is_promised() -> Result<(), LaunchError> {
    let mut differ = false;
    for n in [0, 1, 31, 1000, 5000] {
        let x = numbers(n);
        for executor in executors() {
            let (mut a, mut b, mut c, mut d) = ([9.0], [9.0], [9.0], [9.0]);
            sums::launch(&executor, 1, sums::Args { by_block: &mut a, by_team: &mut b, by_warp: &mut c, x: &x })?;
            by_96_threads::launch(&executor, 1, by_96_threads::Args { out: &mut d, x: &x })?;
            let expected = [sum(&x), sum_of_slots::<8>(&x), sum_of_slots::<32>(&x), sum(&x)];
            assert_eq!(bits(&[a[0], b[0], c[0], d[0]]), bits(&expected), "{n} numbers");
            differ |= expected[0] != expected[1] && expected[1] != expected[2];
        }
    }
    assert!(differ, "each is the same everywhere, but they are not the same as each other");
    Ok(())
}

// ANCHOR: parts
/// The sum of each 4096 numbers: one block per part.
#[kernel(threads = 256, requires(x.len().div_ceil(4096) == sums.len()))]
pub fn sums_of_parts(block: &mut Block, sums: &mut Chunk<f32, 1, WriteOnly>, x: &[f32]) {
    let first = block.index() * 4096;
    let x = x.part(first, (x.len() as u32 - first).min(4096));
    let sum = block.reduce(x.len() as u32, 0.0, |i| x.at(i), |a, b| a + b);
    sums.fill(block, 1, |_| sum);
}

/// The sum of all numbers: parts, then parts of the parts, until one is left.
fn sum_of_all(executor: &CpuExecutor, x: &[f32]) -> Result<f32, LaunchError> {
    let mut values = x.to_vec();
    while values.len() > 1 {
        let mut sums = vec![0.0; values.len().div_ceil(4096)];
        sums_of_parts::launch(executor, sums.len() as u32, sums_of_parts::Args { sums: &mut sums, x: &values })?;
        values = sums;
    }
    Ok(values.first().copied().unwrap_or(0.0))
}
// ANCHOR_END: parts

#[test]
fn parts_are_added_up_by_the_same_kernel() -> Result<(), LaunchError> {
    for n in [0, 1, 4096, 4097, 20_000] {
        let x = numbers(n);
        let parts: Vec<f32> = x.chunks(4096).map(sum).collect();
        let expected = if n <= 4096 { sum(&x) } else { sum(&parts) };
        for executor in executors() {
            assert_eq!(sum_of_all(&executor, &x)?.to_bits(), expected.to_bits(), "{n} numbers");
        }
    }
    Ok(())
}

// ANCHOR: largest
/// A value and its index.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Found {
    value: f32,
    at: u32,
}

/// The larger of two values, or the first of equal ones.
fn larger(a: Found, b: Found) -> Found {
    if b.value > a.value || (b.value == a.value && b.at < a.at) { b } else { a }
}

/// The index of the largest element of each segment, or `u32::MAX` if it is empty.
#[kernel(threads = 128)]
pub fn largest(block: &mut Block, out: &mut Chunk<u32, 1>, segments: &mut Segment<f32>) {
    let n = segments.len();
    let values = segments.view(n);
    let nothing = Found { value: f32::NEG_INFINITY, at: u32::MAX };
    let found = block.reduce(n, nothing, |i| Found { value: values.get(i), at: i }, larger);
    out.set(block, 0, found.at);
}
// ANCHOR_END: largest

#[test]
fn the_first_of_the_largest_is_found() -> Result<(), LaunchError> {
    let list: Vec<f32> = numbers(3000).into_iter().map(|x| x.round()).collect();
    let offsets = Offsets::new(vec![0, 1, 1, 40, 3000]).expect("offsets that never fall");
    let first_of = |values: &[f32]| {
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        values.iter().position(|value| *value == most).map_or(u32::MAX, |at| at as u32)
    };
    let expected: Vec<u32> =
        offsets.as_slice().windows(2).map(|pair| first_of(&list[pair[0] as usize..pair[1] as usize])).collect();
    for executor in executors() {
        let (mut out, mut data) = (vec![9; 4], list.clone());
        let segments = Segments { data: &mut data[..], offsets: &offsets };
        largest::launch(&executor, 4, largest::Args { out: &mut out, segments })?;
        assert_eq!(out, expected);
    }
    Ok(())
}

// ANCHOR: count
/// Element `k` of the sorted numbers, counted from 0: the largest number with at most `k` numbers below it.
#[kernel(threads = 256, requires(x.len() > k as usize))]
pub fn in_order(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[u32], k: u32) {
    let n = x.len() as u32;
    let mut found = 0;
    for bit in (0..32).rev() {
        let more = found | 1 << bit;
        if block.count(n, |i| x.at(i) < more) <= k {
            found = more;
        }
    }
    out.set(block, 0, found);
}
// ANCHOR_END: count

#[test]
fn counting_finds_the_element_of_a_rank() -> Result<(), LaunchError> {
    let x: Vec<u32> =
        (0..1500u32).map(|i| i.wrapping_mul(2_654_435_761) >> (i % 9)).chain([u32::MAX, 0, 7, 7]).collect();
    let mut sorted = x.clone();
    sorted.sort_unstable();
    for k in [0, 1, 2, 3, 750, 1502, 1503] {
        let mut out = [9];
        in_order::launch(&CpuExecutor::shuffled(4), 1, in_order::Args { out: &mut out, x: &x, k })?;
        assert_eq!(out[0], sorted[k as usize], "rank {k}");
    }
    Ok(())
}

// ANCHOR: compact
/// Moves the elements above a limit to the beginning of the block's segment of `out`, in their order.
#[kernel(threads = 128, requires(out.len() == x.len(), places.len() == x.len()))]
pub fn compact(
    block: &mut Block,
    out: &mut Segment<f32>,
    kept: &mut Chunk<u32, 1>,
    places: &mut Segment<u32>,
    x: &[f32],
    limit: f32,
) {
    let n = out.len();
    let x = x.part(out.start(), n);
    // The number of kept elements before i, which is the position of i if it is kept.
    let total = places.exclusive_scan(block, n, 0, |i| u32::from(x.at(i) > limit), |a, b| a + b);
    let places = places.view(n);
    out.update_atomic(block, n, |thread, cells, i| {
        if x.at(i) > limit {
            cells.store(thread, places.get(i), x.at(i));
        }
    });
    kept.set(block, 0, total);
}
// ANCHOR_END: compact

#[test]
fn what_is_kept_stays_in_order() -> Result<(), LaunchError> {
    let x = numbers(3000);
    let offsets = Offsets::new(vec![0, 0, 1, 70, 3000]).expect("offsets that never fall");
    for executor in executors() {
        let (mut out, mut places, mut kept) = (vec![0.0; 3000], vec![0; 3000], vec![9; 4]);
        compact::launch(
            &executor,
            4,
            compact::Args {
                out: Segments { data: &mut out, offsets: &offsets },
                kept: &mut kept,
                places: Segments { data: &mut places, offsets: &offsets },
                x: &x,
                limit: 0.3,
            },
        )?;
        for (pair, kept) in offsets.as_slice().windows(2).zip(kept) {
            let (first, end) = (pair[0] as usize, pair[1] as usize);
            let expected: Vec<f32> = x[first..end].iter().copied().filter(|x| *x > 0.3).collect();
            assert_eq!(out[first..first + kept as usize], expected);
        }
    }
    Ok(())
}

// ANCHOR: scan
/// The order in which `inclusive_scan` adds numbers, as loops.
fn running_sums(values: &[f32]) -> Vec<f32> {
    /// Each of 32 numbers gets the one 1 below it added, then the one 2 below, 4, 8, 16.
    fn within(values: &[f32]) -> [f32; 32] {
        let mut sums = [0.0; 32];
        sums[..values.len()].copy_from_slice(values);
        for below in [1, 2, 4, 8, 16] {
            // Downwards, so that each addend is still unchanged.
            for k in (below..32).rev() {
                sums[k] += sums[k - below];
            }
        }
        sums
    }
    let (mut sums, mut carry) = (Vec::new(), 0.0);
    for round in values.chunks(1024) {
        let groups: Vec<_> = round.chunks(32).map(within).collect();
        let ends: Vec<_> = groups.iter().map(|group| group[31]).collect();
        let totals = within(&ends);
        for i in 0..round.len() {
            let before = if i < 32 { 0.0 } else { totals[i / 32 - 1] };
            sums.push((carry + before) + groups[i / 32][i % 32]);
        }
        carry += totals[31];
    }
    sums
}
// ANCHOR_END: scan

#[kernel(threads = 160)]
fn running(block: &mut Block, out: &mut Segment<f32>, x: &[f32]) {
    let n = out.len();
    out.inclusive_scan(block, n, 0.0, |i| x.at(i), |a, b| a + b);
}

#[test]
fn scans_have_the_order_that_is_promised() -> Result<(), LaunchError> {
    for n in [0, 1, 32, 33, 1000, 1024, 1025, 3000] {
        let (x, offsets) = (numbers(n), Offsets::new(vec![0, n]).expect("offsets that never fall"));
        for executor in executors() {
            let mut out = vec![9.0; n as usize];
            let args = running::Args { out: Segments { data: &mut out[..], offsets: &offsets }, x: &x[..] };
            running::launch(&executor, 1, args)?;
            assert_eq!(bits(&out), bits(&running_sums(&x)), "{n} numbers");
        }
    }
    Ok(())
}
