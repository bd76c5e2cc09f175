//! One thread's result for all, in-place scans, rows by warps, 64-bit atomics, writes at positions from data: a GPU gives
//! the bits of CPU cores.

use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use test_kernels as k;

fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::is_there()
        .then(|| CudaExecutor::open(0, "test kernels", k::PTX).expect("a device that opens"))
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

fn assert_same<T: DeviceLayout>(gpu: &CudaExecutor, found: &DeviceBuffer<T>, expected: &[T], what: &str) {
    let found = found.download(gpu.stream()).expect("a launch without a panic");
    assert!(bytemuck::cast_slice::<T, u8>(&found) == bytemuck::cast_slice::<T, u8>(expected), "{what}");
}

fn numbers(n: u32) -> Vec<f32> {
    (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as f32 * 1e-6 - 4.0).collect()
}

#[test]
fn scans_in_place_and_with_an_initial_value_have_the_bits_of_the_cpu() {
    let gpu = gpu();
    for n in [0u32, 1, 31, 33, 1000, 1024, 1025, 5000] {
        let (ends, one_more) = (Offsets::new(vec![0, n]).unwrap(), Offsets::new(vec![0, n + 1]).unwrap());
        let input = numbers(n);
        let (mut a, mut b) = (vec![9.0; n as usize], vec![9.0; n as usize + 1]);
        let args = k::running_sums::Args {
            inclusive: Segments { data: &mut a[..], offsets: &ends },
            exclusive: Segments { data: &mut b[..], offsets: &one_more },
            input: &input[..],
            initial: 2.25,
        };
        k::running_sums::launch(&CpuExecutor::new(), 1, args).unwrap();
        let Some(gpu) = &gpu else { continue };
        let [ends, one_more] = [ends, one_more].map(|list| DeviceOffsets::new(gpu.stream(), &list).expect("memory"));
        let (mut found_a, mut found_b) = (upload(gpu, &vec![1.0f32; a.len()]), upload(gpu, &vec![1.0f32; b.len()]));
        let input = upload(gpu, &input);
        let args = k::running_sums::Args {
            inclusive: Segments { data: found_a.view_mut(), offsets: &ends },
            exclusive: Segments { data: found_b.view_mut(), offsets: &one_more },
            input: input.view(),
            initial: 2.25,
        };
        k::running_sums::launch(gpu, 1, args).unwrap();
        assert_same(gpu, &found_a, &a, "in place");
        assert_same(gpu, &found_b, &b, "with an initial value");
    }
}

#[test]
fn what_one_thread_tells_has_the_bits_of_the_cpu() {
    let gpu = gpu();
    for from in [0, 1, 77, 159] {
        let (mut expected, mut next) = ([0; 160], [5]);
        let args = k::told::Args { out: &mut expected[..], next: &mut next[..], from };
        k::told::launch(&CpuExecutor::new(), 1, args).unwrap();
        assert_eq!(next, [6], "one thread drew one");
        let Some(gpu) = &gpu else { continue };
        let (mut out, mut counter) = (upload(gpu, &[0u32; 160]), upload(gpu, &[5u32]));
        let args = k::told::Args { out: out.view_mut(), next: counter.view_mut(), from };
        k::told::launch(gpu, 1, args).unwrap();
        assert_same(gpu, &out, &expected, "told");
        assert_same(gpu, &counter, &next, "one thread drew one");
    }
}

#[test]
fn rows_by_warps_have_the_bits_of_the_cpu() {
    let gpu = gpu();
    for (columns, blocks) in [(1u32, 1u32), (31, 1), (32, 2), (100, 3), (4000, 3)] {
        let n = (4000 / columns * columns).min(4000) + (blocks - 1) * 4000;
        let x = numbers(n);
        let mut expected = vec![0.0; n as usize];
        let args = k::row_shares::Args { out: &mut expected[..], x: &x[..], columns };
        k::row_shares::launch(&CpuExecutor::new(), blocks, args).unwrap();
        let Some(gpu) = &gpu else { continue };
        let (x, mut out) = (upload(gpu, &x), upload(gpu, &vec![0.0f32; n as usize]));
        let args = k::row_shares::Args { out: out.view_mut(), x: x.view(), columns };
        k::row_shares::launch(gpu, blocks, args).unwrap();
        assert_same(gpu, &out, &expected, &format!("{columns} columns"));
    }
}

