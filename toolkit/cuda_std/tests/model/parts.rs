//! Parts of a block's memory that warps take in turn, and lists that are filled from ranges and thinned out.

use cuda_std::launch::{CpuExecutor, LaunchError, Offsets, Segments};
use cuda_std::prelude::*;

/// Where the parts of [`thinned()`] begin: an empty one, a small one, and one that is longer than a warp.
const STARTS: [u32; 5] = [0, 0, 3, 45, 50];

/// Element `i` of part `g`: the multiples of `i + 1` in the ranges `[10 l, 10 l + g)`, one range for each lane `l` below 6.
/// Writes how many there are, their sum, and whether there was room for all numbers.
#[kernel(threads = 96)]
fn thinned(
    block: &mut Block,
    out: &mut Segment<[u32; 3]>,
    starts: &[u32],
    begins: &mut Shared<u32, 8>,
    numbers: &mut Shared<u32, { 3 * 20 }>,
) {
    let parts = starts.len() as u32;
    let begins = begins.fill(block, parts, |k| starts.at(k));
    out.write_parts_by_warp_with(block, &begins, (numbers,), |warp, (numbers,), part| {
        let (start, n) = (part.start(), part.len());
        for i in 0..n {
            numbers.clear(warp);
            let ranges = warp.per_lane(|lane| match lane.index() {
                l @ 0..6 => [10 * l, 10 * l + n],
                _ => [7, 3],
            });
            numbers.push_ranges(warp, &ranges);
            let all = numbers.items(warp).is_complete();
            numbers.retain_from(warp, 0, |warp, numbers| warp.map(numbers, |_, number| number.is_multiple_of(i + 1)));
            let items = numbers.items(warp);
            let sum = items.range(0, items.len()).sum();
            let last = if items.is_empty() { 0 } else { items.get_clamped(start + 1000) };
            part.set(warp, i, [items.len() + 100 * last, sum, u32::from(all)]);
        }
    });
}

fn run(executor: &CpuExecutor, starts: &[u32]) -> Result<Vec<[u32; 3]>, LaunchError> {
    let mut out = vec![[9; 3]; 50];
    let at = Offsets::new(vec![0, 50]).unwrap();
    let args = thinned::Args { out: Segments { data: &mut out[..], offsets: &at }, starts };
    thinned::launch(executor, 1, args).map(|()| out)
}

fn expected() -> Vec<[u32; 3]> {
    let mut out = Vec::new();
    for part in STARTS.windows(2) {
        let n = part[1] - part[0];
        for i in 0..n {
            let all: Vec<u32> = (0..6).flat_map(|l| 10 * l..10 * l + n).collect();
            let complete = all.len() <= 20;
            // Nothing is dropped of a list that is not complete.
            let kept: Vec<u32> =
                all.iter().take(20).copied().filter(|k| !complete || k.is_multiple_of(i + 1)).collect();
            let last = kept.last().copied().unwrap_or(0);
            out.push([kept.len() as u32 + 100 * last, kept.iter().sum(), u32::from(complete)]);
        }
    }
    out
}

#[test]
fn every_part_is_written_by_one_warp_in_any_order() {
    assert_eq!(run(&CpuExecutor::new(), &STARTS).unwrap(), expected());
    for seed in 0..5 {
        assert_eq!(run(&CpuExecutor::shuffled(seed), &STARTS).unwrap(), expected(), "seed {seed}");
    }
}

#[test]
fn parts_that_overlap_are_refused_before_anything_is_written() {
    for starts in [&[0, 10, 5, 20][..], &[0, 51]] {
        let error = run(&CpuExecutor::new(), starts).unwrap_err();
        assert!(error.to_string().contains("parts overlap, or go beyond the memory"), "{error}");
    }
}

/// Halves even elements, by a sum over the warp, and adds 1000 times its index to each odd one.
#[kernel(threads = 64)]
fn halved(block: &mut Block, items: &mut Segment<u32>) {
    let n = items.len();
    items.update_by_warp(block, n, |warp, i, item| {
        let lanes = warp.per_lane(|_| item);
        let sum = warp.reduce(&lanes, |a, b| a + b);
        if item.is_multiple_of(2) { sum / 64 } else { item + 1000 * i }
    });
}

#[test]
fn a_warp_knows_what_an_element_was() {
    let mut items: Vec<u32> = (0..40).collect();
    let at = Offsets::new(vec![0, 40]).unwrap();
    halved::launch(
        &CpuExecutor::shuffled(3),
        1,
        halved::Args { items: Segments { data: &mut items[..], offsets: &at } },
    )
    .unwrap();
    let expected: Vec<u32> = (0..40).map(|i| if i % 2 == 0 { i / 2 } else { i + 1000 * i }).collect();
    assert_eq!(items, expected);
}

/// An index beyond the end gives the last element.
#[kernel(threads = 32)]
fn clamped(block: &mut Block, out: &mut Chunk<u32, 8>, x: &[u32]) {
    let x = View::of(x).clamped();
    out.fill(block, 8, |i| x.get(if i == 7 { u32::MAX } else { i }));
}

#[test]
fn an_index_beyond_the_end_is_the_last_ones() {
    let mut out = [0; 8];
    clamped::launch(&CpuExecutor::new(), 1, clamped::Args { out: &mut out, x: &[5, 6, 7] }).unwrap();
    assert_eq!(out, [5, 6, 7, 7, 7, 7, 7, 7]);
    let error = clamped::launch(&CpuExecutor::new(), 1, clamped::Args { out: &mut out, x: &[] }).unwrap_err();
    assert!(matches!(error, LaunchError::Panic(_)), "{error}");
}
