//! Lists that a block collects.

use crate::message;
use cuda_std::launch::LaunchError;
use cuda_std::lists::Lists;
use cuda_std::prelude::*;

/// The words that a test reads from a list: its count, whether it is complete, then its items.
const SHOWN: u32 = 12;

static NUMBERS: [u32; 100] = {
    let (mut numbers, mut i) = ([0; 100], 0);
    while i < 100 {
        numbers[i] = i as u32;
        i += 1;
    }
    numbers
};

#[kernel(threads = 64)]
fn collect(
    block: &mut Block,
    out: &mut Segment<u32>,
    words: &mut Segment<u32>,
    n: u32,
    m: u32,
    lanes: u32,
    every: u32,
) {
    fn shown(block: &mut Block, out: &mut Segment<u32>, lists: Lists, n: u32, room: u32) {
        let len = lists.len() + u32::from(lists.is_empty()) * 1000;
        out.fill(block, n * SHOWN, |at| {
            let (i, k) = (at / SHOWN, at % SHOWN);
            match k {
                0 => lists.count(i),
                1 => u32::from(lists.is_complete(i)),
                2 => len,
                _ if k - 3 < room && k - 3 < lists.count(i) => lists.get(i, k - 3),
                _ => 777,
            }
        });
    }
    let room = words.len().checked_div(n).unwrap_or(0).saturating_sub(1);
    // Element i keeps multiples of i + every.
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
    shown(block, out, lists, n, room);
}

fn run(words: usize, n: usize, m: u32, lanes: u32, every: u32) -> Result<(Vec<Vec<u32>>, Vec<u32>), LaunchError> {
    let mut out = vec![0; n * SHOWN as usize];
    let mut memory = vec![u32::MAX; words];
    let of = |n: usize| Offsets::new(vec![0, n as u32]).unwrap();
    let (shown, all) = (of(out.len()), of(words));
    collect::launch(
        &CpuExecutor::new(),
        1,
        collect::Args {
            out: Segments { data: &mut out, offsets: &shown },
            words: Segments { data: &mut memory[..], offsets: &all },
            n: n as u32,
            m,
            lanes,
            every,
        },
    )?;
    Ok((out.chunks(SHOWN as usize).map(<[u32]>::to_vec).collect(), memory))
}

#[test]
fn lists_hold_what_was_kept_in_rising_order() {
    for lanes in [1, 4, 8, 16, 32] {
        for (n, m, room) in [(1usize, 30, 40), (7, 50, 40), (70, 100, 9), (70, 100, 1), (3, 0, 4), (5, 33, 0)] {
            // Interpreters take their time.
            if cfg!(miri) && n == 70 {
                continue;
            }
            // Some words are left over.
            let words = n * (room + 1) + n.saturating_sub(1);
            let (lists, _) = run(words, n, m, lanes, 2).unwrap();
            for (i, list) in lists.iter().enumerate() {
                let kept: Vec<u32> = (0..m).filter(|j| j % (i as u32 + 2) == 0).collect();
                let how = format!("list {i} of {n}, {m} candidates, room for {room}, {lanes} lanes");
                assert_eq!(list[0] as usize, kept.len(), "{how}: the count says how many there were");
                assert_eq!(list[1] == 1, kept.len() <= room, "{how}");
                assert_eq!(list[2] as usize, n, "{how}");
                let held: Vec<u32> = kept.into_iter().take(room).chain(std::iter::repeat(777)).take(9).collect();
                assert_eq!(list[3..], held, "{how}");
            }
        }
    }
}

/// Items of neighbouring lists are adjacent, so reading them is fast.
#[test]
fn items_of_neighbours_are_neighbours() {
    let (_, memory) = run(4 * 3, 3, 5, 8, 2).unwrap();
    // Multiples of 2, 3 and 4 below 5: counts, first, second and third items.
    assert_eq!(memory[..3], [3, 2, 2]);
    assert_eq!(memory[3..6], [0, 0, 0]);
    assert_eq!(memory[6..9], [2, 3, 4]);
    assert_eq!(memory[9], 4);
}

#[test]
fn no_list_needs_no_memory() {
    assert!(run(0, 0, 10, 8, 2).unwrap().0.is_empty());
}

#[test]
fn a_list_needs_a_word_for_its_count() {
    assert_eq!(message(run(4, 5, 10, 8, 2)), "index out of bounds", "five lists do not fit four words");
}

#[kernel(threads = 32)]
fn read(block: &mut Block, out: &mut Segment<u32>, words: &mut Segment<u32>, list: u32, item: u32, what: u32) {
    // Four lists of three words: room for two.
    let lists = words.collect::<8, _>(block, 4, 10, |_| |j| j < 2);
    let value = match what {
        0 => lists.count(list),
        1 => u32::from(lists.is_complete(list)),
        _ => lists.get(list, item),
    };
    out.set(block, 0, value);
}

#[test]
fn lists_are_read_in_bounds() {
    let run = |list, item, what| {
        let (mut out, mut memory) = ([0u32], [0u32; 12]);
        let (one, all) = (Offsets::new(vec![0, 1]).unwrap(), Offsets::new(vec![0, 12]).unwrap());
        let args = read::Args {
            out: Segments { data: &mut out[..], offsets: &one },
            words: Segments { data: &mut memory[..], offsets: &all },
            list,
            item,
            what,
        };
        read::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
    };
    assert_eq!((run(3, 0, 0), run(3, 0, 1), run(3, 1, 2)), (Ok(2), Ok(1), Ok(1)));
    for (list, item, what) in [(4, 0, 0), (4, 0, 1), (4, 0, 2), (0, 2, 2), (u32::MAX, 0, 2), (0, u32::MAX, 2)] {
        assert!(matches!(run(list, item, what), Err(LaunchError::Panic(_))), "{list}, {item}, {what}");
    }
}
