//! Warps: writing, panics, and the shuffled order.

use crate::{message, panic_of};
use cuda_std::prelude::*;

#[kernel(threads = 96)]
fn written(block: &mut Block, by_warp: &mut Segment<u32>, by_index: &mut Segment<u32>, by_lane: &mut Segment<u32>) {
    by_warp.write_by_warp(block, |warp| {
        let lanes = warp.per_lane(|lane| lane.thread().index());
        warp.reduce(&lanes, |a, b| a + b)
    });
    let n = by_index.len();
    by_index.fill_by_warp(block, n, |warp, i| {
        let lanes = warp.per_lane(|lane| lane.index() * i);
        warp.reduce(&lanes, |a, b| a + b) * 10 + warp.index()
    });
    let n = by_lane.len();
    by_lane.fill_by_lanes(block, n, |warp, first| warp.per_lane(|lane| first + lane.index()));
}

#[test]
fn what_warps_write_stands_in_its_place() {
    for (warps, n) in [(3u32, 7u32), (2, 100), (5, 33), (0, 0)] {
        for executor in [CpuExecutor::new(), CpuExecutor::shuffled(5)] {
            let (mut a, mut b, mut c) = (vec![9; warps as usize], vec![9; n as usize], vec![9; n as usize]);
            let (few, many) = (Offsets::new(vec![0, warps]).unwrap(), Offsets::new(vec![0, n]).unwrap());
            let args = written::Args {
                by_warp: Segments { data: &mut a[..], offsets: &few },
                by_index: Segments { data: &mut b[..], offsets: &many },
                by_lane: Segments { data: &mut c[..], offsets: &many },
            };
            written::launch(&executor, 1, args).unwrap();
            let sum = |w: u32| (0..32).map(|lane| w * 32 + lane).sum::<u32>();
            let expected: Vec<u32> = (0..warps).map(|w| if w < 3 { sum(w) } else { 9 }).collect();
            assert_eq!(a, expected);
            assert_eq!(b, (0..n).map(|i| 4960 * i + i % 3).collect::<Vec<_>>());
            assert_eq!(c, (0..n).collect::<Vec<_>>());
        }
    }
}

/// Sorts the values of each warp by exchanging neighbours until no lane has anything to exchange.
#[kernel(threads = 64)]
fn sorted(block: &mut Block, out: &mut Chunk<u32, 64>, input: &[u32]) {
    let first = out.start();
    let mut state = block.per_thread(|t| input.at(first + t.index()));
    block.warps_with(&mut state, |warp, own| {
        loop {
            for odd in [0, 1] {
                let above = warp.shuffle_down(own, 1);
                let below = warp.shuffle_up(own, 1);
                let partner = warp.per_lane(|lane| (lane.index() + odd).is_multiple_of(2));
                let mut pair = warp.map(&above, |_, value| (*value, 0, false));
                warp.each_with(&mut pair, &below, |_, pair, value| pair.1 = *value);
                warp.each_with(&mut pair, &partner, |_, pair, value| pair.2 = *value);
                warp.each_with(own, &pair, |lane, own, &(above, below, lower)| {
                    if lower && lane.index() < 31 {
                        *own = if *own < above { *own } else { above };
                    } else if !lower && lane.index() > 0 {
                        *own = if *own > below { *own } else { below };
                    }
                });
            }
            let above = warp.shuffle_down(own, 1);
            let mut falls = warp.map(&above, |_, value| (*value, false));
            warp.each_with(&mut falls, &*own, |_, (above, falls), own| *falls = own > above);
            if !warp.any(&falls, |_, (_, falls)| *falls) {
                break;
            }
        }
    });
    out.write(block, 0, &state, |_, own| *own);
}

#[test]
fn a_warp_loops_by_what_its_lanes_say() {
    let input: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 16).collect();
    let mut expected = input.clone();
    expected.chunks_mut(32).for_each(<[u32]>::sort_unstable);
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(11)] {
        let mut out = vec![0; 256];
        sorted::launch(&executor, 4, sorted::Args { out: &mut out[..], input: &input[..] }).unwrap();
        assert_eq!(out, expected);
    }
}

#[kernel(threads = 128)]
fn fails(block: &mut Block, out: &mut Chunk<u32, 4>, at: u32) {
    out.write_by_warp(block, |warp| {
        let lanes = warp.per_lane(|lane| if lane.thread().index() == at { panic!("told to") } else { 1 });
        warp.reduce(&lanes, |a, b| a + b)
    });
}

