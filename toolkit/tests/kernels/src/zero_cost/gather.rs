//! Reading where data say: an index that no compiler can see to be within bounds.

use cuda_std::prelude::*;

/// `out[i] = x[index[i]]`, each index checked when it is used.
#[kernel(threads = 256, requires(index.len() == out.len()))]
pub fn safe_gather(block: &mut Block, out: &mut Chunk<f32, 4096>, x: &[f32], index: &[u32]) {
    let (first, n) = (out.start(), out.len());
    let index = index.part(first, n);
    out.fill(block, n, |i| x.at(index.at(i)));
}
