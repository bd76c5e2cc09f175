//! Kernels that each teach one thing: the cost of a copy by the order of its reads, ways to reduce a sum, where a thread's
//! own values are stored, and what a thread knows about itself.

mod clock;

pub use clock::my_kernel;

use cuda_std::prelude::*;

// ANCHOR: strided_copy
/// Copies every element once. Neighbouring threads write neighbouring elements, and read elements `stride` apart: element
/// `i` of the output is number `i % rows * stride + i / rows` of the input, with `rows = len / stride`. 1 is a plain copy.
#[kernel(
    threads = 256,
    requires(stride > 0, input.len() == out.len(), input.len().is_multiple_of(stride as usize))
)]
pub fn strided_copy(block: &mut Block, out: &mut Chunk<f32, 4096, WriteOnly>, input: &[f32], stride: u32) {
    let (n, first, rows) = (out.len(), out.start(), input.len() as u32 / stride);
    out.fill(block, n, |i| {
        let at = first + i;
        input.at((at % rows).wrapping_mul(stride).wrapping_add(at / rows))
    });
}
// ANCHOR_END: strided_copy

// ANCHOR: shared_sum
/// Block `b` sums up the `chunk` elements from `b` times `chunk` on: first each thread its own, then by halving in shared
/// memory, with two alternating arrays.
#[kernel(threads = 256, requires(input.len() <= sums.len() * chunk as usize))]
pub fn shared_sum(
    block: &mut Block,
    sums: &mut Chunk<f32, 1, WriteOnly>,
    input: &[f32],
    chunk: u32,
    even: &mut Shared<f32, 256>,
    odd: &mut Shared<f32, 128>,
) {
    let own = own_sums(block, input, chunk);
    let tile = even.write(block, 256, &own, |_, sum| *sum);
    let tile = odd.fill(block, 128, |i| tile.get(i) + tile.get(i + 128));
    let tile = even.fill(block, 64, |i| tile.get(i) + tile.get(i + 64));
    let tile = odd.fill(block, 32, |i| tile.get(i) + tile.get(i + 32));
    let tile = even.fill(block, 16, |i| tile.get(i) + tile.get(i + 16));
    let tile = odd.fill(block, 8, |i| tile.get(i) + tile.get(i + 8));
    let tile = even.fill(block, 4, |i| tile.get(i) + tile.get(i + 4));
    let tile = odd.fill(block, 2, |i| tile.get(i) + tile.get(i + 2));
    sums.fill(block, 1, |_| tile.get(0) + tile.get(1));
}
// ANCHOR_END: shared_sum

// ANCHOR: shuffle_sum
/// The same sums, by shuffles in each warp and then over the warps.
#[kernel(threads = 256, requires(input.len() <= sums.len() * chunk as usize))]
pub fn shuffle_sum(block: &mut Block, sums: &mut Chunk<f32, 1, WriteOnly>, input: &[f32], chunk: u32) {
    let own = own_sums(block, input, chunk);
    let sum = block.reduce_threads(&own, 0.0, |_, sum| *sum, |a, b| a + b);
    sums.fill(block, 1, |_| sum);
}
// ANCHOR_END: shuffle_sum

/// The sum of each of 256 threads over its part of the block's elements.
#[inline(always)]
fn own_sums(block: &mut Block, input: &[f32], chunk: u32) -> PerThread<f32> {
    let first = block.index() * chunk;
    let rest = input.len() as u32 - first;
    let n = if chunk < rest { chunk } else { rest };
    let input = input.part(first, n);
    block.per_thread(|t| {
        let (mut i, mut sum) = (t.index(), 0.0);
        while i < n {
            sum += input.at(i);
            i += 256;
        }
        sum
    })
}

// ANCHOR: nibble_counts
/// The number of occurrences of the most frequent of a word's eight nibbles. The counts are an array indexed by data, which
/// registers cannot be: it is in the thread's local memory.
#[kernel(threads = 128, requires(words.len() == out.len()))]
pub fn nibble_counts(block: &mut Block, out: &mut Chunk<u32, 512>, words: &[u32]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let word = words.at(first + i);
        let mut counts = [0u32; 16];
        let mut most = 0;
        for nibble in 0..8 {
            let count = &mut counts[(word >> (4 * nibble) & 15) as usize];
            *count += 1;
            if *count > most {
                most = *count;
            }
        }
        most
    });
}
// ANCHOR_END: nibble_counts

// ANCHOR: polynomial
/// `(a x + b) x + c` with the coefficients as arguments: all of a thread's values stay in registers.
#[kernel(threads = 128, requires(x.len() == out.len()))]
pub fn polynomial(block: &mut Block, out: &mut Chunk<f32, 512>, x: &[f32], a: f32, b: f32, c: f32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let x = x.at(first + i);
        math::fma(math::fma(a, x, b), x, c)
    });
}
// ANCHOR_END: polynomial
