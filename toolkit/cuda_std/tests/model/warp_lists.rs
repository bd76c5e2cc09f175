//! A warp's lists, and items that lanes read together.

use cuda_std::launch::{CpuExecutor, Offsets, Segments};
use cuda_std::lists::{Pick, Questions};
use cuda_std::prelude::*;

fn executors() -> [CpuExecutor; 3] {
    [CpuExecutor::new(), CpuExecutor::shuffled(5), CpuExecutor::shuffled(23)]
}

/// Element `i`: the count of numbers below `i`; a sum over the multiples of 3 and their squares; the sum of the squares of the
/// even ones except 6, and whether the list has room for all of these.
#[kernel(threads = 64)]
fn chosen(
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

#[test]
fn a_warp_keeps_what_it_chooses_in_the_lanes_order() {
    let n = 41;
    for executor in executors() {
        let (mut out, offsets) = (vec![[9; 4]; n as usize], Offsets::new(vec![0, n]).unwrap());
        chosen::launch(&executor, 1, chosen::Args { out: Segments { data: &mut out[..], offsets: &offsets } }).unwrap();
        for (i, found) in out.iter().enumerate() {
            let kept: Vec<u32> = (0..i as u32).filter(|k| k % 3 == 0).collect();
            let sum = kept.iter().map(|k| 1000 * k * k + k).sum::<u32>();
            let few: Vec<u32> = kept.iter().filter(|k| *k % 2 == 0 && **k != 6).map(|k| k * k).collect();
            let expected = [i as u32, sum, few.iter().sum(), u32::from(few.len() <= 7)];
            assert_eq!(*found, expected, "{i}");
        }
    }
}

/// Element `i`: how many of the numbers below `i` have a smaller divisor in the list.
#[kernel(threads = 64)]
fn divided(block: &mut Block, out: &mut Segment<u32>, divisors: &mut Shared<u32, { 2 * 16 }>) {
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

#[test]
fn a_warp_counts_questions_that_find_an_item() {
    let n = 100;
    for executor in executors() {
        let (mut out, offsets) = (vec![9; n as usize], Offsets::new(vec![0, n]).unwrap());
        divided::launch(&executor, 1, divided::Args { out: Segments { data: &mut out[..], offsets: &offsets } })
            .unwrap();
        for (i, found) in (0..n).zip(out) {
            let is_divided = |number: &u32| (2..2 + i.min(11)).any(|d| *number > d && number.is_multiple_of(d));
            assert_eq!(found, (0..i).filter(is_divided).count() as u32, "{i}");
        }
    }
}

/// Element `i`: the sum of the indices of the first `i` elements. A warp reads them from a list that ends within its second 32
/// items.
#[kernel(threads = 64)]
fn picked(block: &mut Block, out: &mut Segment<[u32; 2]>, x: &[[f32; 4]], list: &mut Shared<Pick, { 2 * 40 }>) {
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

#[test]
fn a_list_of_picks_is_read_to_its_end_wherever_that_is() {
    let x: Vec<[f32; 4]> = (0..50).map(|i| [0.0, 0.0, 0.0, 3.0 * i as f32]).collect();
    let n = 50;
    for executor in executors() {
        let (mut out, offsets) = (vec![[9; 2]; n as usize], Offsets::new(vec![0, n]).unwrap());
        let args = picked::Args { out: Segments { data: &mut out[..], offsets: &offsets }, x: &x[..] };
        picked::launch(&executor, 1, args).unwrap();
        for (i, found) in (0..n).zip(out) {
            let sum: u32 = (0..i.min(40)).sum();
            assert_eq!(found, [sum, 3 * sum], "{i}");
        }
    }
}

/// Element `i`: the sum of the numbers below `i`, weighted by their positions in three ranges, and the number of calls.
#[kernel(threads = 64)]
fn dealt(block: &mut Block, out: &mut Segment<[u32; 2]>) {
    let n = out.len();
    out.fill_by_warp(block, n, |warp, i| {
        let ranges = three_ranges(warp, i);
        let (mut sum, mut calls) = (0, 0);
        warp.each_of_ranges(&ranges, |warp, numbers, n| {
            let own = warp.map(numbers, |lane, number| {
                let place = 32 * calls + lane.index();
                // Lanes after the last number repeat it.
                if lane.index() < n { number * (place + 1) } else { number - (i - 1) }
            });
            sum += warp.reduce(&own, |a, b| a + b);
            calls += 1;
        });
        [sum, calls]
    });
}

#[test]
fn ranges_are_dealt_out_one_after_the_other_to_all_lanes() {
    let n = 101;
    for executor in executors() {
        let (mut out, offsets) = (vec![[9; 2]; n as usize], Offsets::new(vec![0, n]).unwrap());
        dealt::launch(&executor, 1, dealt::Args { out: Segments { data: &mut out[..], offsets: &offsets } }).unwrap();
        for (i, found) in (0..n).zip(out) {
            assert_eq!(found, [(0..i).map(|number| number * (number + 1)).sum(), i.div_ceil(32)], "{i}");
        }
    }
}

/// A padded list whose last lanes have no memory.
#[kernel(threads = 32)]
fn padded(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[[f32; 4]], list: &mut Shared<Pick, 40>) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 1, (list,), |warp, (list,), _| {
        let ranges = warp.per_lane(|lane| [0, u32::from(lane.index() == 0)]);
        list.push_ranges_where(warp, &x, &ranges, |_, _| true);
        list.pad(warp, [0.0; 4]);
        list.items(warp).len()
    });
}

#[test]
fn only_a_list_of_whole_turns_is_padded() {
    let mut out = [0];
    let error = padded::launch(&CpuExecutor::new(), 1, padded::Args { out: &mut out, x: &[[1.0; 4]] }).unwrap_err();
    assert!(error.to_string().contains("room for a multiple of 32 items"), "{error}");
}
