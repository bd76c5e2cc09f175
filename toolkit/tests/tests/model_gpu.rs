//! The kernel model on CPU cores and on a GPU: every part gives the same bits.

use cuda_host::{CudaError, DeviceBuffer, Machine};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use test_kernels as k;
use toolkit_tests::device::Machines;

fn machines() -> Machines {
    Machines::new("test kernels", k::IMAGE)
}

/// Numbers of both signs and many exponents.
fn numbers(n: u32) -> Vec<f32> {
    (0..n)
        .map(|i| ((i.wrapping_mul(2_654_435_761) >> 9) as f32 * 1e-4 - 400.0) * if i % 5 == 0 { 1e-3 } else { 1.0 })
        .collect()
}

fn words(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect()
}

#[test]
fn chunks_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in [1u32, 511, 512, 513, 5000] {
        let (a, b) = (numbers(n), numbers(n + 7)[7..].to_vec());
        machines.same(|on| {
            let (a, b, mut out) = (on.buffer(&a)?, on.buffer(&b)?, on.buffer(&vec![9.0; n as usize])?);
            let args = k::add::Args { out: out.view_mut(), a: a.view(), b: b.view(), scale: 0.7 };
            k::add::launch(on, n.div_ceil(512), args)?;
            out.download()
        });
    }
    machines.same(|on| {
        let (input, mut out) = (on.buffer(&numbers(1001))?, on.zeroed::<[f32; 4]>(1000)?);
        k::scaled_rows::launch(on, 11, k::scaled_rows::Args { out: out.view_mut(), input: input.view() })?;
        out.download()
    });
}

#[test]
fn tiles_of_matrices_have_the_bits_of_the_cpu() {
    let machines = machines();
    for (rows, columns) in [(1u32, 1u32), (32, 32), (33, 31), (37, 70), (100, 257), (64, 1)] {
        let input = numbers(rows * columns);
        let found = machines.same(|on| {
            let (input, mut out) = (on.buffer(&input)?, on.zeroed(input.len())?);
            let args = k::transposed::Args { out: Matrix { data: out.view_mut(), columns }, input: input.view() };
            k::transposed::launch(on, (columns.div_ceil(32), rows.div_ceil(32)), args)?;
            out.download()
        });
        for (at, found) in (0..).zip(found) {
            let (row, column) = (at / columns, at % columns);
            assert_eq!(found.to_bits(), input[(column * rows + row) as usize].to_bits(), "{rows} x {columns}");
        }
        let found = machines.same(|on| {
            let mut out = on.zeroed(input.len())?;
            let args = k::crossed::Args { out: Matrix { data: out.view_mut(), columns } };
            k::crossed::launch(on, (columns.div_ceil(32), rows.div_ceil(16)), args)?;
            out.download()
        });
        assert_eq!(found, (0..rows * columns).map(|at| at / columns * 1000 + at % columns).collect::<Vec<_>>());
    }
}

#[test]
fn atomics_have_the_state_of_the_cpu() {
    let machines = machines();
    let bins = machines.same(|on| {
        let (values, mut bins) = (on.buffer(&words(100_000))?, on.buffer(&[3; 256])?);
        let args = k::histogram::Args { bins: bins.view_mut(), values: values.view(), per_block: 999 };
        k::histogram::launch(on, 101, args)?;
        bins.download()
    });
    assert_eq!(bins.iter().sum::<u32>(), 100_000 + 3 * 256);

    let blocks = 7;
    let list = Offsets::new((0..=blocks).map(|block| block * 4).collect()).unwrap();
    let (_, (floats, _)) = machines.same(|on| {
        let (list, values, mut own) = (on.offsets(&list)?, on.buffer(&numbers(1000))?, on.buffer(&[0i32; 28])?);
        let (mut words, mut signed) = (on.buffer(&[1u32 << 20; 6])?, on.buffer(&[0i32; 3])?);
        let (mut long, mut floats) = (on.buffer(&[1u64 << 45; 3])?, on.buffer(&[0.0f32; 3])?);
        let mut system = on.buffer(&[0u32; 2])?;
        let args = k::extremes::Args {
            own: Segments { data: own.view_mut(), offsets: &list },
            words: words.view_mut(),
            signed: signed.view_mut(),
            long: long.view_mut(),
            floats: floats.view_mut(),
            system: system.view_mut(),
            values: values.view(),
        };
        k::extremes::launch(on, blocks, args)?;
        let whole = ((own.download()?, words.download()?), (signed.download()?, long.download()?));
        Ok((whole, (floats.download()?, system.download()?)))
    });
    assert!(floats[0] < -100.0 && floats[1] > 100.0 && floats[2] > 1000.0);

    machines.same(|on| {
        let (mut out, mut next) = (on.zeroed::<u32>(6400)?, on.zeroed(1)?);
        k::counted::launch(on, 100, k::counted::Args { out: out.view_mut(), next: next.view_mut() })?;
        let mut tickets = out.download()?;
        tickets.sort_unstable();
        assert_eq!(tickets, (0..6400).collect::<Vec<_>>(), "each ticket is drawn once");
        Ok(tickets)
    });
}

