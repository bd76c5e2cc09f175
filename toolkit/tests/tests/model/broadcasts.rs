//! One thread's result for all, and one warp's for a row.

use crate::machines;
use cuda_host::Machine;
use test_kernels as k;
use toolkit_tests::dice::numbers;

/// The numbers of the threads of `broadcasts_in_turn`, computed one thread after the other.
fn broadcasts(from: usize) -> Vec<u32> {
    let mut own: Vec<u32> = (0..160).collect();
    for turn in 0..7 {
        let one = own[(from + turn) % 160];
        let next = |(t, own): (u32, &u32)| (*own + 3 * t + 1 + one) % (1000 + t);
        own = (0..).zip(&own).map(next).collect();
        // The thread that computes once has the index 0.
        let more = (own.iter().sum::<u32>() + one) % 17;
        own.iter_mut().for_each(|own| *own += more);
    }
    own
}

#[test]
fn all_threads_get_the_value_of_one() {
    let machines = machines();
    for from in [0, 1, 77, 159] {
        let (out, next) = machines.same(|on| {
            let (mut out, mut next) = (on.zeroed::<u32>(160)?, on.buffer(&[5u32])?);
            k::broadcasts_in_turn::launch(
                on,
                1,
                k::broadcasts_in_turn::Args { out: out.view_mut(), next: next.view_mut(), from },
            )?;
            Ok((out.download()?, next.download()?))
        });
        assert_eq!(next, [6], "one thread drew one");
        assert_eq!(out, broadcasts(from as usize).iter().map(|own| own + 5).collect::<Vec<_>>(), "from {from}");
    }
}

#[test]
fn a_warp_writes_a_row() {
    let machines = machines();
    let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let run = |on: &Machine, rows, columns| {
        let (x, mut out) = (on.buffer(&x)?, on.buffer(&[9u32; 200])?);
        let args = k::below_largest::Args { out: out.view_mut(), x: x.view(), rows, columns };
        k::below_largest::launch(on, 1, args)?;
        out.download()
    };
    for (rows, columns) in [(200, 1), (6, 33), (5, 40), (1, 200), (0, 7), (7, 0)] {
        let mut expected = [9; 200];
        let (filled, width) = ((rows * columns) as usize, columns.max(1) as usize);
        for (row, out) in x[..filled].chunks(width).zip(expected.chunks_mut(width)) {
            let largest = row.iter().max().unwrap();
            out.iter_mut().zip(row).for_each(|(out, x)| *out = largest - x);
        }
        assert_eq!(machines.same(|on| run(on, rows, columns)), expected, "{rows} rows of {columns}");
    }
    for (rows, columns) in [(6, 34), (1 << 16, 1 << 16), (1, u32::MAX)] {
        machines.panic(|on| run(on, rows, columns));
    }
}

#[test]
fn a_warps_sum_is_there_for_its_row() {
    let machines = machines();
    for (columns, blocks) in [(1usize, 1u32), (31, 1), (32, 2), (100, 3), (4000, 3)] {
        let n = 4000 / columns * columns + (blocks as usize - 1) * 4000;
        let x = numbers(n, 1);
        let shares = machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed::<f32>(n)?);
            let args = k::row_shares::Args { out: out.view_mut(), x: x.view(), columns: columns as u32 };
            k::row_shares::launch(on, blocks, args)?;
            out.download()
        });
        for (x, shares) in x.chunks(4000).zip(shares.chunks(4000)) {
            for (x, shares) in x.chunks_exact(columns).zip(shares.chunks_exact(columns)) {
                let sum: f64 = x.iter().map(|x| f64::from(*x).exp()).sum();
                let is_share = |(x, share): (&f32, &f32)| {
                    (f64::from(*share) - f64::from(*x).exp() / sum).abs() < 1e-5 / columns as f64
                };
                assert!(x.iter().zip(shares).all(is_share), "{columns} columns, {blocks} blocks");
            }
        }
    }
}
