//! Kernels whose blocks meet, by one thread and by several.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Reductions in turn, with one scratch memory and with two, of floats whose sum shows the order of its operations.
#[kernel(threads = 96, requires(scratch.len() == 2 * x.len(), found.len() >= 4))]
fn reduced(
    grid: &mut WholeGrid,
    x: &mut GridMemory<f32>,
    y: &mut GridMemory<f32>,
    scratch: &mut GridMemory<f32>,
    found: &mut GridMemory<f32>,
    bad: u32,
) {
    let n = x.len();
    let (mut one, mut two) = scratch.split_at(n);
    let filled = y.fill_reduce(
        grid,
        &mut one,
        n,
        0.0,
        |thread, i| {
            let x = x.get(thread, i);
            (x + 1.0, x * 1.5)
        },
        |a, b| a + b,
    );
    let there = y.view();
    let updated = x.update_reduce(
        grid,
        &mut two,
        n,
        0.0,
        |thread, i, x| {
            assert!(i != bad, "the bad element");
            *x += there.part(i, 1).get(thread, 0) * filled;
            *x
        },
        |a, b| a + b,
    );
    // The same scratch memory again.
    let summed = grid.reduce_in_order(&mut two, n, 0.0, |thread, i| x.get(thread, i) / updated, |a, b| a + b);
    let none = grid.reduce_in_order(&mut two, 0, 0.0, |_, _| 1.0, |a, b| a + b);
    let values = [filled, updated, summed, none];
    found.fill(grid, 4, |_, i| values[i as usize]);
}

/// The same by one block.
#[kernel(threads = 32)]
fn by_one(block: &mut Block, x: &mut Segment<f32>, y: &mut Segment<f32>, found: &mut Chunk<f32, 4>) {
    let n = x.len();
    let filled = y.fill_reduce(
        block,
        n,
        0.0,
        |i| {
            let x = x.view(n).get(i);
            (x + 1.0, x * 1.5)
        },
        |a, b| a + b,
    );
    let y = y.view(n);
    let updated = x.update_reduce(
        block,
        n,
        0.0,
        |i, x| {
            *x += y.get(i) * filled;
            *x
        },
        |a, b| a + b,
    );
    let x = x.view(n);
    let summed = block.reduce(n, 0.0, |i| x.get(i) / updated, |a, b| a + b);
    let values = [filled, updated, summed, 0.0];
    found.fill(block, 4, |i| values[i as usize]);
}

