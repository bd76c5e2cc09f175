//! One thread's result for all, in-place scans, rows by warps, 64-bit atomics, writes at positions from data, sums of parts, and
//! lists of kept elements: a GPU gives the bits of CPU cores.

use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use test_kernels as k;
use toolkit_tests::device::Machines;

fn machines() -> Machines {
    Machines::new("test kernels", k::IMAGE)
}

fn numbers(n: u32) -> Vec<f32> {
    (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as f32 * 1e-6 - 4.0).collect()
}

#[test]
fn scans_in_place_and_with_an_initial_value_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in [0u32, 1, 31, 33, 1000, 1024, 1025, 5000] {
        let (ends, one_more) = (Offsets::new(vec![0, n]).unwrap(), Offsets::new(vec![0, n + 1]).unwrap());
        machines.same(|on| {
            let (ends, one_more, input) = (on.offsets(&ends)?, on.offsets(&one_more)?, on.buffer(&numbers(n))?);
            let (mut a, mut b) = (on.buffer(&vec![9.0f32; n as usize])?, on.buffer(&vec![9.0f32; n as usize + 1])?);
            let args = k::running_sums::Args {
                inclusive: Segments { data: a.view_mut(), offsets: &ends },
                exclusive: Segments { data: b.view_mut(), offsets: &one_more },
                input: input.view(),
                initial: 2.25,
            };
            k::running_sums::launch(on, 1, args)?;
            Ok((a.download()?, b.download()?))
        });
    }
}

#[test]
fn what_one_thread_tells_has_the_bits_of_the_cpu() {
    let machines = machines();
    for from in [0, 1, 77, 159] {
        let (_, next) = machines.same(|on| {
            let (mut out, mut next) = (on.zeroed::<u32>(160)?, on.buffer(&[5])?);
            k::told::launch(on, 1, k::told::Args { out: out.view_mut(), next: next.view_mut(), from })?;
            Ok((out.download()?, next.download()?))
        });
        assert_eq!(next, [6], "one thread drew one");
    }
}

#[test]
fn rows_by_warps_have_the_bits_of_the_cpu() {
    let machines = machines();
    for (columns, blocks) in [(1u32, 1u32), (31, 1), (32, 2), (100, 3), (4000, 3)] {
        let n = (4000 / columns * columns).min(4000) + (blocks - 1) * 4000;
        machines.same(|on| {
            let (x, mut out) = (on.buffer(&numbers(n))?, on.zeroed::<f32>(n as usize)?);
            k::row_shares::launch(on, blocks, k::row_shares::Args { out: out.view_mut(), x: x.view(), columns })?;
            out.download()
        });
    }
}

#[test]
fn atomics_of_64_bits_have_the_bits_of_the_cpu() {
    let x: Vec<f64> = (0..3000).map(|i| f64::from(i * 7919 % 10_007) - 5000.0).collect();
    let (_, double, _) = machines().same(|on| {
        let (mut long, mut double) = (on.buffer(&[i64::MIN + 5, 0, 0, 0])?, on.buffer(&[0.5, 0.0, 0.0, 0.0, 0.0])?);
        let (mut own, x) = (on.zeroed::<f64>(32)?, on.buffer(&x)?);
        let (long_view, double_view) = (long.view_mut(), double.view_mut());
        let args = k::wide_atomics::Args { long: long_view, double: double_view, own: own.view_mut(), x: x.view() };
        k::wide_atomics::launch(on, 4, args)?;
        Ok((long.download()?, double.download()?, own.download()?))
    });
    assert_eq!((double[3], double[4]), (7.0, 1.5));
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
    }
    machines().same(|on| {
        let (mut best, mut own, x) = (on.buffer(&start)?, on.buffer(&none)?, on.buffer(&x)?);
        k::best_of::launch(on, 3, k::best_of::Args { best: best.view_mut(), own: own.view_mut(), x: x.view() })?;
        Ok((best.download()?, own.download()?))
    });
}

