//! Warps, and teams that take different branches.

use crate::{machines, numbers, one_segment};
use cuda_host::DeviceBuffer;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use test_kernels as k;

/// The results of `warp_operations`, computed for one warp.
fn warp_rows(values: &[u32; 32], first_thread: u32) -> Vec<[u32; 16]> {
    let ballot =
        |ask: &dyn Fn(u32) -> bool| values.iter().rev().fold(0, |mask, value| mask << 1 | u32::from(ask(*value)));
    let mut halves = *values;
    let mut stride = 16;
    while stride > 0 {
        (0..stride).for_each(|i| halves[i] = halves[i].wrapping_mul(3).wrapping_add(halves[i + stride]));
        stride /= 2;
    }
    let mut running = *values;
    for below in [1, 2, 4, 8, 16] {
        let old = running;
        (below..32).for_each(|i| running[i] = old[i - below].wrapping_mul(5).wrapping_add(old[i]));
    }
    let mut halved = *values;
    let mut rounds = 0;
    while halved.iter().any(|value| *value > 7) {
        halved.iter_mut().for_each(|value| *value /= 2);
        rounds += 1;
    }
    let same = values.iter().all(|value| value % 3 == values[0] % 3);
    (0..32usize)
        .map(|lane| {
            [
                first_thread + lane as u32,
                ballot(&|value| value % 2 == 1) ^ ballot(&|value| value / 2 % 2 == 1).rotate_left(1),
                u32::from(values.iter().any(|v| *v > 900)) + 2 * u32::from(values.iter().all(|v| *v > 9)),
                (0..32).filter(|lane| values[*lane] % 32 > *lane as u32).count() as u32,
                values[5],
                halves[0],
                if same { values[0] % 3 } else { 99 },
                rounds,
                values[31 - lane],
                values[if lane < 3 { lane } else { lane - 3 }],
                values[if lane + 8 < 32 { lane + 8 } else { lane }],
                values[lane ^ 5],
                running[lane],
                if lane == 0 { 77 } else { values[..lane].iter().sum() },
                ballot(&|value| value % 3 == values[lane] % 3),
                halved[lane],
            ]
        })
        .collect()
}

#[test]
fn warps_do_what_they_say_on_both_sides() {
    // The last warp's values are all equal.
    let input: Vec<u32> = (0..1000).map(|i| if i < 480 { i * 37 % 1000 } else { 12 }).collect();
    let found = machines().same(|on| {
        let (input, mut out) = (on.buffer(&input)?, on.zeroed(16 * 32 - 5)?);
        k::warp_operations::launch(on, 4, k::warp_operations::Args { out: out.view_mut(), input: input.view() })?;
        out.download()
    });
    for (warp, rows) in found.chunks(32).enumerate() {
        let values = core::array::from_fn(|lane| input[(warp * 32 + lane) % 1000]);
        let expected = warp_rows(&values, warp as u32 % 4 * 32);
        assert_eq!(rows, &expected[..rows.len()], "warp {warp}");
    }
}

#[test]
fn what_warps_write_stands_in_its_place() {
    let machines = machines();
    for (warps, n) in [(3u32, 7u32), (2, 100), (5, 33), (0, 0)] {
        let (few, many) = (one_segment(warps as usize), one_segment(n as usize));
        let (by_warp, by_index, by_lane) = machines.same(|on| {
            let (few, many) = (on.offsets(&few)?, on.offsets(&many)?);
            let mut a = on.buffer(&vec![9u32; warps as usize])?;
            let (mut b, mut c) = (on.buffer(&vec![9u32; n as usize])?, on.buffer(&vec![9u32; n as usize])?);
            let args = k::written_by_warps::Args {
                by_warp: Segments { data: a.view_mut(), offsets: &few },
                by_index: Segments { data: b.view_mut(), offsets: &many },
                by_lane: Segments { data: c.view_mut(), offsets: &many },
            };
            k::written_by_warps::launch(on, 1, args)?;
            Ok((a.download()?, b.download()?, c.download()?))
        });
        let sum = |w: u32| (0..32).map(|lane| w * 32 + lane).sum::<u32>();
        assert_eq!(by_warp, (0..warps).map(|w| if w < 3 { sum(w) } else { 9 }).collect::<Vec<_>>());
        assert_eq!(by_index, (0..n).map(|i| 4960 * i + i % 3).collect::<Vec<_>>());
        assert_eq!(by_lane, (0..n).collect::<Vec<_>>());
    }
}