#[test]
fn a_panic_in_a_warp_names_the_thread() {
    for at in [0, 31, 70, 127] {
        let mut out = [0; 4];
        let panic = panic_of(fails::launch(&CpuExecutor::new(), 1, fails::Args { out: &mut out[..], at }));
        assert_eq!((panic.thread, panic.message.as_deref()), ([at, 0, 0], Some("told to")));
    }
    let mut out = [0; 4];
    fails::launch(&CpuExecutor::new(), 1, fails::Args { out: &mut out[..], at: 128 }).unwrap();
    assert_eq!(out, [32; 4]);
}

/// Wrong on purpose: the order of warps decides what each one draws.
#[kernel(threads = 512)]
fn first_come(block: &mut Block, out: &mut Chunk<u32, 16>, next: &Atomics<u32>) {
    out.write_by_warp(block, |warp| {
        let drawn = warp.per_lane(|lane| if lane.index() == 0 { next.add(lane.thread(), 0, 1) } else { 0 });
        warp.broadcast(&drawn, 0)
    });
}

#[test]
fn warps_come_in_a_shuffled_order() {
    let draw = |seed| {
        let (mut out, mut next) = ([0; 16], [0]);
        let args = first_come::Args { out: &mut out[..], next: &mut next[..] };
        first_come::launch(&CpuExecutor::shuffled(seed), 1, args).unwrap();
        out
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

/// Element `i`, for the multiples of 3 below `i`: how many there are, whether there was room for all, the sum of those that
/// fit, and how many of them are even, from the other list.
#[kernel(threads = 96)]
fn listed(
    block: &mut Block,
    out: &mut Segment<[u32; 4]>,
    numbers: &mut Shared<u32, { 3 * 20 }>,
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
        let pairs = warp.per_lane(|lane| {
            let k = lane.index();
            (k < numbers.len() && numbers.get(k).is_multiple_of(2)).then(|| [numbers.get(k), k])
        });
        even.push(warp, &pairs);
        even.push(warp, &pairs);
        let twice = even.items(warp).len();
        even.clear(warp);
        even.push(warp, &pairs);
        [numbers.len(), complete, sum, 1000 * twice + even.items(warp).len()]
    });
}

#[test]
fn a_warp_reads_what_its_lanes_put_into_its_list() {
    let n = 200;
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(3)] {
        let (mut out, offsets) = (vec![[9; 4]; n as usize], Offsets::new(vec![0, n]).unwrap());
        listed::launch(&executor, 1, listed::Args { out: Segments { data: &mut out[..], offsets: &offsets } }).unwrap();
        for (i, found) in out.iter().enumerate() {
            let kept: Vec<u32> = (0..i as u32).filter(|k| k % 3 == 0).take(20).collect();
            let even = kept.iter().filter(|k| *k % 2 == 0).count() as u32;
            let complete = u32::from(i.div_ceil(3) <= 20);
            assert_eq!(*found, [kept.len() as u32, complete, kept.iter().sum(), 2000 * even + even], "{i}");
        }
    }
}

#[kernel(threads = 32)]
fn beyond_the_list(block: &mut Block, out: &mut Segment<u32>, a: &mut Shared<u32, 32>, b: &mut Shared<u32, 32>) {
    out.fill_by_warp_with(block, 1, (a, b), |warp, (a, _), _| {
        let some = warp.per_lane(|lane| (lane.index() < 5).then(|| lane.index()));
        a.push(warp, &some);
        a.items(warp).get(5)
    });
}

#[test]
fn what_was_not_put_in_is_not_read() {
    let (mut out, offsets) = ([0], Offsets::new(vec![0, 1]).unwrap());
    let args = beyond_the_list::Args { out: Segments { data: &mut out[..], offsets: &offsets } };
    assert_eq!(message(beyond_the_list::launch(&CpuExecutor::new(), 1, args)), "index out of bounds");
}

#[kernel(threads = 32)]
fn no_words(block: &mut Block, out: &mut Chunk<u32, 1>) {
    out.fill_by_warp(block, 1, |warp, _| {
        let lanes = warp.per_lane(|lane| lane.index());
        let []: [u32; 0] = warp.any_of_bits([], &lanes, |_, _, _| true);
        7 + warp.count_none_of_bits([], &lanes, |_, _, _| true)
    });
}

#[test]
fn no_bits_are_asked_about_where_there_are_none() {
    let mut out = [0];
    no_words::launch(&CpuExecutor::new(), 1, no_words::Args { out: &mut out }).unwrap();
    assert_eq!(out, [7]);
}
