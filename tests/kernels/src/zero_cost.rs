//! Safe kernels that have twins by raw pointers in [`crate::raw_saxpy`] and the others, and twins in CUDA C++.

use cuda_std::prelude::*;

/// out = a x + y: each block takes its segment of `out`, and the same elements of the others.
#[kernel(threads = 256)]
pub fn safe_saxpy(block: &mut Block, out: &mut Segment<f32>, x: &[f32], y: &[f32], a: f32) {
    let (first, n) = (out.start(), out.len());
    let (x, y) = (x.part(first, n), y.part(first, n));
    out.fill(block, n, |i| math::fma(a, x.at(i), y.at(i)));
}

/// Block `b` sums up the `chunk` elements from `b` times `chunk` on, as far as there are any. Its segment has one element.
#[kernel(threads = 1024)]
pub fn safe_sum(block: &mut Block, sums: &mut Segment<f32>, input: &[f32], chunk: u32) {
    let first = block.index() * chunk;
    let n = chunk.min(input.len() as u32 - first);
    let input = input.part(first, n);
    let sum = block.reduce(n, 0.0, |i| input.at(i), |a, b| a + b);
    sums.fill(block, 1, |_| sum);
}