#[test]
fn ranks_of_warps_and_scatters_sort_each_part() {
    let x: Vec<u32> = (0..640u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7).collect();
    let expected: Vec<[u32; 2]> = x
        .chunks(64)
        .flat_map(|part| {
            let mut part: Vec<_> = part.iter().zip(0..).map(|(x, i)| [x % 8, i]).collect();
            part.sort();
            part
        })
        .collect();
    let found = machines().same(|on| {
        let (x, mut out) = (on.buffer(&x)?, on.zeroed(640)?);
        k::ranked::launch(on, 10, k::ranked::Args { out: out.view_mut(), x: x.view() })?;
        out.download()
    });
    assert_eq!(found, expected);
}

#[test]
fn dynamic_shared_memory_goes_up_to_what_the_device_has() {
    let machines = machines();
    let (blocks, per_block) = (5u32, 20_000u32);
    let list = Offsets::new((0..=blocks).collect()).unwrap();
    let input = numbers(blocks * per_block);
    let run = |on: &Machine, room: u32| {
        let (list, input, mut out) = (on.offsets(&list)?, on.buffer(&input)?, on.zeroed::<f32>(blocks as usize)?);
        let args = k::sums_of_parts::Args {
            out: Segments { data: out.view_mut(), offsets: &list },
            input: input.view(),
            per_block,
            scratch: DynamicLength(room),
        };
        k::sums_of_parts::launch(on, blocks, args)?;
        out.download()
    };
    // 60 000 bytes are more than a block has by default.
    for room in [1000, 12_000, 15_000, 100] {
        machines.same(|on| run(on, room));
    }
    let Some(gpu) = machines.gpu() else { return };
    let error = run(&gpu.clone().into(), 58_000).unwrap_err();
    assert!(matches!(&error, CudaError::SharedMemory { argument: "scratch", dynamic: 232_000, .. }), "{error}");
    assert!(run(&gpu.clone().into(), 1000).is_ok());
}

