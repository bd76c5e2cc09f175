//! Reads at indices from data, which no compiler can know to be within bounds.

use cuda_std::prelude::*;

/// `out[i] = x[index[i]]`, with a check of each index.
#[kernel(threads = 256, requires(index.len() == out.len()))]
pub fn safe_gather(block: &mut Block, out: &mut Chunk<f32, 4096, WriteOnly>, x: &[f32], index: &[u32]) {
    let (first, n) = (out.start(), out.len());
    let index = index.part(first, n);
    out.fill(block, n, |i| x.at(index.at(i)));
}
