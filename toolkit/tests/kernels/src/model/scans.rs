//! Prefix sums; votes and reductions of threads.

use cuda_std::prelude::*;

/// Prefix sums of the block's part of `input`, inclusive and exclusive, each followed by the total.
#[kernel(
    threads = N,
    instances(
        prefix_sums_by_32 = <32>, prefix_sums_by_96 = <96>, prefix_sums_by_256 = <256>, prefix_sums_by_1024 = <1024>
    )
)]
pub fn prefix_sums<const N: usize>(
    block: &mut Block,
    inclusive: &mut Segment<f32>,
    exclusive: &mut Segment<f32>,
    input: &[f32],
) {
    // The parts before have as many totals as there are blocks before.
    let (n, first) = (inclusive.len() - 1, inclusive.start() - block.index());
    let of_inclusive = inclusive.inclusive_scan(block, n, 0.0, |i| input.at(first + i), |a, b| a + b);
    let of_exclusive = exclusive.exclusive_scan(block, n, 0.0, |i| input.at(first + i), |a, b| a + b);
    inclusive.set(block, n, of_inclusive);
    exclusive.set(block, n, of_exclusive);
}

/// The same of the block's own elements, in place.
#[kernel(threads = 96)]
pub fn prefix_sums_in_place(block: &mut Block, inclusive: &mut Segment<f32>, exclusive: &mut Segment<f32>) {
    let n = inclusive.len() - 1;
    let of_inclusive = inclusive.inclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    let of_exclusive = exclusive.exclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    inclusive.set(block, n, of_inclusive);
    exclusive.set(block, n, of_exclusive);
}

/// The same of `input`, added to an initial value.
#[kernel(threads = 96)]
pub fn prefix_sums_from(
    block: &mut Block,
    inclusive: &mut Segment<f32>,
    exclusive: &mut Segment<f32>,
    input: &[f32],
    initial: f32,
) {
    let n = input.len() as u32;
    let of_inclusive = inclusive.inclusive_scan_from(block, n, initial, 0.0, |i| input.at(i), |a, b| a + b);
    let of_exclusive = exclusive.exclusive_scan_from(block, n, initial, 0.0, |i| input.at(i), |a, b| a + b);
    inclusive.set(block, n, of_inclusive);
    exclusive.set(block, n, of_exclusive);
}

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

/// The last number up to each element that is not 0. This operation is associative, but not commutative.
#[kernel(threads = 64)]
pub fn last_nonzero(block: &mut Block, out: &mut Segment<u32>, input: &[u32]) {
    let n = input.len() as u32;
    out.inclusive_scan(block, n, 0, |i| input.at(i), |a, b| if b == 0 { a } else { b });
}

/// Votes and reductions over the indices and the threads of a block.
#[kernel(threads = 160)]
pub fn votes(block: &mut Block, out: &mut Chunk<f32, 7>, input: &[f32], threshold: f32) {
    let n = input.len() as u32;
    let above = block.count(n, |i| input.at(i) > threshold);
    let (any, all) = (block.any(n, |i| input.at(i) > threshold), block.all(n, |i| input.at(i) > threshold));
    let state = block.per_thread(|t| if t.index() < n { input.at(t.index()) } else { 0.0 });
    let sum = block.reduce_threads(&state, 0.0, |t, own| *own + t.index() as f32, |a, b| a + b);
    let threads = block.count_threads(&state, |_, own| *own > threshold);
    let any_thread = block.any_thread(&state, |_, own| *own > threshold);
    let all_threads = block.all_threads(&state, |t, own| *own > threshold || t.index() >= n);
    out.fill(block, 7, |i| match i {
        0 => above as f32,
        1 => f32::from(u8::from(any)),
        2 => f32::from(u8::from(all)),
        3 => sum,
        4 => threads as f32,
        5 => f32::from(u8::from(any_thread)),
        _ => f32::from(u8::from(all_threads)),
    });
}
