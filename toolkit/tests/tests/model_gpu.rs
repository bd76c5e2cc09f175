//! The kernel model on a GPU: every part gives the bits of CPU cores.

use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_layout::DeviceLayout;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use test_kernels as k;

/// An executor on the first device, if there is one.
fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::is_there()
        .then(|| CudaExecutor::open(0, "test kernels", k::PTX).expect("a device that opens"))
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

fn download<T: DeviceLayout>(gpu: &CudaExecutor, buffer: &DeviceBuffer<T>) -> Vec<T> {
    buffer.download(gpu.stream()).expect("a launch without a panic")
}

fn offsets(gpu: &CudaExecutor, list: &Offsets) -> DeviceOffsets {
    DeviceOffsets::new(gpu.stream(), list).expect("memory")
}

fn bits<T: DeviceLayout>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
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
    let Some(gpu) = gpu() else { return };
    for n in [1u32, 511, 512, 513, 5000] {
        let (a, b) = (numbers(n), numbers(n + 7)[7..].to_vec());
        let mut expected = vec![0.0; n as usize];
        let args = k::add::Args { out: &mut expected[..], a: &a[..], b: &b[..], scale: 0.7 };
        k::add::launch(&CpuExecutor::new(), n.div_ceil(512), args).unwrap();
        let (a, b, mut out) = (upload(&gpu, &a), upload(&gpu, &b), upload(&gpu, &vec![9.0; n as usize]));
        let args = k::add::Args { out: out.view_mut(), a: a.view(), b: b.view(), scale: 0.7 };
        k::add::launch(&gpu, n.div_ceil(512), args).unwrap();
        assert_eq!(bits(&download(&gpu, &out)), bits(&expected), "{n} elements");
    }
    let input = numbers(1001);
    let mut expected = vec![[0.0; 4]; 1000];
    let args = k::scaled_rows::Args { out: &mut expected[..], input: &input[..] };
    k::scaled_rows::launch(&CpuExecutor::new(), 11, args).unwrap();
    let (input, mut out) = (upload(&gpu, &input), upload(&gpu, &[[0.0f32; 4]; 1000]));
    let args = k::scaled_rows::Args { out: out.view_mut(), input: input.view() };
    k::scaled_rows::launch(&gpu, 11, args).unwrap();
    assert_eq!(bits(&download(&gpu, &out)), bits(&expected));
}

#[test]
fn tiles_of_matrices_have_the_bits_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (rows, columns) in [(1u32, 1u32), (32, 32), (33, 31), (100, 257), (64, 1)] {
        let grid = (columns.div_ceil(32), rows.div_ceil(32));
        let input = numbers(rows * columns);
        let mut out = upload(&gpu, &vec![0.0f32; input.len()]);
        let on_device = upload(&gpu, &input);
        let args = k::transposed::Args { out: Matrix { data: out.view_mut(), columns }, input: on_device.view() };
        k::transposed::launch(&gpu, grid, args).unwrap();
        for (at, found) in (0..).zip(download(&gpu, &out)) {
            let (row, column) = (at / columns, at % columns);
            assert_eq!(found.to_bits(), input[(column * rows + row) as usize].to_bits(), "{rows} x {columns}");
        }
        let mut out = upload(&gpu, &vec![0u32; input.len()]);
        let args = k::crossed::Args { out: Matrix { data: out.view_mut(), columns } };
        k::crossed::launch(&gpu, (columns.div_ceil(32), rows.div_ceil(16)), args).unwrap();
        let expected: Vec<u32> = (0..rows * columns).map(|at| at / columns * 1000 + at % columns).collect();
        assert_eq!(download(&gpu, &out), expected);
    }
}

#[test]
fn a_transpose_is_one_on_the_cpu_too() {
    let (rows, columns) = (37u32, 70u32);
    let input = numbers(rows * columns);
    let mut out = vec![0.0; input.len()];
    let args = k::transposed::Args { out: Matrix { data: &mut out[..], columns }, input: &input[..] };
    k::transposed::launch(&CpuExecutor::new(), (columns.div_ceil(32), rows.div_ceil(32)), args).unwrap();
    for (at, found) in (0..).zip(out) {
        assert_eq!(found.to_bits(), input[(at % columns * rows + at / columns) as usize].to_bits());
    }
    let mut out = vec![0; (rows * columns) as usize];
    let args = k::crossed::Args { out: Matrix { data: &mut out[..], columns } };
    k::crossed::launch(&CpuExecutor::new(), (columns.div_ceil(32), rows.div_ceil(16)), args).unwrap();
    assert_eq!(out, (0..rows * columns).map(|at| at / columns * 1000 + at % columns).collect::<Vec<_>>());
}

