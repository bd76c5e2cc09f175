//! Outputs divided among blocks (chunks, tiles of matrices, atomics) or written at positions from data, and memory (dynamic shared arrays, tables).

use crate::{machines, numbers, words};
use cuda_host::{CudaError, DeviceBuffer, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::fmt::Debug;
use test_kernels as k;
use toolkit_tests::device::Machines;

#[test]
fn chunks_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in [0u32, 1, 511, 512, 513, 1024, 5000] {
        let (a, b) = (numbers(n), numbers(n + 7)[7..].to_vec());
        let found = machines.same(|on| {
            let (a, b, mut out) = (on.buffer(&a)?, on.buffer(&b)?, on.buffer(&vec![9.0; n as usize])?);
            let args = k::add::Args { out: out.view_mut(), a: a.view(), b: b.view(), scale: 0.7 };
            k::add::launch(on, n.div_ceil(512), args)?;
            out.download()
        });
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| b.mul_add(0.7, *a)).collect();
        assert_eq!(found, expected, "{n} elements");
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
            let args = k::written_in_parts::Args { out: Matrix { data: out.view_mut(), columns } };
            k::written_in_parts::launch(on, (columns.div_ceil(32), rows.div_ceil(16)), args)?;
            out.download()
        });
        assert_eq!(found, (0..rows * columns).map(|at| at / columns * 1000 + at % columns).collect::<Vec<_>>());
    }
}

#[test]
fn atomics_have_the_state_of_the_cpu() {
    let machines = machines();
    let values = words(100_000);
    let bins = machines.same(|on| {
        let (values, mut bins) = (on.buffer(&values)?, on.buffer(&[3; 256])?);
        let args = k::histogram::Args { bins: bins.view_mut(), values: values.view(), per_block: 999 };
        k::histogram::launch(on, 101, args)?;
        bins.download()
    });
    let mut expected = [3; 256];
    values.iter().for_each(|value| expected[*value as usize % 256] += 1);
    assert_eq!(bins, expected);

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
        k::tickets::launch(on, 100, k::tickets::Args { out: out.view_mut(), next: next.view_mut() })?;
        let mut tickets = out.download()?;
        tickets.sort_unstable();
        assert_eq!(tickets, (0..6400).collect::<Vec<_>>(), "each ticket is drawn once");
        Ok(tickets)
    });
}

#[test]
fn elements_of_every_size_go_where_the_data_say() {
    fn check<T: DeviceLayout + PartialEq + Debug>(machines: &Machines, value: impl Fn(u32) -> T)
    where
        k::scattered::Kernel<T>: k::scattered::Instance<T>,
    {
        let n = 3001;
        let (x, to): (Vec<T>, Vec<u32>) = (0..n).map(|i| (value(i), i * 7 % n)).unzip();
        let nothing = value(n);
        let mut expected = vec![nothing; n as usize + 2];
        x.iter().zip(&to).for_each(|(x, to)| expected[*to as usize] = *x);
        for blocks in [1, 5, 7] {
            let found = machines.same(|on| {
                let (x, to, mut out) = (on.buffer(&x)?, on.buffer(&to)?, on.buffer(&vec![nothing; n as usize + 2])?);
                let args = k::scattered::Args { out: out.view_mut(), x: x.view(), to: to.view() };
                k::scattered::launch::<T, _>(on, blocks, args)?;
                out.download()
            });
            assert_eq!(found, expected, "{blocks} blocks");
        }
    }
    let machines = machines();
    check(&machines, |i| i as u8);
    check(&machines, |i| i as u16);
    check(&machines, f64::from);
    check(&machines, |i| [i as f32, 0.5, -1.0]);
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
