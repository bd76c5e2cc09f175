//! What each atomic operation does to a number, and to a structure.

use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Every operation of integers of 32 bits, and some of 64; and what an addition and a load return.
#[kernel(threads = 32)]
pub fn atomic_integers(
    block: &mut Block,
    word: &Atomics<u32>,
    signed: &Atomics<i32>,
    long: &Atomics<u64>,
    out: &mut Chunk<u64, 1>,
) {
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

/// The smallest and the largest of some numbers.
#[kernel(threads = 32)]
pub fn atomic_extremes(
    block: &mut Block,
    lowest: &Atomics<f32, scope::System>,
    highest: &Atomics<f32>,
    values: &[f32],
) {
    block.for_each(values.len() as u32, |t, i| {
        lowest.min(t, 0, values.at(i));
        highest.max(t, 0, values.at(i));
    });
}

/// Every operation of floats and of signed integers of 64 bits. One thread adds one value after the other.
#[kernel(threads = 32)]
pub fn atomic_long_numbers(block: &mut Block, double: &Atomics<f64>, long: &Atomics<i64>, values: &[f64]) {
    block.for_each(1, |t, _| {
        for i in 0..values.len() as u32 {
            double.add(t, 0, values.at(i));
            double.min(t, 1, values.at(i));
            double.max(t, 2, values.at(i));
        }
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

/// 64-bit atomics in global and in shared memory. (Sums of integers are the same in every order.)
#[kernel(threads = 64)]
pub fn wide_atomics(
    block: &mut Block,
    long: &Atomics<i64>,
    double: &Atomics<f64>,
    own: &mut Chunk<f64, 8>,
    x: &[f64],
    cells: &mut Shared<f64, 8>,
) {
    let n = x.len() as u32;
    let mut cells = cells.fill(block, 8, |_| 0.0);
    cells.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, i % 6, x.at(i));
        cells.min(thread, 6, x.at(i));
        cells.max(thread, 7, x.at(i));
    });
    own.fill(block, 8, |i| cells.get(i));
    block.for_each(n, |thread, i| {
        let value = x.at(i);
        double.add(thread, 0, value);
        double.min(thread, 1, value);
        double.max(thread, 2, value);
        long.add(thread, 0, value as i64);
        long.min(thread, 1, value as i64);
        long.max(thread, 2, value as i64);
        long.xor(thread, 3, value as i64);
        double.compare_exchange(thread, 3, 0.0, 7.0);
        double.store(thread, 4, 1.5);
    });
}

/// A number and its index, which are updated together.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(8))]
pub struct Best {
    /// The number.
    pub score: f32,
    /// The index.
    pub index: u32,
}

impl AtomicItem for Best {
    type Word = u64;
}

/// The largest of all elements in element 0 of `best`, and a counter in element 1; the block's own largest element.
#[kernel(threads = 128, requires(best.len() == 2, own.len() == grid.x as usize))]
pub fn best_of(
    block: &mut Block,
    best: &Atomics<Best>,
    own: &mut Chunk<Best, 1, WriteOnly>,
    x: &[f32],
    cell: &mut Shared<Best, 1>,
) {
    let first = block.index() * 1000;
    let n = (x.len() as u32).saturating_sub(first).min(1000);
    let better = |index: u32| {
        let score = x.at(index);
        move |best: Best| {
            let is_better = score > best.score || (score == best.score && index < best.index);
            if is_better { Best { score, index } } else { best }
        }
    };
    let mut cell = cell.fill(block, 1, |_| Best { score: f32::NEG_INFINITY, index: 0 });
    cell.update_atomic(block, n, |thread, cells, i| {
        cells.update(thread, 0, better(first + i));
    });
    own.fill(block, 1, |_| cell.get(0));
    block.for_each(n, |thread, i| {
        best.update(thread, 0, better(first + i));
        best.update(thread, 1, |best| Best { score: best.score + 1.0, index: best.index ^ i });
    });
}
