//! Atomic operations, and what the shuffled order reveals.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn histogram(block: &mut Block, bins: &Atomics<u32>, values: &[u32], counts: &mut Shared<u32, 16>) {
    let first = block.index() * 1000;
    let mut counts = counts.fill(block, 16, |_| 0);
    counts.update_atomic(block, 1000, |t, cells, i| {
        cells.add(t, values.at(first + i) % 16, 1);
    });
    block.for_each(16, |t, bin| {
        bins.add(t, bin, counts.get(bin));
    });
}

#[test]
fn a_histogram_is_the_same_in_every_order() {
    // Interpreters take their time.
    let (blocks, seeds) = if cfg!(miri) { (2, 1) } else { (20, 5) };
    let values: Vec<u32> = (0..blocks * 1000).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let mut expected = [5u32; 16];
    values.iter().for_each(|value| expected[*value as usize % 16] += 1);
    let run = |executor: &CpuExecutor| {
        let mut bins = [5; 16];
        histogram::launch(executor, blocks, histogram::Args { bins: &mut bins, values: &values }).unwrap();
        bins
    };
    assert_eq!(run(&CpuExecutor::new()), expected);
    for seed in 0..seeds {
        assert_eq!(run(&CpuExecutor::shuffled(seed)), expected);
    }
}

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
fn words(block: &mut Block, word: &Atomics<u32>, signed: &Atomics<i32>, long: &Atomics<u64>, out: &mut Segment<u64>) {
    block.for_each(1, |t, _| {
        word.add(t, 0, u32::MAX);
        word.min(t, 1, 3);
        word.max(t, 2, 30);
        word.and(t, 3, 6);
        word.or(t, 4, 6);
        word.xor(t, 5, 6);
        word.exchange(t, 6, 99);
        word.store(t, 10, 7);
        word.compare_exchange(t, 7, 10, 77);
        word.compare_exchange(t, 8, 11, 77);
        signed.add(t, 0, -20);
        signed.min(t, 1, -3);
        signed.max(t, 2, -3);
        long.add(t, 0, 1 << 40);
        long.max(t, 1, 1 << 41);
        long.xor(t, 2, 1 << 42 | 10);
    });
    // Operations return the old value.
    let last = block.per_thread(|t| {
        if t.index() == 0 { u64::from(word.add(t, 9, 5)) * 100 + u64::from(word.load(t, 9)) } else { 0 }
    });
    out.write(block, 0, &last, |_, value| *value);
}

#[test]
fn operations_do_what_they_say() {
    let (mut word, mut signed, mut long) = ([10u32; 11], [-10i32; 3], [10u64; 3]);
    let mut out = [1];
    let offsets = Offsets::new(vec![0, 1]).unwrap();
    let args = words::Args {
        word: &mut word[..],
        signed: &mut signed[..],
        long: &mut long[..],
        out: Segments { data: &mut out[..], offsets: &offsets },
    };
    words::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(word, [9, 3, 30, 2, 14, 12, 99, 77, 10, 15, 7]);
    assert_eq!(signed, [-30, -10, -3]);
    assert_eq!(long, [10 + (1 << 40), 1 << 41, 1 << 42]);
    assert_eq!(out, [1015]);
}

#[kernel(threads = 32)]
fn floats(block: &mut Block, lowest: &Atomics<f32, scope::System>, highest: &Atomics<f32>, values: &[f32]) {
    block.for_each(values.len() as u32, |t, i| {
        lowest.min(t, 0, values.at(i));
        highest.max(t, 0, values.at(i));
    });
}

