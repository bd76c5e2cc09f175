//! One thread's result for all, several states per thread, and rows by warps.

use crate::panic_of;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 96)]
fn told(block: &mut Block, out: &mut Chunk<u32, 4>, next: &Atomics<u32>, from: u32) {
    let own = block.per_thread(|thread| thread.index() * 100);
    let ticket = block.once(|thread| next.add(thread, 0, 1));
    let who = block.once(|thread| thread.index());
    let values = [ticket, who, block.broadcast(&own, from), block.broadcast(&own, 95)];
    out.fill(block, 4, |i| values[i as usize]);
}

#[test]
fn one_thread_tells_all() {
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(5)] {
        let (mut out, mut next) = ([9; 4], [40]);
        told::launch(&executor, 1, told::Args { out: &mut out, next: &mut next, from: 33 }).unwrap();
        assert_eq!((out, next), ([40, 0, 3300, 9500], [41]));
    }
    let beyond = told::launch(&CpuExecutor::new(), 1, told::Args { out: &mut [9; 4], next: &mut [0], from: 96 });
    assert!(matches!(beyond, Err(LaunchError::Panic(_))), "{beyond:?}");
}

#[kernel(threads = 64)]
fn fails(block: &mut Block, out: &mut Chunk<u32, 1>, from: u32) {
    let own = block.per_thread(|thread| thread.index());
    let value = if from > 0 { block.broadcast(&own, from) } else { block.once(|_| panic!("nothing to tell")) };
    out.fill(block, 1, |_| value);
}

#[test]
fn a_panic_of_the_one_thread_is_its_own() {
    let launched = fails::launch(&CpuExecutor::new(), 1, fails::Args { out: &mut [0], from: 0 });
    let panic = panic_of(launched);
    assert_eq!((panic.thread, panic.message.as_deref()), ([0; 3], Some("nothing to tell")));
}

#[kernel(threads = 64)]
fn side_by_side(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let factor = block.per_thread(|thread| thread.index() + 1);
    let mut product = block.per_thread(|_| 1u32);
    for _ in 0..3 {
        block.each_with(&mut product, &factor, |_, product, factor| *product *= *factor);
    }
    out.write(block, 0, &product, |_, product| *product);
}

#[test]
fn a_thread_sees_both_of_its_states() {
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(5)] {
        let mut out = [0; 64];
        side_by_side::launch(&executor, 1, side_by_side::Args { out: &mut out }).unwrap();
        assert!((1u32..).zip(out).all(|(i, found)| found == i * i * i));
    }
}

/// The difference of each element from the largest of its row, which a warp finds first.
#[kernel(threads = 64)]
fn below_largest(block: &mut Block, out: &mut Chunk<u32, 200>, x: &[u32], rows: u32, columns: u32) {
    let largest = |warp: &mut Warp, row: u32| {
        let lanes = warp
            .per_lane(|lane| (lane.index()..columns).step_by(32).map(|c| x.at(row * columns + c)).max().unwrap_or(0));
        warp.reduce(&lanes, |a, b| a.max(b))
    };
    out.fill_rows_by_warp(block, rows, columns, largest, |largest, row, c| largest - x.at(row * columns + c));
}

#[test]
fn a_warp_writes_a_row() {
    let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(5)] {
        for (rows, columns) in [(200, 1), (6, 33), (5, 40), (1, 200), (0, 7), (7, 0)] {
            let mut out = [9; 200];
            let args = below_largest::Args { out: &mut out[..], x: &x[..], rows, columns };
            below_largest::launch(&executor, 1, args).unwrap();
            let mut expected = [9; 200];
            let filled = (rows * columns) as usize;
            for (row, out) in
                x[..filled].chunks(columns.max(1) as usize).zip(expected.chunks_mut(columns.max(1) as usize))
            {
                let largest = row.iter().max().unwrap();
                out.iter_mut().zip(row).for_each(|(out, x)| *out = largest - x);
            }
            assert_eq!(out, expected, "{rows} rows of {columns}");
        }
    }
    for (rows, columns) in [(6, 34), (1 << 16, 1 << 16), (1, u32::MAX)] {
        let args = below_largest::Args { out: &mut [0; 200][..], x: &x[..], rows, columns };
        let launched = below_largest::launch(&CpuExecutor::new(), 1, args);
        assert!(matches!(launched, Err(LaunchError::Panic(_))), "{rows} rows of {columns}: {launched:?}");
    }
}