#[test]
fn atomics_of_64_bits_have_the_bits_of_the_cpu() {
    let x: Vec<f64> = (0..3000).map(|i| f64::from(i * 7919 % 10_007) - 5000.0).collect();
    let (longs, doubles) = ([i64::MIN + 5, 0, 0, 0], [0.5, 0.0, 0.0, 0.0, 0.0]);
    let (mut long, mut double, mut own) = (longs, doubles, [0.0; 32]);
    let args = k::wide_atomics::Args { long: &mut long[..], double: &mut double[..], own: &mut own[..], x: &x[..] };
    k::wide_atomics::launch(&CpuExecutor::new(), 4, args).unwrap();
    assert_eq!((double[3], double[4]), (7.0, 1.5));
    let Some(gpu) = &gpu() else { return };
    let (mut found_long, mut found_double) = (upload(gpu, &longs), upload(gpu, &doubles));
    let (mut found_own, x) = (upload(gpu, &[0.0f64; 32]), upload(gpu, &x));
    let args = k::wide_atomics::Args {
        long: found_long.view_mut(),
        double: found_double.view_mut(),
        own: found_own.view_mut(),
        x: x.view(),
    };
    k::wide_atomics::launch(gpu, 4, args).unwrap();
    assert_same(gpu, &found_long, &long, "i64");
    assert_same(gpu, &found_double, &double, "f64");
    assert_same(gpu, &found_own, &own, "f64 in shared memory");
}

#[test]
fn structures_are_updated_as_a_whole() {
    let x: Vec<f32> = (0..2500).map(|i| (i * 7919 % 997) as f32).collect();
    let start = [k::Best { score: -1.0, index: 0 }, k::Best { score: 0.0, index: 0 }];
    let none = [k::Best { score: 0.0, index: 9 }; 3];
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)] {
        let (mut best, mut own) = (start, none);
        k::best_of::launch(&executor, 3, k::best_of::Args { best: &mut best, own: &mut own, x: &x }).unwrap();
        let first = |x: &[f32], at| {
            let score = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            k::Best { score, index: at + x.iter().position(|x| *x == score).unwrap() as u32 }
        };
        assert_eq!(own, [first(&x[..1000], 0), first(&x[1000..2000], 1000), first(&x[2000..], 2000)]);
        assert_eq!(best[0], first(&x, 0));
        let flips = (0..2500).fold(0, |bits, i| bits ^ (i % 1000));
        assert_eq!(best[1], k::Best { score: 2500.0, index: flips });
        let Some(gpu) = &gpu() else { continue };
        let (mut on_gpu, mut own_on_gpu, x) = (upload(gpu, &start), upload(gpu, &none), upload(gpu, &x));
        let args = k::best_of::Args { best: on_gpu.view_mut(), own: own_on_gpu.view_mut(), x: x.view() };
        k::best_of::launch(gpu, 3, args).unwrap();
        assert_same(gpu, &on_gpu, &best, "structures");
        assert_same(gpu, &own_on_gpu, &own, "structures in shared memory");
    }
}

#[test]
fn elements_of_every_size_go_where_the_data_say() {
    fn check<T: DeviceLayout>(gpu: &Option<CudaExecutor>, value: impl Fn(u32) -> T)
    where
        k::moved::Kernel<T>: k::moved::Instance<T>,
    {
        let n = 3001;
        let (x, to): (Vec<T>, Vec<u32>) = (0..n).map(|i| (value(i), i * 7 % n)).unzip();
        let mut expected = vec![value(n); n as usize + 1];
        let args = k::moved::Args { out: &mut expected[..], x: &x[..], to: &to[..] };
        k::moved::launch::<T, _>(&CpuExecutor::new(), 4, args).unwrap();
        let Some(gpu) = gpu else { return };
        let (x, to, mut out) = (upload(gpu, &x), upload(gpu, &to), upload(gpu, &vec![value(n); n as usize + 1]));
        let args = k::moved::Args { out: out.view_mut(), x: x.view(), to: to.view() };
        k::moved::launch::<T, _>(gpu, 4, args).unwrap();
        assert_same(gpu, &out, &expected, "moved");
    }
    let gpu = gpu();
    check(&gpu, |i| i as u8);
    check(&gpu, |i| i as u16);
    check(&gpu, f64::from);
    check(&gpu, |i| [i as f32, 0.5, -1.0]);
}