#[test]
fn extremes_of_floats_are_those_of_numbers() {
    let range = |first: f32, values: &[f32]| {
        let (mut lowest, mut highest) = ([first], [first]);
        let args = floats::Args { lowest: &mut lowest[..], highest: &mut highest[..], values };
        floats::launch(&CpuExecutor::new(), 1, args).unwrap();
        [lowest[0].to_bits(), highest[0].to_bits()]
    };
    let bits = |low: f32, high: f32| [low.to_bits(), high.to_bits()];
    assert_eq!(range(0.5, &[1.0, -2.0, 3.0, -4.5]), bits(-4.5, 3.0));
    assert_eq!(range(-5.0, &[-1.0, -2.0, -7.5]), bits(-7.5, -1.0));
    assert_eq!(range(5.0, &[1.0, 2.0, 7.5]), bits(1.0, 7.5));
    assert_eq!(range(0.0, &[-0.0]), bits(-0.0, 0.0));
    assert_eq!(range(-0.0, &[0.0]), bits(-0.0, 0.0));
    assert_eq!(range(1.0, &[f32::NAN, -f32::NAN]), bits(1.0, 1.0));
    assert_eq!(range(1.0, &[f32::INFINITY, f32::NEG_INFINITY]), bits(f32::NEG_INFINITY, f32::INFINITY));
    assert_eq!(range(1.0, &[1e-45, -1e-45]), bits(-1e-45, 1.0));
}

/// The operations of 32-bit floats, and those of 64-bit integers.
#[kernel(threads = 32)]
fn wide(block: &mut Block, double: &Atomics<f64>, long: &Atomics<i64>, values: &[f64]) {
    block.for_each(values.len() as u32, |t, i| {
        double.add(t, 0, values.at(i));
        double.min(t, 1, values.at(i));
        double.max(t, 2, values.at(i));
    });
    block.for_each(1, |t, _| {
        double.exchange(t, 3, -1.5);
        double.compare_exchange(t, 4, 2.0, 9.0);
        double.compare_exchange(t, 5, 3.0, 9.0);
        long.add(t, 0, -1);
        long.min(t, 1, i64::MIN);
        long.max(t, 2, -3);
        long.and(t, 3, 6);
        long.or(t, 4, 6);
        long.xor(t, 5, -1);
        long.compare_exchange(t, 6, 10, long.load(t, 0));
    });
}

#[test]
fn numbers_of_64_bits_have_all_operations() {
    let run = |values: &[f64]| {
        let (mut double, mut long) = ([1.0, 0.5, 0.5, 0.0, 2.0, 2.0], [i64::MIN, 10, -10, 10, 10, 10, 10]);
        wide::launch(&CpuExecutor::new(), 1, wide::Args { double: &mut double, long: &mut long, values }).unwrap();
        assert_eq!(long, [i64::MAX, i64::MIN, -3, 2, 14, -11, i64::MAX]);
        assert_eq!(double[3..], [-1.5, 9.0, 2.0]);
        [double[0], double[1], double[2]]
    };
    assert_eq!(run(&[]), [1.0, 0.5, 0.5]);
    assert_eq!(run(&[1.0, -2.0, 3.0, -4.5]), [-1.5, -4.5, 3.0]);
    assert_eq!(run(&[1e300, -1e300]), [if 1.0 + 1e300 == 1e300 { 0.0 } else { 1.0 }, -1e300, 1e300]);
    assert_eq!(run(&[5e-324, -5e-324])[1..], [-5e-324, 0.5]);
    let [sum, low, high] = run(&[f64::NAN]);
    assert!(sum.is_nan() && (low, high) == (0.5, 0.5));
}

#[kernel(threads = 32)]
fn beyond(block: &mut Block, cells: &Atomics<u32>, at: u32, how: u32) {
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
        let mut run = |at| beyond::launch(&CpuExecutor::new(), 1, beyond::Args { cells: &mut cells[..3], at, how });
        run(2).unwrap();
        for at in [3, u32::MAX] {
            assert!(matches!(run(at), Err(LaunchError::Panic(_))), "{how}");
        }
        assert_eq!((cells[2] != 1, cells[3]), (how != 9, 1), "{how}");
    }
}
