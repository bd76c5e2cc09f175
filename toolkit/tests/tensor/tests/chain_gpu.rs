//! Chains of two products on CPU cores and a GPU, by single warps and by warpgroups.

use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;
use tensor_kernels as k;
use tensor_tests::gpus;
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

const ROWS: u32 = 256;

/// Vectors with these numbers.
macro_rules! vectors {
    ($vector:ident, $numbers:expr) => {{
        let numbers: &[f32] = &$numbers;
        numbers.chunks_exact(8).map(|eight| $vector::from_f32(eight.try_into().unwrap())).collect::<Vec<_>>()
    }};
}

/// Sums of chains and the threads' totals on all machines, which must have the same bits, and the exact sums.
macro_rules! chained {
    ($machines:expr, $dice:expr, $turns:expr, <$vector:ident, $element:ident, $keys:literal, $columns:literal, $c:literal, $k:literal, $n:literal, $stages:literal>) => {{
        let (turns, dice): (usize, &mut Dice) = ($turns, $dice);
        let mut small = |n: usize| (0..n).map(|_| dice.below(5) as f32 - 2.0).collect::<Vec<f32>>();
        let n = turns.max(1) * $keys * $columns;
        let numbers = [ROWS as usize * $columns, n, n].map(|n| small(n));
        let [x, a, b] = [0, 1, 2].map(|i: usize| vectors!($vector, numbers[i]));
        let found: Vec<f32> = $machines.same(|on| {
            let (x, a, b) = (on.buffer(&x)?, on.buffer(&a)?, on.buffer(&b)?);
            let (mut out, mut totals) = (on.zeroed::<f32>((ROWS * $columns) as usize)?, on.zeroed::<f32>(512)?);
            let args = k::chained::Args {
                out: Matrix { data: out.view_mut(), columns: $columns },
                totals: totals.view_mut(),
                x: x.view(),
                a: a.view(),
                b: b.view(),
                turns: turns as u32,
                tiles: DynamicLength(2 * $stages * $keys * $columns / 8),
            };
            k::chained::launch::<$vector, $element, $keys, $columns, $c, $k, $n, $stages, _>(
                on,
                (1, ROWS / 128),
                args,
            )?;
            let mut found = out.download()?;
            found.extend(totals.download()?);
            Ok(found)
        });
        let [x, a, b] = &numbers;
        for row in (0..ROWS as usize).step_by(37) {
            let mut sums = [0.0f32; $columns];
            for turn in 0..turns {
                if turn % 2 == 1 {
                    sums.iter_mut().for_each(|sum| *sum /= 2.0);
                }
                for key in turn * $keys..(turn + 1) * $keys {
                    let line = |of: &[f32], row: usize| of[row * $columns..][..$columns].to_vec();
                    let first: f32 = line(x, row).iter().zip(line(a, key)).map(|(x, y)| x * y).sum();
                    let first = $element::from_f32(first).to_f32();
                    sums.iter_mut().zip(line(b, key)).for_each(|(sum, value)| *sum += first * value);
                }
            }
            assert_eq!(found[row * $columns..][..$columns], sums, "row {row}, {turns} turns");
        }
    }};
}

#[test]
fn chains_of_whole_numbers_are_exact() {
    let (machines, mut dice) = (Machines::of(gpus("sm_80")), Dice::new(21));
    // No turn, fewer than stages, as many, and more.
    for turns in [0, 1, 2, 3, 6] {
        chained!(machines, &mut dice, turns, <bf16x8, bf16, 128, 128, 16, 8, 16, 2>);
        chained!(machines, &mut dice, turns, <bf16x8, bf16, 64, 128, 8, 8, 16, 3>);
        chained!(machines, &mut dice, turns, <f16x8, f16, 128, 64, 16, 4, 8, 3>);
        chained!(machines, &mut dice, turns, <f16x8, f16, 64, 64, 8, 4, 8, 2>);
        // Single warps everywhere.
        chained!(machines, &mut dice, turns, <f16x8, f16, 32, 64, 4, 4, 8, 2>);
    }
}

fn until(on: &Machine, turn: u32, tiles: u32) -> Result<(), CudaError> {
    let a = vectors!(bf16x8, [1.0; 64 * 64 * 4]);
    let (x, a, mut out) = (on.buffer(&a[..64 * 8])?, on.buffer(&a)?, on.zeroed::<f32>(64 * 64)?);
    let out = Matrix { data: out.view_mut(), columns: 64 };
    let tiles = DynamicLength(tiles);
    k::chained_until::launch(on, (1, 1), k::chained_until::Args { out, x: x.view(), a: a.view(), until: turn, tiles })?;
    on.synchronize()
}

#[test]
fn a_panic_between_the_products_is_an_error() {
    let machines = [("CPU cores", Machine::cpu())].into_iter();
    let machines: Vec<_> = machines.chain(gpus("sm_80").into_iter().map(|(name, gpu)| (name, gpu.into()))).collect();
    for (name, on) in &machines {
        for turn in 0..4 {
            let error = until(on, turn, 2 * 1024).expect_err("a thread panics");
            let found = error.kernel_panic().unwrap_or_else(|| panic!("{name}, turn {turn}: {error}"));
            assert!(found.to_string().contains("chain.rs"), "{name}, turn {turn}: {found}");
        }
        until(on, 4, 2 * 1024).unwrap_or_else(|error| panic!("{name}: {error}"));
        let error = until(on, 4, 2 * 1024 - 1).expect_err("a stage has no room");
        assert!(error.kernel_panic().is_some(), "{name}: {error}");
    }
}
