//! Closures are called for the same elements on a GPU and on CPU cores: one that panics for other elements does not end
//! either.

use crate::machines;
use cuda_host::DeviceBuffer;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use test_kernels as k;

#[test]
fn sums_that_are_checked_add_nothing_twice() {
    let machines = machines();
    // Every lane in turn has the largest number.
    for largest in 0..32 {
        let x: Vec<u32> = (0..32).map(|i| if i == largest { 0xffff_ff00 } else { 1 }).collect();
        let found = machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed::<u32>(3)?);
            k::checked_sums::launch(on, 1, k::checked_sums::Args { out: out.view_mut(), x: x.view() })?;
            out.download()
        });
        assert_eq!(found, [0xffff_ff1f; 3]);
    }
}

#[test]
fn elements_outside_of_ranges_are_not_asked() {
    let is_inside = |i: &u32| (3..5).contains(i) || (20..37).contains(i) || (40..45).contains(i);
    let x: Vec<[f32; 4]> = (0..45).map(|i| [if is_inside(&i) { i as f32 } else { -1.0 }, 0.0, 0.0, 0.0]).collect();
    let even: Vec<u32> = (0..45).filter(is_inside).filter(|i| i % 2 == 0).collect();
    let expected = [even.len() as u32, even.iter().sum()];
    let found = machines().same(|on| {
        let (x, mut out) = (on.buffer(&x)?, on.zeroed::<u32>(2)?);
        k::filtered_ranges::launch(on, 1, k::filtered_ranges::Args { out: out.view_mut(), x: x.view() })?;
        out.download()
    });
    assert_eq!(found, expected);
}

#[test]
fn elements_of_ranges_are_kept_in_their_order() {
    let x: Vec<[f32; 4]> = (0..5000).map(|i| [(i * i / 7) as f32, 0.0, 0.0, 0.0]).collect();
    let is_even = |i: &u32| (x[*i as usize][0] as u32).is_multiple_of(2);
    let no_range = |k: u32| [k, k];
    // Of each, 32 ranges.
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    // None; a single one, which ends around a multiple of 32 and of 1,024 elements.
    ranges.extend((0..32).map(no_range));
    for length in [1, 31, 32, 33, 1023, 1024, 1025, 2048] {
        ranges.extend((0..32).map(|k| if k == 13 { [7, 7 + length] } else { no_range(k) }));
    }
    // One element each; lengths that differ; some empty, reversed, or beyond the end; more than there is room for.
    ranges.extend((0..32).map(|k| [3 * k, 3 * k + 1]));
    ranges.extend((0..32).map(|k| [100 * k, 100 * k + k * k % 61]));
    ranges.extend((0..32).map(|k| match k % 4 {
        0 => [90 * k, 90 * k + 70],
        1 => [2 * k, k],
        2 => no_range(9),
        _ => [4900 + k, u32::MAX],
    }));
    ranges.extend((0..32).map(|k| [10 * k, 10 * k + 150]));
    let n = ranges.len() as u32 / 32;
    let expected: Vec<[u32; 6]> = ranges
        .chunks(32)
        .map(|ranges| {
            let all = || ranges.iter().flat_map(|&[first, end]| first..end.min(5000));
            let weighted = |some: Vec<u32>| {
                let weights = some.iter().take(k::KEPT).zip(1u32..);
                [some.len() as u32, weights.fold(0, |sum, (i, place)| sum.wrapping_add(i.wrapping_mul(place)))]
            };
            let [a, b] = weighted(all().filter(is_even).collect());
            let [c, d] = weighted(all().filter(|i| !is_even(i)).collect());
            [a, b, c, d, a, b]
        })
        .collect();
    assert!(expected.iter().any(|counts| counts[0] as usize > k::KEPT), "one list has too little room");
    let offsets = Offsets::new(vec![0, n]).unwrap();
    let found = machines().same(|on| {
        let (x, ranges, mut out) = (on.buffer(&x)?, on.buffer(&ranges)?, on.zeroed::<[u32; 6]>(n as usize)?);
        let offsets = on.offsets(&offsets)?;
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        let args = k::partitioned_ranges::Args { out: segments, x: x.view(), ranges: ranges.view() };
        k::partitioned_ranges::launch(on, 1, args)?;
        out.download()
    });
    assert_eq!(found, expected);
}

#[test]
fn rows_without_elements_end() {
    let launch = |rows| {
        let mut out = [0];
        k::empty_rows::launch(&CpuExecutor::new(), 1, k::empty_rows::Args { out: &mut out[..], rows }).map(|()| out[0])
    };
    assert_eq!(launch(1000).unwrap(), 1000);
    let refused = launch(u32::MAX).unwrap_err();
    assert!(matches!(refused, LaunchError::Panic(_)), "{refused}");
    let machines = machines();
    let Some(gpu) = machines.gpu() else { return };
    let mut out = DeviceBuffer::from_slice(gpu.stream(), &[0u32]).unwrap();
    k::empty_rows::launch(gpu, 1, k::empty_rows::Args { out: out.view_mut(), rows: u32::MAX }).unwrap();
    assert!(out.download(gpu.stream()).unwrap_err().kernel_panic().is_some(), "it ends");
}
