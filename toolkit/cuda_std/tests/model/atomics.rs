//! What the shuffled order reveals of atomic operations, and their bounds.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Wrong on purpose: each thread keeps the number that it drew, and the order of drawing is unspecified.
#[kernel(threads = 64)]
fn tickets(block: &mut Block, out: &mut Chunk<u32, 64>, next: &Atomics<u32>) {
    let drawn = block.per_thread(|t| next.add(t, 0, 1));
    out.write(block, 0, &drawn, |_, ticket| *ticket);
}

/// Wrong on purpose: adds floats in the order in which threads come.
#[kernel(threads = 64)]
fn float_sum(block: &mut Block, sum: &Atomics<f32>, values: &[f32]) {
    block.for_each(values.len() as u32, |t, i| {
        sum.add(t, 0, values.at(i));
    });
}

#[test]
fn the_shuffled_order_finds_kernels_that_rely_on_one() {
    let draw = |executor: &CpuExecutor| {
        let (mut out, mut next) = (vec![0; 256], [0]);
        tickets::launch(executor, 4, tickets::Args { out: &mut out, next: &mut next }).unwrap();
        assert_eq!(next, [256]);
        let mut sorted = out.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..256).collect::<Vec<_>>());
        out
    };
    let first = draw(&CpuExecutor::shuffled(1));
    assert_eq!(draw(&CpuExecutor::shuffled(1)), first, "one seed is one order");
    assert_ne!(draw(&CpuExecutor::shuffled(2)), first);

    let n: u32 = if cfg!(miri) { 200 } else { 1000 };
    let values: Vec<f32> = (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-3).collect();
    let add = |seed| {
        let mut sum = [0.0];
        float_sum::launch(&CpuExecutor::shuffled(seed), 1, float_sum::Args { sum: &mut sum, values: &values }).unwrap();
        sum[0].to_bits()
    };
    assert_eq!(add(3), add(3));
    assert!((0..10).any(|seed| add(seed) != add(3)), "ten orders, one sum");
}

#[kernel(threads = 32)]
fn changed(block: &mut Block, cells: &Atomics<u32>, at: u32, how: u32) {
    block.for_each(1, |t, _| {
        match how {
            0 => cells.exchange(t, at, 7),
            1 => cells.add(t, at, 6),
            2 => cells.min(t, at, 0),
            3 => cells.max(t, at, 7),
            4 => cells.and(t, at, 0),
            5 => cells.or(t, at, 6),
            6 => cells.xor(t, at, 6),
            7 => cells.compare_exchange(t, at, 1, 7),
            8 => cells.update(t, at, |old| old + 6),
            9 => cells.load(t, at),
            _ => {
                cells.store(t, at, 7);
                0
            }
        };
    });
}

#[test]
fn an_operation_beyond_the_buffer_panics() {
    for how in 0..11 {
        let mut cells = [1; 4];
        let mut run = |at| changed::launch(&CpuExecutor::new(), 1, changed::Args { cells: &mut cells[..3], at, how });
        run(2).unwrap();
        for at in [3, u32::MAX] {
            assert!(matches!(run(at), Err(LaunchError::Panic(_))), "{how}");
        }
        assert_eq!((cells[2] != 1, cells[3]), (how != 9, 1), "{how}");
    }
}
