//! A warp's lists, items that lanes read together, and parts of memory that warps take in turn.

use crate::{machines, one_segment};
use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;
use test_kernels as k;

#[test]
fn lists_of_warps_hold_what_their_lanes_put_in() {
    let list = Offsets::new(vec![0, 300, 301, 420]).unwrap();
    let found = machines().same(|on| {
        let (list, mut out) = (on.offsets(&list)?, on.buffer(&vec![[9; 4]; 420])?);
        let args = k::pushed_lists::Args { out: Segments { data: out.view_mut(), offsets: &list } };
        k::pushed_lists::launch(on, 3, args)?;
        out.download()
    });
    for (i, row) in (0..300).chain(0..1).chain(0..119).zip(&found) {
        let kept: Vec<u32> = (0..i).filter(|k| k % 3 == 0).take(40).collect();
        let even = kept.iter().filter(|k| *k % 2 == 0).count() as u32;
        let complete = u32::from(i.div_ceil(3) <= 40);
        assert_eq!(*row, [kept.len() as u32, complete, kept.iter().sum(), 2000 * even + even], "{i}");
    }
}

#[test]
fn what_was_not_put_in_is_not_read() {
    let machines = machines();
    let run = |on: &Machine, i| {
        let mut out = on.zeroed::<u32>(1)?;
        k::item_of_five::launch(on, 1, k::item_of_five::Args { out: out.view_mut(), i })?;
        out.download()
    };
    assert_eq!(machines.same(|on| run(on, 4)), [4]);
    for i in [5, u32::MAX] {
        assert_eq!(machines.panic(|on| run(on, i)).message.as_deref(), Some("index out of bounds"), "{i}");
    }
}

#[test]
fn a_warp_keeps_what_it_chooses_in_the_lanes_order() {
    let n = 41;
    let offsets = one_segment(n);
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&vec![[9u32; 4]; n])?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::retained::launch(on, 1, k::retained::Args { out: segments })?;
        out.download()
    });
    for (i, found) in out.iter().enumerate() {
        let kept: Vec<u32> = (0..i as u32).filter(|k| k % 3 == 0).collect();
        let sum = kept.iter().map(|k| 1000 * k * k + k).sum::<u32>();
        let few: Vec<u32> = kept.iter().filter(|k| *k % 2 == 0 && **k != 6).map(|k| k * k).collect();
        assert_eq!(*found, [i as u32, sum, few.iter().sum(), u32::from(few.len() <= 7)], "{i}");
    }
}

#[test]
fn a_warp_counts_questions_that_find_an_item() {
    let n = 100;
    let offsets = one_segment(n);
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&vec![9u32; n])?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::divisible::launch(on, 1, k::divisible::Args { out: segments })?;
        out.download()
    });
    for (i, found) in (0..).zip(out) {
        let is_divisible = |number: &u32| (2..2 + i.min(11)).any(|d| *number > d && number.is_multiple_of(d));
        assert_eq!(found, (0..i).filter(is_divisible).count() as u32, "{i}");
    }
}

#[test]
fn a_list_of_picks_is_read_to_its_end_wherever_that_is() {
    let x: Vec<[f32; 4]> = (0..50).map(|i| [0.0, 0.0, 0.0, 3.0 * i as f32]).collect();
    let offsets = one_segment(50);
    let out = machines().same(|on| {
        let (offsets, x, mut out) = (on.offsets(&offsets)?, on.buffer(&x)?, on.buffer(&[[9u32; 2]; 50])?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::picked::launch(on, 1, k::picked::Args { out: segments, x: x.view() })?;
        out.download()
    });
    for (i, found) in (0..).zip(out) {
        let sum: u32 = (0..i).take(k::PICKED).sum();
        assert_eq!(found, [sum, 3 * sum], "{i}");
    }
}

#[test]
fn ranges_are_dealt_out_one_after_the_other_to_all_lanes() {
    let n = 101;
    let offsets = one_segment(n);
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&vec![[9u32; 2]; n])?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::weighted_ranges::launch(on, 1, k::weighted_ranges::Args { out: segments })?;
        out.download()
    });
    for (i, found) in (0u32..).zip(out) {
        assert_eq!(found, [(0..i).map(|number| number * (number + 1)).sum(), i.div_ceil(32)], "{i}");
    }
}

/// Where the parts of `thinned_parts` begin: an empty one, a small one, and one that is longer than a warp.
const STARTS: [u32; 5] = [0, 0, 3, 45, 50];

fn thinned(on: &Machine, starts: &[u32]) -> Result<Vec<[u32; 3]>, CudaError> {
    let offsets = one_segment(50);
    let (offsets, starts, mut out) = (on.offsets(&offsets)?, on.buffer(starts)?, on.buffer(&[[9u32; 3]; 50])?);
    let segments = Segments { data: out.view_mut(), offsets: &offsets };
    k::thinned_parts::launch(on, 1, k::thinned_parts::Args { out: segments, starts: starts.view() })?;
    out.download()
}

#[test]
fn every_part_is_written_by_one_warp_in_any_order() {
    let mut expected = Vec::new();
    for part in STARTS.windows(2) {
        let n = part[1] - part[0];
        for i in 0..n {
            let all: Vec<u32> = (0..6).flat_map(|l| 10 * l..10 * l + n).collect();
            let complete = all.len() <= 20;
            // Nothing is dropped of a list that is not complete.
            let kept: Vec<u32> =
                all.iter().take(20).copied().filter(|k| !complete || k.is_multiple_of(i + 1)).collect();
            let last = kept.last().copied().unwrap_or(0);
            expected.push([kept.len() as u32 + 100 * last, kept.iter().sum(), u32::from(complete)]);
        }
    }
    assert_eq!(machines().same(|on| thinned(on, &STARTS)), expected);
}

#[test]
fn parts_that_overlap_are_refused_before_anything_is_written() {
    let machines = machines();
    for starts in [&[0, 10, 5, 20][..], &[0, 51]] {
        let panic = machines.panic(|on| thinned(on, starts));
        assert!(panic.to_string().contains("parts overlap, or go beyond the memory"), "{panic}");
    }
}

#[test]
fn a_warp_knows_what_an_element_was() {
    let offsets = one_segment(40);
    let items = machines().same(|on| {
        let (offsets, mut items) = (on.offsets(&offsets)?, on.buffer(&(0..40).collect::<Vec<u32>>())?);
        let segments = Segments { data: items.view_mut(), offsets: &offsets };
        k::halved_by_warps::launch(on, 1, k::halved_by_warps::Args { items: segments })?;
        items.download()
    });
    let expected: Vec<u32> = (0..40).map(|i| if i % 2 == 0 { i / 2 } else { i + 1000 * i }).collect();
    assert_eq!(items, expected);
}

#[test]
fn an_index_beyond_the_end_is_the_last_ones() {
    let machines = machines();
    let run = |on: &Machine, x: &[u32]| {
        let (x, mut out) = (on.buffer(x)?, on.zeroed::<u32>(8)?);
        k::clamped_reads::launch(on, 1, k::clamped_reads::Args { out: out.view_mut(), x: x.view() })?;
        out.download()
    };
    assert_eq!(machines.same(|on| run(on, &[5, 6, 7])), [5, 6, 7, 7, 7, 7, 7, 7]);
    machines.panic(|on| run(on, &[]));
}
