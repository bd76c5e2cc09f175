//! One thread's result for all, and one warp's for a row.

use cuda_std::prelude::*;

/// Values of one thread that all threads get, alternating with reductions, which use the same shared memory.
#[kernel(threads = 160)]
pub fn broadcasts_in_turn(block: &mut Block, out: &mut Chunk<u32, 160>, next: &Atomics<u32>, from: u32) {
    let step = block.per_thread(|thread| 3 * thread.index() + 1);
    let mut own = block.per_thread(|thread| thread.index());
    let first = block.once(|thread| next.add(thread, 0, 1));
    for turn in 0..7 {
        let one = block.broadcast(&own, (from + turn) % 160);
        block.each_with(&mut own, &step, |thread, own, step| *own = (*own + *step + one) % (1000 + thread.index()));
        let sum = block.reduce_threads(&own, 0, |_, own| *own, |a, b| a + b);
        let [a, b] = block.once(|thread| [sum + thread.index(), one]);
        block.each(&mut own, |_, own| *own += (a + b) % 17);
    }
    out.write(block, 0, &own, |_, own| *own + first);
}

/// The difference of each element from the largest of its row, which a warp finds first.
#[kernel(threads = 64)]
pub fn below_largest(block: &mut Block, out: &mut Chunk<u32, 200>, x: &[u32], rows: u32, columns: u32) {
    let largest = |warp: &mut Warp, row: u32| {
        let lanes = warp
            .per_lane(|lane| (lane.index()..columns).step_by(32).map(|c| x.at(row * columns + c)).max().unwrap_or(0));
        warp.reduce(&lanes, |a, b| a.max(b))
    };
    out.fill_rows_by_warp(block, rows, columns, largest, |largest, row, c| largest - x.at(row * columns + c));
}

/// Each element's share of its row, as in a softmax.
#[kernel(threads = 96)]
pub fn row_shares(block: &mut Block, out: &mut Chunk<f32, 4000, WriteOnly>, x: &[f32], columns: u32) {
    let (rows, first) = (out.len() / columns, out.start());
    let at = |row: u32, c: u32| x.at(first + row * columns + c);
    let sum = |warp: &mut Warp, row: u32| {
        let lanes =
            warp.per_lane(|lane| (lane.index()..columns).step_by(32).fold(0.0, |sum, c| sum + math::exp(at(row, c))));
        warp.reduce(&lanes, |a, b| a + b)
    };
    out.fill_rows_by_warp(block, rows, columns, sum, |sum, row, c| math::exp(at(row, c)) / sum);
}