#[test]
fn elements_of_every_size_go_where_the_data_say() {
    fn check<T: DeviceLayout>(machines: &Machines, value: impl Fn(u32) -> T)
    where
        k::moved::Kernel<T>: k::moved::Instance<T>,
    {
        let n = 3001;
        let (x, to): (Vec<T>, Vec<u32>) = (0..n).map(|i| (value(i), i * 7 % n)).unzip();
        machines.same(|on| {
            let (x, to, mut out) = (on.buffer(&x)?, on.buffer(&to)?, on.buffer(&vec![value(n); n as usize + 1])?);
            let args = k::moved::Args { out: out.view_mut(), x: x.view(), to: to.view() };
            k::moved::launch::<T, _>(on, 4, args)?;
            out.download()
        });
    }
    let machines = machines();
    check(&machines, |i| i as u8);
    check(&machines, |i| i as u16);
    check(&machines, f64::from);
    check(&machines, |i| [i as f32, 0.5, -1.0]);
}

#[test]
fn sums_of_parts_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in [1u32, 33, 299, 700] {
        let (x, weights) = (numbers(n), numbers(n + 9)[9..].to_vec());
        let sums = machines.same(|on| {
            let (x, weights, mut out) = (on.buffer(&x)?, on.buffer(&weights)?, on.zeroed::<[f32; 2]>(n as usize + 1)?);
            let args = k::sums_of_pairs::Args { out: out.view_mut(), x: x.view(), weights: weights.view() };
            k::sums_of_pairs::launch(on, (n + 1).div_ceil(300), args)?;
            out.download()
        });
        let exact: f64 = x.iter().zip(&weights).map(|(x, weight)| f64::from(*x) * f64::from(*weight).powi(2)).sum();
        assert!((f64::from(sums[n as usize][1]) - exact).abs() <= 1e-4 * (1.0 + exact.abs()), "{n}");
    }
}

#[test]
fn sums_with_near_parts_have_the_bits_of_the_cpu() {
    let machines = machines();
    for n in [1u32, 33, 299, 700] {
        let (x, weights) = (numbers(n), numbers(n + 9)[9..].to_vec());
        let sums = machines.same(|on| {
            let (x, weights, mut out) = (on.buffer(&x)?, on.buffer(&weights)?, on.zeroed::<[f32; 2]>(n as usize + 1)?);
            let args = k::sums_of_near::Args { out: out.view_mut(), x: x.view(), weights: weights.view() };
            k::sums_of_near::launch(on, (n + 1).div_ceil(300), args)?;
            out.download()
        });
        let near = x.iter().zip(&weights).filter(|(x, _)| **x < 0.0);
        let exact: f64 = near.map(|(_, weight)| f64::from(*weight)).sum();
        assert!((f64::from(sums[n as usize][1]) - exact).abs() <= 1e-4 * (1.0 + exact.abs()), "{n}");
    }
}

#[test]
fn lists_of_kept_elements_have_the_words_of_the_cpu() {
    let machines = machines();
    for (n, room) in [(0u32, 3u32), (1, 3), (40, 50), (1000, 200), (1000, 1000)] {
        let (x, limits) = (numbers(n), numbers(170));
        let words = Offsets::new((0..=4).map(|block| block * 50 * (room + 1)).collect()).unwrap();
        let (lists, _) = machines.same(|on| {
            let (x, limits, offsets) = (on.buffer(&x)?, on.buffer(&limits)?, on.offsets(&words)?);
            let (mut out, mut words) = (on.zeroed::<[u32; 3]>(170)?, on.zeroed::<u32>(words.end() as usize)?);
            let list = Segments { data: words.view_mut(), offsets: &offsets };
            let args = k::kept_of::Args { out: out.view_mut(), words: list, x: x.view(), limits: limits.view() };
            k::kept_of::launch(on, 4, args)?;
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
        let (x, limits) = (numbers(n), numbers(170));
        let words = Offsets::new((0..=4).map(|block| block * 50 * (room + 1)).collect()).unwrap();
        let (found, _) = machines.same(|on| {
            let (x, limits, offsets) = (on.buffer(&x)?, on.buffer(&limits)?, on.offsets(&words)?);
            let (mut out, mut words) = (on.zeroed::<[f32; 2]>(170)?, on.zeroed::<u32>(words.end() as usize)?);
            let list = Segments { data: words.view_mut(), offsets: &offsets };
            let args = k::found_by_teams::Args { out: out.view_mut(), words: list, x: x.view(), limits: limits.view() };
            k::found_by_teams::launch(on, 4, args)?;
            Ok((out.download()?, words.download()?))
        });
        for ([_, count], limit) in found.iter().zip(&limits) {
            let eights = x.as_chunks::<8>().0.iter().filter(|eight| eight[0] <= *limit);
            assert_eq!(*count as usize, eights.flatten().filter(|x| *x <= limit).count(), "{n} elements");
        }
    }
}
