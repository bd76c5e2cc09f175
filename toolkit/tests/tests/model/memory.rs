//! Phases that write memory, its views, and the place of a block in its grid.

use crate::{machines, one_segment};
use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;
use test_kernels as k;

#[test]
fn phases_write_each_element_once_and_the_next_phase_sees_it() {
    let machines = machines();
    for n in [3, 63, 64, 65, 200] {
        let offsets = one_segment(n + 5);
        let out = machines.same(|on| {
            let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&vec![7u32; n + 5])?);
            let segments = Segments { data: out.view_mut(), offsets: &offsets };
            k::phases::launch(on, 1, k::phases::Args { out: segments, n: n as u32 })?;
            out.download()
        });
        let last = if n == 3 { 1000 } else { 11 * (n as u32 - 1) };
        for (i, found) in out[..n].iter().enumerate() {
            let before = if i == 2 { 1000 } else { 11 * i as u32 };
            assert_eq!(*found, before + last, "element {i} of {n}");
        }
        assert_eq!(out[n..], [7; 5], "the rest is as it was");
    }
}

#[test]
fn threads_write_their_states_as_far_as_there_is_room() {
    let machines = machines();
    for (len, first) in [(64, 0), (100, 0), (100, 50), (63, 0), (10, 9), (10, 10), (10, 11), (5, u32::MAX)] {
        let offsets = one_segment(len);
        let out = machines.same(|on| {
            let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&vec![7u32; len])?);
            let segments = Segments { data: out.view_mut(), offsets: &offsets };
            k::written_states::launch(on, 1, k::written_states::Args { out: segments, first })?;
            out.download()
        });
        for (i, found) in out.iter().enumerate() {
            let expected = match (i as u32).checked_sub(first) {
                // Its index once at the start, a thousand times in a phase, and once when it is written.
                Some(thread) if thread < 64 => 100 + 1002 * thread,
                _ => 7,
            };
            assert_eq!(*found, expected, "element {i} of {len}, from {first}");
        }
    }
}

#[test]
fn parts_are_the_memory_they_are_made_of() {
    let offsets = one_segment(3);
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.zeroed::<[u32; 4]>(3)?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::written_by_views::launch(on, 1, k::written_by_views::Args { out: segments })?;
        out.download()
    });
    assert_eq!(out.concat(), [0, 1, 2, 91, 4, 5, 6, 1007, 2008, 3009, 4010, 5011]);
}

#[test]
fn tiles_hold_what_was_filled() {
    let offsets = one_segment(54);
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.zeroed::<u32>(54)?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::shared_arrays::launch(on, 1, k::shared_arrays::Args { out: segments })?;
        out.download()
    });
    for (i, found) in out[..49].iter().enumerate() {
        assert_eq!(*found, (i * i + usize::from(i < 10)) as u32, "element {i}");
    }
    assert_eq!(out[49..], [5, 0, 0, 1, 104]);
}

#[test]
fn inputs_are_read_in_bounds() {
    let (machines, values) = (machines(), [10u32, 11, 12, 13, 14]);
    let run = |on: &Machine, first, n, at| {
        let (values, mut out) = (on.buffer(&values)?, on.zeroed::<u32>(2)?);
        let args = k::part_of_input::Args { out: out.view_mut(), values: values.view(), first, n, at };
        k::part_of_input::launch(on, 1, args)?;
        out.download()
    };
    for (first, n, at, expected) in [(0, 5, 4, 14), (2, 3, 0, 12), (4, 1, 0, 14)] {
        assert_eq!(machines.same(|on| run(on, first, n, at)), [n, expected]);
    }
    for (first, n, at) in
        [(0, 6, 0), (5, 1, 0), (6, 0, 0), (1, u32::MAX, 0), (u32::MAX, 1, 0), (0, 5, 5), (2, 3, 3), (0, 5, u32::MAX)]
    {
        let panic = machines.panic(|on| run(on, first, n, at));
        assert_eq!(panic.message.as_deref(), Some("index out of bounds"), "{first}, {n}, {at}");
    }
}

#[test]
fn a_block_gets_its_own_segment() {
    let offsets = Offsets::new(vec![2, 5, 5, 9]).unwrap();
    let out = machines().same(|on| {
        let (offsets, mut out) = (on.offsets(&offsets)?, on.buffer(&[[7u32; 4]; 11])?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::segment_of_block::launch(on, 3, k::segment_of_block::Args { out: segments })?;
        out.download()
    });
    assert_eq!(out[..2], [[7; 4]; 2]);
    assert_eq!(out[2..5], [[2, 3, 0, 32]; 3]);
    assert_eq!(out[5..9], [[5, 4, 2, 32]; 4]);
    assert_eq!(out[9..], [[7; 4]; 2]);
}

#[test]
fn blocks_are_numbered_with_x_fastest() {
    fn run(on: &Machine, grid: Grid) -> Result<Vec<[u32; 7]>, CudaError> {
        let blocks = grid.blocks().expect("few blocks");
        let offsets = on.offsets(&Offsets::new((0..=blocks).collect()).unwrap())?;
        let mut out = on.buffer(&vec![[99u32; 7]; blocks as usize])?;
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::place_in_grid::launch(on, grid, k::place_in_grid::Args { out: segments })?;
        out.download()
    }
    let machines = machines();
    for (x, y, z) in [(1, 1, 1), (5, 1, 1), (1, 4, 1), (1, 1, 3), (3, 4, 5)] {
        let found = machines.same(|on| run(on, (x, y, z).into()));
        for (i, found) in (0..).zip(found) {
            assert_eq!(found, [i, i % x, i / x % y, i / x / y, x, y, z]);
        }
    }
    assert_eq!(machines.same(|on| run(on, (2, 2).into()))[2], [2, 0, 1, 0, 2, 2, 1]);
    assert_eq!(machines.same(|on| run(on, 2.into()))[1], [1, 1, 0, 0, 2, 1, 1]);
    for empty in [(0, 3, 3), (3, 0, 3), (3, 3, 0)] {
        assert_eq!(machines.same(|on| run(on, empty.into())), [] as [[u32; 7]; 0]);
    }
}

#[test]
fn all_phases_give_the_same_bits_in_every_order() {
    let input: Vec<f32> = (0..2500u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-5 - 70.0).collect();
    let offsets = one_segment(2500);
    let run = |on: &Machine| {
        let (offsets, input, mut out) = (on.offsets(&offsets)?, on.buffer(&input)?, on.zeroed::<f32>(2500)?);
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        k::mixture::launch(on, 1, k::mixture::Args { out: segments, input: input.view() })?;
        out.download()
    };
    let expected = machines().same(run);
    for seed in 0..10 {
        let found = run(&CpuExecutor::shuffled(seed).into()).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "seed {seed}");
    }
}
