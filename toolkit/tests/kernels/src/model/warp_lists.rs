//! A warp's lists, items that lanes read together, and parts of memory that warps take in turn.

use cuda_std::lists::{Pick, Questions};
use cuda_std::prelude::*;

/// Element `i`, for the multiples of 3 below `i`: how many the warp's list has, whether there was room for all, their sum, and 1000
/// times twice the number of the even ones plus this number, from another list.
#[kernel(threads = 96)]
pub fn pushed_lists(
    block: &mut Block,
    out: &mut Segment<[u32; 4]>,
    numbers: &mut Shared<u32, { 3 * 40 }>,
    even: &mut Shared<[u32; 2], { 3 * 40 }>,
) {
    let n = out.len();
    out.fill_by_warp_with(block, n, (numbers, even), |warp, (numbers, even), i| {
        for first in (0..i).step_by(32) {
            let found = warp.per_lane(|lane| Some(first + lane.index()).filter(|k| *k < i && k.is_multiple_of(3)));
            numbers.push(warp, &found);
        }
        let numbers = numbers.items(warp);
        let complete = u32::from(numbers.is_complete());
        let sum = numbers.range(0, numbers.len()).sum();
        // Twice; then the list is emptied and filled once more.
        let mut twice = 0;
        for times in [2, 1] {
            even.clear(warp);
            for first in (0..numbers.len()).step_by(32) {
                let pairs = warp.per_lane(|lane| {
                    let k = first + lane.index();
                    (k < numbers.len() && numbers.get(k).is_multiple_of(2)).then(|| [numbers.get(k), k])
                });
                for _ in 0..times {
                    even.push(warp, &pairs);
                }
            }
            if times == 2 {
                twice = even.items(warp).len();
            }
        }
        [numbers.len(), complete, sum, 1000 * twice + even.items(warp).len()]
    });
}

/// Reads item `i` of a list of five.
#[kernel(threads = 32)]
pub fn item_of_five(
    block: &mut Block,
    out: &mut Chunk<u32, 1>,
    i: u32,
    list: &mut Shared<u32, 32>,
    other: &mut Shared<u32, 32>,
) {
    out.fill_by_warp_with(block, 1, (list, other), |warp, (list, _), _| {
        let some = warp.per_lane(|lane| (lane.index() < 5).then(|| lane.index()));
        list.push(warp, &some);
        list.items(warp).get(i)
    });
}

/// Element `i`: the count of numbers below `i`; a sum over the multiples of 3 and their squares; the sum of the squares of the
/// even ones except 6, and whether the list has room for all of these.
#[kernel(threads = 64)]
pub fn retained(
    block: &mut Block,
    out: &mut Segment<[u32; 4]>,
    numbers: &mut Shared<u32, { 2 * 40 }>,
    squares: &mut Shared<[u32; 4], { 2 * 40 }>,
    few: &mut Shared<u32, { 2 * 7 }>,
) {
    let n = out.len();
    out.fill_by_warp_with(block, n, (numbers, squares, few), |warp, (numbers, squares, few), i| {
        let ranges = three_ranges(warp, i);
        numbers.push_ranges(warp, &ranges);
        let count = numbers.items(warp).len();
        numbers.retain_from(warp, 0, |warp, numbers| warp.map(numbers, |_, number| number.is_multiple_of(3)));
        let kept = numbers.items(warp);
        for first in (0..kept.len()).step_by(32) {
            let own = kept.by_lane(warp, first);
            let square = warp.map(&own, |_, number| [0, 0, number * number, *number]);
            let is_one = |lane: Lane| first + lane.index() < kept.len();
            squares.push_where(warp, &square, &own, |lane, _| is_one(lane));
            few.push_some(
                warp,
                (&own, &square),
                |lane, (number, _)| is_one(lane) & number.is_multiple_of(2),
                |_, (number, square)| (*number != 6).then_some(square[2]),
            );
        }
        let squares = squares.items(warp);
        let few = few.items(warp);
        let sum = squares.range(0, squares.len()).map(|[_, _, square, number]| 1000 * square + number).sum();
        [count, sum, few.range(0, few.len()).sum(), u32::from(few.is_complete())]
    });
}

/// The numbers below `i` in three ranges, which belong to lanes far from each other.
fn three_ranges(warp: &mut Warp, i: u32) -> PerLane<[u32; 2]> {
    warp.per_lane(|lane| match lane.index() {
        2 => [0, i / 3],
        3 => [i / 3, i / 2],
        30 => [i / 2, i],
        other => [other, 0],
    })
}

