//! One thread's result for all, in-place scans, rows by warps, 64-bit atomics, writes at positions from data.

use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Prefix sums of the block's part of `input`: in place, and then with an initial value, whose result is scanned again.
#[kernel(threads = 96)]
pub fn running_sums(
    block: &mut Block,
    inclusive: &mut Segment<f32>,
    exclusive: &mut Segment<f32>,
    input: &[f32],
    initial: f32,
) {
    let (n, first) = (inclusive.len(), inclusive.start());
    inclusive.fill(block, n, |i| input.at(first + i));
    let total = inclusive.inclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    let value = |i| input.at(first + i) - 0.5;
    let other = exclusive.exclusive_scan_from(block, n, initial, 0.0, value, |a, b| a + b);
    exclusive.exclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    exclusive.inclusive_scan_from(block, n.min(40), total, 0.0, value, |a, b| a + b);
    exclusive.set(block, n, other);
}

/// Values of one thread that all threads get, alternating with reductions, which use the same shared memory.
#[kernel(threads = 160)]
pub fn told(block: &mut Block, out: &mut Chunk<u32, 160>, next: &Atomics<u32>, from: u32) {
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

/// Writes elements of several sizes to the positions in `to`.
#[kernel(
    threads = 128,
    requires(to.len() == x.len()),
    instances(moved_u8 = <u8>, moved_u16 = <u16>, moved_f64 = <f64>, moved_rows = <[f32; 3]>)
)]
pub fn moved<T: DeviceLayout>(block: &mut Block, out: &Scatter<T>, x: &[T], to: &[u32]) {
    let first = block.index() * 1000;
    let n = (x.len() as u32).saturating_sub(first).min(1000);
    block.for_each(n, |thread, i| out.put(thread, to.at(first + i), x.at(first + i)));
}

/// Element `i`: two sums over the first `i` of `x` and `weights`, by parts.
#[kernel(threads = 96)]
pub fn sums_of_pairs(block: &mut Block, out: &mut Chunk<[f32; 2], 300, WriteOnly>, x: &[f32], weights: &[f32]) {
    let (x, weights) = (View::of(x), View::of(weights));
    let (n, first) = (out.len(), out.start());
    out.fill_by_team::<8>(block, n, |team, i| {
        team.reduce_parts(
            first + i,
            (x, weights),
            [0.0; 2],
            |j, x, weight| [if j.is_multiple_of(3) { -0.0 } else { x }, weight, x * weight],
            |[sum, all], [x, weight, product]| [math::fma(x, weight, sum), all + product * weight],
            |a, b| [a[0] + b[0], a[1] + b[1]],
        )
    });
}

/// Element `i`: the sum of the first `i` of `x`, and of those weights of which `x` is below 0.
#[kernel(threads = 96)]
pub fn sums_of_near(block: &mut Block, out: &mut Chunk<[f32; 2], 300, WriteOnly>, x: &[f32], weights: &[f32]) {
    let (x, weights) = (View::of(x), View::of(weights));
    let (n, first) = (out.len(), out.start());
    out.fill_by_team::<32>(block, n, |team, i| {
        team.reduce_near_parts(
            first + i,
            (x, weights),
            [0.0; 2],
            (|_, x| (x < 0.0, [x]), |[all, near], [x]| [all + x, near]),
            (|_, x, weight| [if x < 0.0 { weight } else { -0.0 }], |[all, near], [weight]| [all, near + weight]),
            |a, b| [a[0] + b[0], a[1] + b[1]],
        )
    });
}

/// For each of a block's 50 limits: the sum of the eights of `x` whose first element does not exceed it, in the order of teams, and
/// the number of their elements that do not exceed it. Each team takes eights of its own, and lists those elements.
#[kernel(threads = 96)]
pub fn found_by_teams(
    block: &mut Block,
    out: &mut Chunk<[f32; 2], 50, WriteOnly>,
    words: &mut Segment<u32>,
    x: &[f32],
    limits: &[f32],
) {
    let (n, begin) = (out.len(), out.start());
    let eights = x.len() as u32 / 8;
    let lists = words.collect_by_team::<8>(block, n, |team, i, list| {
        let limit = limits.at(begin + i);
        for first in (0..eights).map(|eight| 8 * eight).filter(|first| x.at(*first) <= limit) {
            let votes = team.votes(|k| x.at(first + k) <= limit);
            list.push(first, votes);
        }
    });
    out.fill_by_team::<8>(block, n, |team, i| {
        let limit = limits.at(begin + i);
        let mut sums = team.per_member(|_| 0.0);
        for first in (0..eights).map(|eight| 8 * eight).filter(|first| x.at(*first) <= limit) {
            team.each(&mut sums, |k, sum| *sum = math::fma(x.at(first + k), 1.25, *sum));
        }
        [team.combine(&sums, |a, b| a + b), lists.count(i) as f32]
    });
}

/// For each of a block's 50 limits, a list of the indices of elements of `x` that do not exceed it and are no multiples of 7:
/// their number, a hash of the indices that fit, and the last of these.
#[kernel(threads = 96)]
pub fn kept_of(
    block: &mut Block,
    out: &mut Chunk<[u32; 3], 50, WriteOnly>,
    words: &mut Segment<u32>,
    x: &[f32],
    limits: &[f32],
) {
    let (n, first) = (out.len(), out.start());
    let room = words.len() / n - 1;
    let lists = words.collect_of::<16, _, _>(block, n, View::of(x), |i| {
        let limit = limits.at(first + i);
        move |j, x: f32| x <= limit && !j.is_multiple_of(7)
    });
    out.fill(block, n, |i| {
        let held = lists.count(i).min(room);
        let sum = (0..held).fold(0u32, |sum, k| sum.wrapping_mul(31).wrapping_add(lists.get(i, k)));
        [lists.count(i), sum, if held > 0 { lists.get(i, held - 1) } else { u32::MAX }]
    });
}