#[test]
fn a_table_is_looked_up_in_the_modules_memory() {
    // The module contains the numbers once, as bytes or words of a read-only global.
    let entry = k::PTX.split(".entry table_look_up").nth(1).expect("the kernel");
    assert!(entry.split(".entry").next().is_some_and(|body| body.contains("ld.global") || body.contains("ld.const")));
    let squares = "4, 0, 0, 0, 9, 0, 0, 0, 25, 0, 0, 0, 49, 0, 0, 0, 121, 0, 0, 0, 169";
    let line = k::PTX.lines().find(|line| line.contains(squares) || line.contains("4, 9, 25, 49, 121, 169, 289"));
    assert!(line.is_some_and(|line| line.contains(".global")), "{line:?}");

    let index: Vec<u32> = words(200).iter().map(|word| word % 12).collect();
    let primes = [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let expected: Vec<u32> = index.iter().map(|i| primes[*i as usize].pow(2)).collect();
    let found = machines().same(|on| {
        let (index, mut out) = (on.buffer(&index)?, on.zeroed(200)?);
        k::table_look_up::launch(on, 4, k::table_look_up::Args { out: out.view_mut(), index: index.view() })?;
        out.download()
    });
    assert_eq!(found, expected);
}

#[test]
fn parameters_may_have_any_names() {
    let parts = machines().same(|on| {
        let (one, mut out, mut parts) = (on.buffer(&[1u32])?, on.zeroed::<u32>(200)?, on.zeroed::<u32>(200)?);
        let args = k::named_alike::Args {
            out: out.view_mut(),
            parts: Matrix { data: parts.view_mut(), columns: 200 },
            panic_record: 7,
            kernel_id: one.view(),
            kernel_id_len: 2,
        };
        k::named_alike::launch(on, (4, 1), args)?;
        Ok([out.download()?, parts.download()?].concat())
    });
    let expected = (0..200u32).map(|i| i % 64 + 7).chain((0..200).map(|i| i / 64 + 3));
    assert_eq!(parts, expected.collect::<Vec<u32>>());
}

#[test]
fn launches_are_checked_on_a_gpu_too() {
    let machines = machines();
    let Some(gpu) = machines.gpu() else { return };
    let stream = gpu.stream();
    let (a, mut out) =
        (DeviceBuffer::from_slice(stream, &[1.0f32; 99]).unwrap(), DeviceBuffer::zeroed(stream, 100).unwrap());
    let mut add = |blocks| {
        let args = k::add::Args { out: out.view_mut(), a: a.view(), b: a.view(), scale: 1.0 };
        match k::add::launch(gpu, blocks, args) {
            Err(CudaError::Launch(error)) => *error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(add(1), LaunchError::Requirement { kernel: "add", expression: "a.len() == out.len()" });
    assert!(matches!(add(2), LaunchError::Chunks { needed: 1, .. }));
}

#[test]
fn prefix_sums_and_votes_have_the_bits_of_the_cpu() {
    let machines = machines();
    let lengths = [0u32, 1, 31, 33, 1000, 1024, 1025, 5000];
    let ends = |more: u32| {
        let mut end = 0;
        let add = |n: &u32| {
            end += n + more;
            end
        };
        Offsets::new([0].into_iter().chain(lengths.iter().map(add)).collect()).unwrap()
    };
    let (inclusive, exclusive) = (ends(0), ends(1));
    let input = numbers(inclusive.end());
    machines.same(|on| {
        let (first, second, input) = (on.offsets(&inclusive)?, on.offsets(&exclusive)?, on.buffer(&input)?);
        let mut a = on.buffer(&vec![9.0f32; inclusive.end() as usize])?;
        let mut b = on.buffer(&vec![9.0f32; exclusive.end() as usize])?;
        let args = k::prefix_sums::Args {
            inclusive: Segments { data: a.view_mut(), offsets: &first },
            exclusive: Segments { data: b.view_mut(), offsets: &second },
            input: input.view(),
        };
        k::prefix_sums::launch(on, 8, args)?;
        Ok((a.download()?, b.download()?))
    });
    for (n, threshold) in [(0u32, 0.0f32), (100, 0.0), (160, -1e9), (5000, 1e9), (5000, 300.0)] {
        machines.same(|on| {
            let (input, mut out) = (on.buffer(&numbers(n))?, on.zeroed::<f32>(8)?);
            k::votes::launch(on, 1, k::votes::Args { out: out.view_mut(), input: input.view(), threshold })?;
            out.download()
        });
    }
}

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
                ballot(&|value| value % 2 == 1),
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
fn lists_of_warps_hold_what_their_lanes_put_in() {
    let list = Offsets::new(vec![0, 300, 301, 420]).unwrap();
    let found = machines().same(|on| {
        let (list, mut out) = (on.offsets(&list)?, on.buffer(&vec![[9; 4]; 420])?);
        let args = k::warp_lists::Args { out: Segments { data: out.view_mut(), offsets: &list } };
        k::warp_lists::launch(on, 3, args)?;
        out.download()
    });
    for (i, row) in (0..300).chain(0..1).chain(0..119).zip(&found) {
        let kept: Vec<u32> = (0..i).filter(|k| k % 3 == 0).take(40).collect();
        let even = kept.iter().filter(|k| *k % 2 == 0).count() as u32;
        let complete = u32::from(i.div_ceil(3) <= 40);
        assert_eq!(*row, [kept.len() as u32, complete, kept.iter().sum(), even], "{i}");
    }
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