#[test]
fn atomics_have_the_state_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let values = words(100_000);
    let mut expected = vec![3; 256];
    let args = k::histogram::Args { bins: &mut expected[..], values: &values[..], per_block: 999 };
    k::histogram::launch(&CpuExecutor::new(), 101, args).unwrap();
    let (values, mut bins) = (upload(&gpu, &values), upload(&gpu, &[3u32; 256]));
    let args = k::histogram::Args { bins: bins.view_mut(), values: values.view(), per_block: 999 };
    k::histogram::launch(&gpu, 101, args).unwrap();
    assert_eq!(download(&gpu, &bins), expected);
    assert_eq!(expected.iter().sum::<u32>(), 100_000 + 3 * 256);

    let values = numbers(1000);
    let blocks = 7;
    let list = Offsets::new((0..=blocks).map(|block| block * 4).collect()).unwrap();
    let mut own = vec![0i32; 28];
    let (mut words, mut signed, mut long) = ([1u32 << 20; 6], [0i32; 3], [1u64 << 45; 3]);
    let (mut floats, mut system) = ([0.0f32, 0.0, 0.0], [0u32; 2]);
    let args = k::extremes::Args {
        own: Segments { data: &mut own[..], offsets: &list },
        words: &mut words[..],
        signed: &mut signed[..],
        long: &mut long[..],
        floats: &mut floats[..],
        system: &mut system[..],
        values: &values[..],
    };
    k::extremes::launch(&CpuExecutor::new(), blocks, args).unwrap();
    let list = offsets(&gpu, &list);
    let mut found_own = upload(&gpu, &[0i32; 28]);
    let (mut found_words, mut found_signed) = (upload(&gpu, &[1u32 << 20; 6]), upload(&gpu, &[0i32; 3]));
    let (mut found_long, mut found_floats) = (upload(&gpu, &[1u64 << 45; 3]), upload(&gpu, &[0.0f32; 3]));
    let mut found_system = upload(&gpu, &[0u32; 2]);
    let values = upload(&gpu, &values);
    let args = k::extremes::Args {
        own: Segments { data: found_own.view_mut(), offsets: &list },
        words: found_words.view_mut(),
        signed: found_signed.view_mut(),
        long: found_long.view_mut(),
        floats: found_floats.view_mut(),
        system: found_system.view_mut(),
        values: values.view(),
    };
    k::extremes::launch(&gpu, blocks, args).unwrap();
    assert_eq!(download(&gpu, &found_own), own);
    assert_eq!(download(&gpu, &found_words), words);
    assert_eq!(download(&gpu, &found_signed), signed);
    assert_eq!(download(&gpu, &found_long), long);
    assert_eq!(bits(&download(&gpu, &found_floats)), bits(&floats));
    assert_eq!(download(&gpu, &found_system), system);
    assert!(floats[0] < -100.0 && floats[1] > 100.0 && floats[2] > 1000.0);

    let (mut out, mut next) = (upload(&gpu, &vec![0u32; 6400]), upload(&gpu, &[0u32]));
    k::counted::launch(&gpu, 100, k::counted::Args { out: out.view_mut(), next: next.view_mut() }).unwrap();
    let mut tickets = download(&gpu, &out);
    tickets.sort_unstable();
    assert_eq!(tickets, (0..6400).collect::<Vec<_>>(), "each ticket is drawn once");
}

