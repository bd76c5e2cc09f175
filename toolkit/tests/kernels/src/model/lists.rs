//! Lists that the teams of a block collect.

use cuda_std::lists::Lists;
use cuda_std::prelude::*;

/// The words that [`fn@collected`] writes of each list: its count, whether it is complete, the number of lists, then its items.
pub const SHOWN: u32 = 12;

/// What [`fn@collected`] writes in place of an item that a list does not have.
pub const NO_ITEM: u32 = 777;

static NUMBERS: [u32; 100] = {
    let (mut numbers, mut i) = ([0; 100], 0);
    while i < 100 {
        numbers[i] = i as u32;
        i += 1;
    }
    numbers
};

/// `n` lists: list `i` keeps the multiples of `i + every` below `m`. `lanes` chooses one of five ways.
#[kernel(threads = 64)]
pub fn collected(
    block: &mut Block,
    out: &mut Segment<u32>,
    words: &mut Segment<u32>,
    n: u32,
    m: u32,
    lanes: u32,
    every: u32,
) {
    let room = words.len().checked_div(n).unwrap_or(0).saturating_sub(1);
    let keep = |i: u32| move |j: u32| j.is_multiple_of(i + every);
    let lists = match lanes {
        1 => words.collect::<1, _>(block, n, m, keep),
        8 => words.collect::<8, _>(block, n, m, keep),
        // The same for elements of an array. Each element is its own index.
        16 => words.collect_of::<16, _, _>(block, n, View::of(&NUMBERS).part(0, m), |i| {
            move |at, j: u32| j.is_multiple_of(i + every) && at == j
        }),
        // The same by teams, which pass over some that have none.
        4 => words.collect_by_team::<4>(block, n, |team, i, list| {
            let has_one = |first: u32| (first..first + 4).any(|j| j.is_multiple_of(i + every));
            for first in (0..m).step_by(4).filter(|first| has_one(*first)) {
                let votes = team.votes(|k| first + k < m && (first + k).is_multiple_of(i + every));
                // Bits behind the team's do not count.
                list.push(first, votes | 1 << 5);
            }
        }),
        _ => words.collect::<32, _>(block, n, m, keep),
    };
    let len = lists.len() + u32::from(lists.is_empty()) * 1000;
    out.fill(block, n * SHOWN, |at| {
        let (i, k) = (at / SHOWN, at % SHOWN);
        match k {
            0 => lists.count(i),
            1 => u32::from(lists.is_complete(i)),
            2 => len,
            _ if k - 3 < room && k - 3 < lists.count(i) => lists.get(i, k - 3),
            _ => NO_ITEM,
        }
    });
}

/// Four lists of 0 and 1, with room for both: the count of `list` (`what` is 0), whether it is complete (1), or an item (2).
#[kernel(threads = 32)]
pub fn of_list(block: &mut Block, out: &mut Chunk<u32, 1>, words: &mut Segment<u32>, list: u32, item: u32, what: u32) {
    let lists: Lists = words.collect::<8, _>(block, 4, 10, |_| |j| j < 2);
    let value = match what {
        0 => lists.count(list),
        1 => u32::from(lists.is_complete(list)),
        _ => lists.get(list, item),
    };
    out.set(block, 0, value);
}

/// For each of a block's 50 limits: the sum of the eights of `x` whose first element does not exceed it, in the order of teams, and
/// the number of their elements that do not exceed it. Each team takes eights of its own, and lists those elements.
#[kernel(threads = 96)]
pub fn collected_by_teams(
    block: &mut Block,
    out: &mut Chunk<[f32; 2], 50, WriteOnly>,
    words: &mut Segment<u32>,
    x: &[f32],
    limits: &[f32],
) {
    let (n, begin) = (out.len(), out.start());
    let eights = x.len() as u32 / 8;
    let lists = words.collect_by_team::<8>(block, n, |team, i, list| {
        let limit = limits.at(begin + i);
        for first in (0..eights).map(|eight| 8 * eight).filter(|first| x.at(*first) <= limit) {
            let votes = team.votes(|k| x.at(first + k) <= limit);
            list.push(first, votes);
        }
    });
    out.fill_by_team::<8>(block, n, |team, i| {
        let limit = limits.at(begin + i);
        let mut sums = team.per_member(|_| 0.0);
        for first in (0..eights).map(|eight| 8 * eight).filter(|first| x.at(*first) <= limit) {
            team.each(&mut sums, |k, sum| *sum = math::fma(x.at(first + k), 1.25, *sum));
        }
        [team.combine(&sums, |a, b| a + b), lists.count(i) as f32]
    });
}

/// For each of a block's 50 limits, a list of the indices of elements of `x` that do not exceed it and are no multiples of 7:
/// their number, a hash of the indices that fit, and the last of these.
#[kernel(threads = 96)]
pub fn filtered(
    block: &mut Block,
    out: &mut Chunk<[u32; 3], 50, WriteOnly>,
    words: &mut Segment<u32>,
    x: &[f32],
    limits: &[f32],
) {
    let (n, first) = (out.len(), out.start());
    let room = words.len() / n - 1;
    let lists = words.collect_of::<16, _, _>(block, n, View::of(x), |i| {
        let limit = limits.at(first + i);
        move |j, x: f32| x <= limit && !j.is_multiple_of(7)
    });
    out.fill(block, n, |i| {
        let held = lists.count(i).min(room);
        let sum = (0..held).fold(0u32, |sum, k| sum.wrapping_mul(31).wrapping_add(lists.get(i, k)));
        [lists.count(i), sum, if held > 0 { lists.get(i, held - 1) } else { u32::MAX }]
    });
}