fn numbers(n: u32) -> Vec<f32> {
    (0..n).map(|i| 1.0 / (i as f32 + 1.0)).collect()
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

type Found = (Vec<f32>, [f32; 4]);

fn by_all(executor: CpuExecutor, n: u32, blocks: u32, bad: u32) -> Result<Found, LaunchError> {
    let (mut x, mut y, mut scratch, mut found) = (numbers(n), numbers(n), vec![0.0; 2 * n as usize], [0.0; 4]);
    let args = reduced::Args { x: &mut x[..], y: &mut y[..], scratch: &mut scratch[..], found: &mut found[..], bad };
    reduced::launch(&executor, blocks, args)?;
    Ok((x, found))
}

/// Runs a test with some threads for helpers.
fn with_threads<R: Send>(threads: usize, test: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(test)
}

const LENGTHS: &[u32] =
    if cfg!(miri) { &[0, 33, 1500] } else { &[0, 1, 31, 32, 33, 511, 512, 1023, 1024, 1025, 2049, 5000, 70_001] };

#[test]
fn reductions_in_order_have_the_bits_of_a_block() {
    for &n in LENGTHS {
        let offsets = Offsets::new(vec![0, n]).unwrap();
        let (mut x, mut y, mut expected) = (numbers(n), numbers(n), [0.0; 4]);
        let segments = [&mut x, &mut y].map(|data| Segments { data: &mut data[..], offsets: &offsets });
        let [x_there, y_there] = segments;
        by_one::launch(&CpuExecutor::new(), 1, by_one::Args { x: x_there, y: y_there, found: &mut expected[..] })
            .unwrap();
        let expected = (bits(&x), bits(&expected));
        let check = |executor, blocks| {
            let (x, found) = by_all(executor, n, blocks, u32::MAX).unwrap();
            assert!((bits(&x), bits(&found)) == expected, "{n} elements, {blocks} blocks: {found:?}");
        };
        for blocks in [1, 3, 50] {
            check(CpuExecutor::new(), blocks);
            check(CpuExecutor::new().on_this_thread(), blocks);
            check(CpuExecutor::shuffled(u64::from(n)), blocks);
            with_threads(4, || check(CpuExecutor::new(), blocks));
        }
    }
}

#[test]
fn a_panic_on_any_thread_is_reported_with_its_block_and_thread() {
    let n = if cfg!(miri) { 1500 } else { 50_000 };
    for bad in [0, 97, n / 2, n - 1] {
        let report = |executor| {
            let Err(LaunchError::Panic(panic)) = by_all(executor, n, 7, bad) else { panic!("no panic") };
            assert_eq!(panic.message.as_deref(), Some("the bad element"));
            assert!(panic.file.ends_with("whole_grids.rs"), "{}", panic.file);
            (panic.block, panic.thread, panic.line)
        };
        let expected = report(CpuExecutor::new().on_this_thread());
        // Threads of all blocks take indices in turn.
        assert_eq!((expected.0, expected.1), ([bad / 96 % 7, 0, 0], [bad % 96, 0, 0]));
        assert_eq!(report(CpuExecutor::shuffled(3)), expected);
        with_threads(4, || assert_eq!(report(CpuExecutor::new()), expected));
    }
}

/// Each element depends on the whole previous turn.
#[kernel(threads = 64, requires(other.len() == x.len()))]
fn turns(grid: &mut WholeGrid, x: &mut GridMemory<u32>, other: &mut GridMemory<u32>, count: &Atomics<u32>, turns: u32) {
    let n = x.len();
    for turn in 0..turns {
        other.fill(grid, n, |thread, i| x.get(thread, (i.wrapping_mul(7919) + turn) % n).rotate_left(5) ^ i);
        x.update(grid, n, |thread, i, x| *x = x.wrapping_add(other.get(thread, n - 1 - i)));
        grid.for_each(n, |thread, _| {
            count.add(thread, 0, 1);
        });
    }
}

#[test]
fn several_threads_compute_what_one_computes() {
    let (n, count) = if cfg!(miri) { (1500, 3) } else { (20_000, 40) };
    let run = |executor: CpuExecutor| {
        let (mut x, mut other, mut counted): (Vec<u32>, _, _) = ((0..n).collect(), vec![0; n as usize], [0]);
        let args = turns::Args { x: &mut x[..], other: &mut other[..], count: &mut counted[..], turns: count };
        turns::launch(&executor, 9, args).unwrap();
        assert_eq!(counted, [n * count]);
        x
    };
    let expected = run(CpuExecutor::new().on_this_thread());
    assert!(run(CpuExecutor::shuffled(1)) == expected);
    for threads in [2, 5] {
        with_threads(threads, || assert!(run(CpuExecutor::new()) == expected, "{threads} threads"));
    }
    // Two launches share the pool.
    with_threads(3, || {
        let (first, second) = rayon::join(|| run(CpuExecutor::new()), || run(CpuExecutor::new()));
        assert!(first == expected && second == expected);
    });
}

/// A payload that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload");
    }
}

#[kernel(threads = 32)]
fn explodes(grid: &mut WholeGrid, x: &mut GridMemory<u32>, bad: u32) {
    let n = x.len();
    x.fill(grid, n, |_, i| {
        if i == bad {
            std::panic::panic_any(Bomb);
        }
        i
    });
}

#[test]
fn a_payload_that_panics_does_not_leave_other_threads_alone() {
    with_threads(4, || {
        for bad in [0, 1400, 2999] {
            let mut x = vec![0; 3000];
            let error = explodes::launch(&CpuExecutor::new(), 2, explodes::Args { x: &mut x[..], bad }).unwrap_err();
            let LaunchError::Panic(panic) = error else { panic!("{error}") };
            assert_eq!((panic.block, panic.thread), ([bad / 32 % 2, 0, 0], [bad % 32, 0, 0]));
        }
    });
}