#[test]
fn dynamic_shared_memory_goes_up_to_what_the_device_has() {
    let Some(gpu) = gpu() else { return };
    let (blocks, per_block) = (5u32, 20_000u32);
    let list = Offsets::new((0..=blocks).collect()).unwrap();
    let input = numbers(blocks * per_block);
    let (device_list, device_input) = (offsets(&gpu, &list), upload(&gpu, &input));
    let on_gpu = |room: u32| {
        let mut out = upload(&gpu, &vec![0.0f32; blocks as usize]);
        let args = k::sums_of_parts::Args {
            out: Segments { data: out.view_mut(), offsets: &device_list },
            input: device_input.view(),
            per_block,
            scratch: DynamicLength(room),
        };
        k::sums_of_parts::launch(&gpu, blocks, args)?;
        out.download(gpu.stream())
    };
    // 60 000 bytes are more than a block has by default.
    for room in [1000, 12_000, 15_000, 100] {
        let mut expected = vec![0.0; blocks as usize];
        let args = k::sums_of_parts::Args {
            out: Segments { data: &mut expected[..], offsets: &list },
            input: &input[..],
            per_block,
            scratch: DynamicLength(room),
        };
        k::sums_of_parts::launch(&CpuExecutor::new(), blocks, args).unwrap();
        assert_eq!(bits(&on_gpu(room).unwrap()), bits(&expected), "room for {room}");
    }
    let error = on_gpu(58_000).unwrap_err();
    assert!(matches!(&error, CudaError::SharedMemory { argument: "scratch", dynamic: 232_000, .. }), "{error}");
    assert!(on_gpu(1000).is_ok());
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
    let mut out = vec![0; 200];
    let args = k::table_look_up::Args { out: &mut out[..], index: &index[..] };
    k::table_look_up::launch(&CpuExecutor::new(), 4, args).unwrap();
    assert_eq!(out, expected);
    let Some(gpu) = gpu() else { return };
    let (index, mut out) = (upload(&gpu, &index), upload(&gpu, &[0u32; 200]));
    let args = k::table_look_up::Args { out: out.view_mut(), index: index.view() };
    k::table_look_up::launch(&gpu, 4, args).unwrap();
    assert_eq!(download(&gpu, &out), expected);
}

