//! What was proved for one memory, used with another; and arithmetic near the end of what indices can count. The guide has a table of
//! such attacks, with what stops each of them.

use crate::{message, panic_of};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::sync::Mutex;

/// The indices of one memory with another: `n` elements are checked for a view of `x`, and read from the shorter `y`.
#[kernel(threads = 32)]
fn index_of_another(
    block: &mut Block,
    out: &mut Chunk<u32, 4>,
    x: &[u32],
    y: &[u32],
    how: u32,
    tile: &mut Shared<u32, 8>,
) {
    let tile = tile.fill(block, 8, |i| i);
    let table = Table::new(x, 4, 4);
    let (whole, corner) = (table.window::<4, 4>(0, 0), table.window::<2, 2>(2, 2));
    let part = tile.part(2, 3);
    out.fill(block, 4, |i| {
        let at = i + 3;
        match how {
            0 => x.at(at) + y.at(at),
            1 => whole.at(at % 4, at / 4) + corner.at(at % 4, at / 4),
            2 => tile.get(at) + part.get(at),
            _ => part.get(i % 3),
        }
    });
}

#[test]
fn an_index_that_one_memory_has_is_checked_for_another() {
    let run = |how| {
        let mut out = [0; 4];
        let args = index_of_another::Args { out: &mut out[..], x: &[1; 16][..], y: &[1; 5][..], how };
        index_of_another::launch(&CpuExecutor::new(), 1, args).map(|()| out)
    };
    for how in 0..3 {
        assert!(message(run(how)).contains("out of bounds"), "{how}");
    }
    assert_eq!(run(3).unwrap(), [2, 3, 4, 2]);
}

static KEPT: Mutex<Option<PerThread<u32>>> = Mutex::new(None);

/// Keeps a value of each of its threads for another launch.
#[kernel(threads = 32)]
fn keeps(block: &mut Block, out: &mut Chunk<u32, 1>) {
    *KEPT.lock().unwrap() = Some(block.per_thread(|thread| thread.index()));
    out.set(block, 0, 1);
}

/// Has twice as many threads.
#[kernel(threads = 64)]
fn takes(block: &mut Block, out: &mut Chunk<u32, 64>, how: u32) {
    let mut kept = KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take().expect("of the other kernel");
    match how {
        0 => block.each(&mut kept, |_, kept| *kept += 1),
        1 => out.write(block, 0, &kept, |_, kept| *kept),
        2 => {
            let sum = block.reduce_threads(&kept, 0, |_, kept| *kept, |a, b| a + b);
            out.set(block, 0, sum);
        }
        _ => block.warps_with(&mut kept, |warp, kept| warp.each(kept, |_, kept| *kept += 1)),
    }
}

#[test]
fn values_of_other_threads_are_missing_in_a_larger_block() {
    for how in 0..4 {
        keeps::launch(&CpuExecutor::new(), 1, keeps::Args { out: &mut [0][..] }).unwrap();
        let mut out = [0; 64];
        let launched = takes::launch(&CpuExecutor::new(), 1, takes::Args { out: &mut out[..], how });
        let text = message(launched);
        assert!(text.contains("out of range") || text.contains("out of bounds"), "{how}: {text}");
    }
}

/// Elements of no bytes, of which a slice has as many as can be counted.
#[kernel(threads = 32)]
fn countless(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[[u32; 0]], size: [u32; 2], at: [u32; 2], how: u32) {
    let [rows, columns] = size;
    let table = Table::new(x, rows, columns);
    let found = match how {
        0 => table.window::<3, 2>(at[0], at[1]).at(2, 1).len() as u32,
        1 => table.windows_across::<3, 2>(at[0]).window(at[1]).at(2, 1).len() as u32,
        _ => table.windows_across::<1, 1>(at[0]).count(),
    };
    out.set(block, 0, found);
}