#[test]
fn a_warp_loops_by_what_its_lanes_say() {
    let input: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 16).collect();
    let mut expected = input.clone();
    expected.chunks_mut(32).for_each(<[u32]>::sort_unstable);
    let out = machines().same(|on| {
        let (input, mut out) = (on.buffer(&input)?, on.zeroed::<u32>(256)?);
        k::sorted_by_warps::launch(on, 4, k::sorted_by_warps::Args { out: out.view_mut(), input: input.view() })?;
        out.download()
    });
    assert_eq!(out, expected);
}

#[test]
fn no_bits_are_asked_about_where_there_are_none() {
    let out = machines().same(|on| {
        let mut out = on.zeroed::<u32>(1)?;
        k::bits_of_no_words::launch(on, 1, k::bits_of_no_words::Args { out: out.view_mut() })?;
        out.download()
    });
    assert_eq!(out, [7]);
}

#[test]
fn sums_by_warps_have_the_bits_of_the_cpu() {
    let (hundreds, warps) = (Offsets::new(vec![0, 13]).unwrap(), Offsets::new(vec![0, 4]).unwrap());
    let (.., drawn) = machines().same(|on| {
        let (hundreds, warps, input) = (on.offsets(&hundreds)?, on.offsets(&warps)?, on.buffer(&numbers(1300))?);
        let (mut a, mut b, mut c) = (on.zeroed::<f32>(13)?, on.zeroed::<f32>(4)?, on.zeroed(4)?);
        let args = k::warp_sums::Args {
            hundreds: Segments { data: a.view_mut(), offsets: &hundreds },
            warps: Segments { data: b.view_mut(), offsets: &warps },
            drawn: c.view_mut(),
            input: input.view(),
        };
        k::warp_sums::launch(on, 1, args)?;
        Ok((a.download()?, b.download()?, c.download()?))
    });
    assert_eq!(drawn, [496; 4]);
}

#[test]
fn teams_of_one_warp_go_their_own_ways() {
    let input: Vec<u32> = (1..=1000).collect();
    let turns = |mut left: u32| {
        let mut turns = 0;
        while left > 1 {
            left = if left.is_multiple_of(2) { left / 2 } else { 3 * left + 1 };
            turns += 1;
        }
        turns
    };
    let expected: Vec<u32> = input.iter().map(|left| turns(*left)).collect();
    let list = Offsets::new(vec![0, 1000]).unwrap();
    let found = machines().same(|on| {
        let (list, input, mut out) = (on.offsets(&list)?, on.buffer(&input)?, on.zeroed(1000)?);
        let args = k::team_turns::Args { out: Segments { data: out.view_mut(), offsets: &list }, input: input.view() };
        k::team_turns::launch(on, 1, args)?;
        out.download()
    });
    assert_eq!(found, expected);
}

#[test]
fn a_warp_does_not_wait_for_a_dead_lane() {
    let on_cpu = {
        let mut out = [0; 20];
        let args = k::warp_panics::Args { out: &mut out[..], limit: 1000, fails: 1 };
        match k::warp_panics::launch(&CpuExecutor::new(), 10, args) {
            Err(LaunchError::Panic(panic)) => panic,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((on_cpu.block, on_cpu.thread), ([0, 0, 0], [35, 0, 0]));
    let machines = machines();
    let Some(gpu) = machines.gpu() else { return };
    let mut out = DeviceBuffer::zeroed(gpu.stream(), 20).unwrap();
    let mut run = |fails| {
        let args = k::warp_panics::Args { out: out.view_mut(), limit: 1000, fails };
        k::warp_panics::launch(gpu, 10, args)?;
        out.download(gpu.stream())
    };
    assert_eq!(run(0).unwrap(), [1000; 20]);
    let error = run(1).unwrap_err();
    let panic = error.kernel_panic().expect("a panic");
    assert_eq!((panic.line, panic.block, panic.thread), (on_cpu.line, on_cpu.block, on_cpu.thread));
    assert_eq!(run(0).unwrap(), [1000; 20], "the context lives on");
}