#[test]
fn launches_are_checked_on_a_gpu_too() {
    let Some(gpu) = gpu() else { return };
    let (a, mut out) = (upload(&gpu, &[1.0f32; 99]), upload(&gpu, &[0.0f32; 100]));
    let mut add = |blocks| {
        let args = k::add::Args { out: out.view_mut(), a: a.view(), b: a.view(), scale: 1.0 };
        match k::add::launch(&gpu, blocks, args) {
            Err(CudaError::Launch(error)) => *error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(add(1), LaunchError::Requirement { kernel: "add", expression: "a.len() == out.len()" });
    assert!(matches!(add(2), LaunchError::Chunks { needed: 1, .. }));
}

#[test]
fn prefix_sums_and_votes_have_the_bits_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
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
    let (mut a, mut b) = (vec![0.0; inclusive.end() as usize], vec![0.0; exclusive.end() as usize]);
    let args = k::prefix_sums::Args {
        inclusive: Segments { data: &mut a[..], offsets: &inclusive },
        exclusive: Segments { data: &mut b[..], offsets: &exclusive },
        input: &input[..],
    };
    k::prefix_sums::launch(&CpuExecutor::new(), 8, args).unwrap();
    let (first, second) = (offsets(&gpu, &inclusive), offsets(&gpu, &exclusive));
    let (mut found_a, mut found_b) = (upload(&gpu, &vec![9.0f32; a.len()]), upload(&gpu, &vec![9.0f32; b.len()]));
    let device_input = upload(&gpu, &input);
    let args = k::prefix_sums::Args {
        inclusive: Segments { data: found_a.view_mut(), offsets: &first },
        exclusive: Segments { data: found_b.view_mut(), offsets: &second },
        input: device_input.view(),
    };
    k::prefix_sums::launch(&gpu, 8, args).unwrap();
    assert_eq!(bits(&download(&gpu, &found_a)), bits(&a));
    assert_eq!(bits(&download(&gpu, &found_b)), bits(&b));

    for (n, threshold) in [(0u32, 0.0f32), (100, 0.0), (160, -1e9), (5000, 1e9), (5000, 300.0)] {
        let input = numbers(n);
        let mut expected = vec![0.0; 8];
        let args = k::votes::Args { out: &mut expected[..], input: &input[..], threshold };
        k::votes::launch(&CpuExecutor::new(), 1, args).unwrap();
        let (input, mut out) = (upload(&gpu, &input), upload(&gpu, &[0.0f32; 8]));
        let args = k::votes::Args { out: out.view_mut(), input: input.view(), threshold };
        k::votes::launch(&gpu, 1, args).unwrap();
        assert_eq!(bits(&download(&gpu, &out)), bits(&expected), "{n} values above {threshold}");
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
    let n = 16 * 32 - 5;
    let mut found = vec![[0; 16]; n];
    let args = k::warp_operations::Args { out: &mut found[..], input: &input[..] };
    k::warp_operations::launch(&CpuExecutor::new(), 4, args).unwrap();
    for (warp, rows) in found.chunks(32).enumerate() {
        let values = core::array::from_fn(|lane| input[(warp * 32 + lane) % 1000]);
        let expected = warp_rows(&values, warp as u32 % 4 * 32);
        assert_eq!(rows, &expected[..rows.len()], "warp {warp}");
    }
    let Some(gpu) = gpu() else { return };
    let (input, mut out) = (upload(&gpu, &input), upload(&gpu, &vec![[0u32; 16]; n]));
    let args = k::warp_operations::Args { out: out.view_mut(), input: input.view() };
    k::warp_operations::launch(&gpu, 4, args).unwrap();
    assert_eq!(download(&gpu, &out), found);
}

#[test]
fn lists_of_warps_hold_what_their_lanes_put_in() {
    let offsets_of_blocks = Offsets::new(vec![0, 300, 301, 420]).unwrap();
    let mut found = vec![[9; 4]; 420];
    let args = k::warp_lists::Args { out: Segments { data: &mut found[..], offsets: &offsets_of_blocks } };
    k::warp_lists::launch(&CpuExecutor::new(), 3, args).unwrap();
    for (i, row) in (0..300).chain(0..1).chain(0..119).zip(&found) {
        let kept: Vec<u32> = (0..i).filter(|k| k % 3 == 0).take(40).collect();
        let even = kept.iter().filter(|k| *k % 2 == 0).count() as u32;
        let complete = u32::from(i.div_ceil(3) <= 40);
        assert_eq!(*row, [kept.len() as u32, complete, kept.iter().sum(), even], "{i}");
    }
    let Some(gpu) = gpu() else { return };
    let (on_device, mut out) = (offsets(&gpu, &offsets_of_blocks), upload(&gpu, &vec![[9u32; 4]; 420]));
    let args = k::warp_lists::Args { out: Segments { data: out.view_mut(), offsets: &on_device } };
    k::warp_lists::launch(&gpu, 3, args).unwrap();
    assert_eq!(download(&gpu, &out), found);
}

#[test]
fn sums_by_warps_have_the_bits_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let input = numbers(1300);
    let (hundreds, warps) = (Offsets::new(vec![0, 13]).unwrap(), Offsets::new(vec![0, 4]).unwrap());
    let (mut a, mut b, mut c) = (vec![0.0; 13], vec![0.0; 4], vec![0u32; 4]);
    let args = k::warp_sums::Args {
        hundreds: Segments { data: &mut a[..], offsets: &hundreds },
        warps: Segments { data: &mut b[..], offsets: &warps },
        drawn: &mut c[..],
        input: &input[..],
    };
    k::warp_sums::launch(&CpuExecutor::new(), 1, args).unwrap();
    let (hundreds, warps, input) = (offsets(&gpu, &hundreds), offsets(&gpu, &warps), upload(&gpu, &input));
    let (mut found_a, mut found_b, mut found_c) =
        (upload(&gpu, &[0.0f32; 13]), upload(&gpu, &[0.0f32; 4]), upload(&gpu, &[0u32; 4]));
    let args = k::warp_sums::Args {
        hundreds: Segments { data: found_a.view_mut(), offsets: &hundreds },
        warps: Segments { data: found_b.view_mut(), offsets: &warps },
        drawn: found_c.view_mut(),
        input: input.view(),
    };
    k::warp_sums::launch(&gpu, 1, args).unwrap();
    assert_eq!(bits(&download(&gpu, &found_a)), bits(&a));
    assert_eq!(bits(&download(&gpu, &found_b)), bits(&b));
    assert_eq!(download(&gpu, &found_c), c);
    assert_eq!(c, [496; 4]);
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
    let mut out = vec![0; 1000];
    let args = k::team_turns::Args { out: Segments { data: &mut out[..], offsets: &list }, input: &input[..] };
    k::team_turns::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out, expected);
    let Some(gpu) = gpu() else { return };
    let (list, input, mut out) = (offsets(&gpu, &list), upload(&gpu, &input), upload(&gpu, &vec![0u32; 1000]));
    let args = k::team_turns::Args { out: Segments { data: out.view_mut(), offsets: &list }, input: input.view() };
    k::team_turns::launch(&gpu, 1, args).unwrap();
    assert_eq!(download(&gpu, &out), expected);
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
    let Some(gpu) = gpu() else { return };
    let mut out = upload(&gpu, &[0u32; 20]);
    let mut run = |fails| {
        let args = k::warp_panics::Args { out: out.view_mut(), limit: 1000, fails };
        k::warp_panics::launch(&gpu, 10, args)?;
        out.download(gpu.stream())
    };
    assert_eq!(run(0).unwrap(), [1000; 20]);
    let error = run(1).unwrap_err();
    let panic = error.kernel_panic().expect("a panic");
    assert_eq!((panic.line, panic.block, panic.thread), (on_cpu.line, on_cpu.block, on_cpu.thread));
    assert_eq!(run(0).unwrap(), [1000; 20], "the context lives on");
}