#[test]
fn windows_near_the_last_index_are_within_their_table() {
    let run = |size, at, how| {
        let (x, mut out) = (vec![[]; u32::MAX as usize], [9]);
        countless::launch(&CpuExecutor::new(), 1, countless::Args { out: &mut out[..], x: &x[..], size, at, how })
            .map(|()| out[0])
    };
    const MAX: u32 = u32::MAX;
    // The number of elements: as many as an index counts, and more.
    assert_eq!(run([3, MAX / 3], [0, MAX / 3 - 2], 0).unwrap(), 0);
    assert_eq!(run([MAX, 1], [MAX - 1, 0], 2).unwrap(), 1);
    assert_eq!(run([1, MAX], [0, 0], 2).unwrap(), MAX);
    assert_eq!(run([3, MAX / 3], [0, MAX / 6 - 1], 1).unwrap(), 0);
    let beyond = [
        ([2, MAX / 2 + 1], [0, 0], 2),
        ([1 << 16, 1 << 16], [0, 0], 2),
        ([3, MAX / 3], [0, MAX / 3 - 1], 0),
        ([3, MAX / 3], [0, MAX], 0),
        ([3, MAX / 3], [MAX, 0], 0),
        ([3, MAX / 3], [1, 0], 1),
        ([3, MAX / 3], [0, MAX / 6], 1),
        ([3, MAX / 3], [0, MAX], 1),
    ];
    for (size, at, how) in beyond {
        let found: Result<u32, LaunchError> = run(size, at, how);
        panic_of(found);
    }
}

/// Parts whose end would wrap, of memory and of segments.
#[kernel(threads = 32)]
fn wraps(block: &mut Block, out: &mut Segment<u32>, first: u32, n: u32, how: u32, tile: &mut Shared<u32, 8>) {
    let tile = tile.fill(block, 8, |i| i);
    match how {
        0 => {
            let part = tile.part(first, n);
            out.fill(block, 1, |_| part.len());
        }
        1 => {
            let view = out.view(n);
            let last = view.get(first);
            out.fill(block, 1, |_| last);
        }
        2 => {
            let own = block.per_thread(|_| 1);
            out.write(block, first, &own, |_, own| *own);
        }
        _ => {
            let mut whole = out.whole();
            let (mut left, mut right) = whole.split_at(first);
            left.fill(block, 1, |_| 5);
            right.fill(block, n, |_| 6);
        }
    }
}

#[test]
fn ends_that_wrap_are_out_of_bounds() {
    let run = |first, n, how| {
        let (mut out, offsets) = ([7; 8], Offsets::new(vec![0, 8]).unwrap());
        let out = Segments { data: &mut out[..], offsets: &offsets };
        wraps::launch(&CpuExecutor::new(), 1, wraps::Args { out, first, n, how })
    };
    const MAX: u32 = u32::MAX;
    for (first, n) in [(1, MAX), (MAX, 1), (MAX, MAX), (MAX - 3, 4), (4, MAX - 3), (9, 0)] {
        for how in 0..4 {
            // Those threads write from `first` on that have an element; `model/memory.rs` compares what they write.
            assert_eq!(run(first, n, how).is_ok(), how == 2, "{first} and {n}, {how}");
        }
    }
    assert!(run(2, 3, 0).is_ok() && run(2, 3, 1).is_ok() && run(2, 3, 3).is_ok());
}

static CALLS: Mutex<u32> = Mutex::new(0);

/// A corner that is another one each time it is asked for.
#[kernel(threads = 32)]
fn fickle(
    block: &mut Block,
    out: &mut Tile2d<f32, 16, 8, WriteOnly>,
    a: &[f16x8],
    b: &[f16x8],
    tiles: &mut Shared<f16x8, 384>,
) {
    let (a, b) = (Table::new(a, 16, 16), Table::new(b, 8, 16));
    let windows = (a.windows_across::<16, 8>(0), b.windows_across::<8, 8>(0));
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 1, 1>::zero());
    let corner = |_| {
        let mut calls = CALLS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *calls += 1;
        [if *calls > 1 { 1 } else { 0 }, 0]
    };
    tiles.stages::<2>(block).add_products(block, windows, corner, &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

#[test]
fn rows_that_were_right_once_are_checked_each_time() {
    let (a, b) =
        (vec![f16x8::from_array([f16::from_f32(1.0); 8]); 256], vec![f16x8::from_array([f16::from_f32(1.0); 8]); 128]);
    let mut out = [0.0; 128];
    let args = fickle::Args { out: Matrix { data: &mut out[..], columns: 8 }, a: &a[..], b: &b[..] };
    assert!(fickle::launch(&CpuExecutor::new(), (1, 1), args).is_err());
}
