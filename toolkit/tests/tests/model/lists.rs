//! Lists that the teams of a block collect.

use crate::{machines, one_segment};
use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;
use test_kernels as k;
use toolkit_tests::dice::numbers;

const SHOWN: usize = k::SHOWN as usize;

/// Collects `n` lists of `m` candidates: what is shown of each, one after the other, and the memory.
fn collect(
    on: &Machine,
    len: usize,
    n: u32,
    m: u32,
    lanes: u32,
    every: u32,
) -> Result<(Vec<u32>, Vec<u32>), CudaError> {
    let (shown, all) = (one_segment(n as usize * SHOWN), one_segment(len));
    let (shown, all) = (on.offsets(&shown)?, on.offsets(&all)?);
    let (mut out, mut words) = (on.zeroed::<u32>(n as usize * SHOWN)?, on.buffer(&vec![u32::MAX; len])?);
    let args = k::collected::Args {
        out: Segments { data: out.view_mut(), offsets: &shown },
        words: Segments { data: words.view_mut(), offsets: &all },
        n,
        m,
        lanes,
        every,
    };
    k::collected::launch(on, 1, args)?;
    Ok((out.download()?, words.download()?))
}

#[test]
fn lists_hold_what_was_kept_in_rising_order() {
    let machines = machines();
    for lanes in [1, 4, 8, 16, 32] {
        for (n, m, room) in [(1u32, 30, 40), (7, 50, 40), (70, 100, 9), (70, 100, 1), (3, 0, 4), (5, 33, 0)] {
            // Interpreters take their time.
            if cfg!(miri) && n == 70 {
                continue;
            }
            // Some words are left over.
            let len = n * (room + 1) + n.saturating_sub(1);
            let (lists, _) = machines.same(|on| collect(on, len as usize, n, m, lanes, 2));
            for (i, list) in lists.chunks(SHOWN).enumerate() {
                let kept: Vec<u32> = (0..m).filter(|j| j % (i as u32 + 2) == 0).collect();
                let how = format!("list {i} of {n}, {m} candidates, room for {room}, {lanes} lanes");
                assert_eq!(list[0] as usize, kept.len(), "{how}: the count says how many there were");
                assert_eq!(list[1] == 1, kept.len() <= room as usize, "{how}");
                assert_eq!(list[2], n, "{how}");
                let none = std::iter::repeat(k::NO_ITEM);
                let held: Vec<u32> = kept.into_iter().take(room as usize).chain(none).take(SHOWN - 3).collect();
                assert_eq!(list[3..], held, "{how}");
            }
        }
    }
}

/// Items of neighbouring lists are adjacent, so reading them is fast.
#[test]
fn items_of_neighbours_are_neighbours() {
    let (_, memory) = machines().same(|on| collect(on, 4 * 3, 3, 5, 8, 2));
    // Multiples of 2, 3 and 4 below 5: counts, first, second and third items.
    assert_eq!(memory[..3], [3, 2, 2]);
    assert_eq!(memory[3..6], [0, 0, 0]);
    assert_eq!(memory[6..9], [2, 3, 4]);
    assert_eq!(memory[9], 4);
}

#[test]
fn no_list_needs_no_memory() {
    assert!(machines().same(|on| collect(on, 0, 0, 10, 8, 2)).0.is_empty());
}

#[test]
fn a_list_needs_a_word_for_its_count() {
    let panic = machines().panic(|on| collect(on, 4, 5, 10, 8, 2));
    assert_eq!(panic.message.as_deref(), Some("index out of bounds"), "five lists do not fit four words");
}

#[test]
fn lists_are_read_in_bounds() {
    let (machines, all) = (machines(), one_segment(12));
    let run = |on: &Machine, (list, item, what)| {
        let (all, mut out, mut words) = (on.offsets(&all)?, on.zeroed::<u32>(1)?, on.zeroed::<u32>(12)?);
        let words = Segments { data: words.view_mut(), offsets: &all };
        k::of_list::launch(on, 1, k::of_list::Args { out: out.view_mut(), words, list, item, what })?;
        out.download()
    };
    for (of, expected) in [((3, 0, 0), 2), ((3, 0, 1), 1), ((3, 1, 2), 1)] {
        assert_eq!(machines.same(|on| run(on, of)), [expected], "{of:?}");
    }
    for of in [(4, 0, 0), (4, 0, 1), (4, 0, 2), (0, 2, 2), (u32::MAX, 0, 2), (0, u32::MAX, 2)] {
        machines.panic(|on| run(on, of));
    }
}

#[test]
fn lists_of_kept_elements_have_the_words_of_the_cpu() {
    let machines = machines();
    for (n, room) in [(0u32, 3u32), (1, 3), (40, 50), (1000, 200), (1000, 1000)] {
        let (x, limits) = (numbers(n as usize, 1), numbers(170, 2));
        let words = Offsets::new((0..=4).map(|block| block * 50 * (room + 1)).collect()).unwrap();
        let (lists, _) = machines.same(|on| {
            let (x, limits, offsets) = (on.buffer(&x)?, on.buffer(&limits)?, on.offsets(&words)?);
            let (mut out, mut words) = (on.zeroed::<[u32; 3]>(170)?, on.zeroed::<u32>(words.end() as usize)?);
            let list = Segments { data: words.view_mut(), offsets: &offsets };
            let args = k::filtered::Args { out: out.view_mut(), words: list, x: x.view(), limits: limits.view() };
            k::filtered::launch(on, 4, args)?;
            Ok((out.download()?, words.download()?))
        });
        for ([count, ..], limit) in lists.iter().zip(&limits) {
            let kept = |(j, x): &(usize, &f32)| *x <= limit && j % 7 != 0;
            assert_eq!(*count as usize, x.iter().enumerate().filter(kept).count(), "{n} elements");
        }
    }
}

#[test]
fn what_teams_find_step_by_step_has_the_bits_of_the_cpu() {
    let machines = machines();
    for (n, room) in [(0u32, 3u32), (8, 3), (40, 50), (1000, 200), (1000, 1000)] {
        let (x, limits) = (numbers(n as usize, 1), numbers(170, 2));
        let words = Offsets::new((0..=4).map(|block| block * 50 * (room + 1)).collect()).unwrap();
        let (found, _) = machines.same(|on| {
            let (x, limits, offsets) = (on.buffer(&x)?, on.buffer(&limits)?, on.offsets(&words)?);
            let (mut out, mut words) = (on.zeroed::<[f32; 2]>(170)?, on.zeroed::<u32>(words.end() as usize)?);
            let list = Segments { data: words.view_mut(), offsets: &offsets };
            let args =
                k::collected_by_teams::Args { out: out.view_mut(), words: list, x: x.view(), limits: limits.view() };
            k::collected_by_teams::launch(on, 4, args)?;
            Ok((out.download()?, words.download()?))
        });
        for ([_, count], limit) in found.iter().zip(&limits) {
            let eights = x.as_chunks::<8>().0.iter().filter(|eight| eight[0] <= *limit);
            assert_eq!(*count as usize, eights.flatten().filter(|x| *x <= limit).count(), "{n} elements");
        }
    }
}