/// Element `i`: how many of the numbers below `i` have a smaller divisor in the list of 2, 3, .., with at most 11 numbers.
#[kernel(threads = 64)]
pub fn divisible(block: &mut Block, out: &mut Segment<u32>, divisors: &mut Shared<u32, { 2 * 16 }>) {
    let n = out.len();
    out.fill_by_warp_with(block, n, (divisors,), |warp, (divisors,), i| {
        let own = warp.per_lane(|lane| lane.index() + 2);
        divisors.push_where(warp, &own, &own, |lane, _| lane.index() < i.min(11));
        let divisors = divisors.items(warp);
        let (mut count, mut first) = (0, 0);
        while first < i {
            let questions = Questions::new(i - first);
            let numbers = warp.per_lane(|lane| first + questions.of(lane));
            count += divisors.count_any(warp, &questions, &numbers, |number, divisor| {
                *number > divisor && number.is_multiple_of(divisor)
            });
            first += 32;
        }
        count
    });
}

/// Room for the elements of [`fn@picked`]: a list ends within its second 32 items.
pub const PICKED: usize = 40;

/// Element `i`: the sums of the indices and of the last words of the first `i` elements, as far as the list has room.
#[kernel(threads = 64)]
pub fn picked(block: &mut Block, out: &mut Segment<[u32; 2]>, x: &[[f32; 4]], list: &mut Shared<Pick, { 2 * PICKED }>) {
    let n = out.len();
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, n, (list,), |warp, (list,), i| {
        let ranges = warp.per_lane(|lane| if lane.index() == 7 { [0, i] } else { [0; 2] });
        list.push_ranges_where(warp, &x, &ranges, |_, _| true);
        let items = list.items(warp);
        let (mut indices, mut last) = (0, 0);
        for first in (0..items.len()).step_by(32) {
            let picks = items.picks(warp, &x, first);
            let here = |lane: Lane| first + lane.index() < items.len();
            let own = warp.map(picks.index(), |lane, index| if here(lane) { *index } else { 0 });
            indices += warp.reduce(&own, |a, b| a + b);
            let own = warp.map(picks.words()[3], |lane, word| if here(lane) { *word as u32 } else { 0 });
            last += warp.reduce(&own, |a, b| a + b);
        }
        [indices, last]
    });
}

/// Element `i`: the sum of the numbers below `i`, weighted by their positions in three ranges, and the number of calls.
#[kernel(threads = 64)]
pub fn weighted_ranges(block: &mut Block, out: &mut Segment<[u32; 2]>) {
    let n = out.len();
    out.fill_by_warp(block, n, |warp, i| {
        let ranges = three_ranges(warp, i);
        let (mut sum, mut calls) = (0, 0);
        warp.each_of_ranges(&ranges, |warp, numbers, n| {
            let own = warp.map(numbers, |lane, number| {
                let position = 32 * calls + lane.index();
                // Lanes after the last number repeat it.
                if lane.index() < n { number * (position + 1) } else { number - (i - 1) }
            });
            sum += warp.reduce(&own, |a, b| a + b);
            calls += 1;
        });
        [sum, calls]
    });
}

/// Element `i` of part `g`: the multiples of `i + 1` in the ranges `[10 l, 10 l + g)`, one range for each lane `l` below 6.
/// Writes how many there are, their sum, and whether there was room for all numbers.
#[kernel(threads = 96)]
pub fn thinned_parts(
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

/// Halves even elements, by a sum over the warp, and adds 1000 times its index to each odd one.
#[kernel(threads = 64)]
pub fn halved_by_warps(block: &mut Block, items: &mut Segment<u32>) {
    let n = items.len();
    items.update_by_warp(block, n, |warp, i, item| {
        let lanes = warp.per_lane(|_| item);
        let sum = warp.reduce(&lanes, |a, b| a + b);
        if item.is_multiple_of(2) { sum / 64 } else { item + 1000 * i }
    });
}

/// Elements of a clamped view; the last index is far beyond its end.
#[kernel(threads = 32)]
pub fn clamped_reads(block: &mut Block, out: &mut Chunk<u32, 8>, x: &[u32]) {
    let x = View::of(x).clamped();
    out.fill(block, 8, |i| x.get(if i == 7 { u32::MAX } else { i }));
}
