//! A kernel that prints.

use cuda_std::prelude::*;

// ANCHOR: print
/// A line per block, and one per thread with numbers of several types.
#[kernel(threads = 64, requires(x.len() == out.len()))]
pub fn printed(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[f32]) {
    gpu_print!(block, "block {} of {}, 100%", block.index(), block.grid().x);
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let x = x.at(first + i);
        gpu_print!("at {}: {} {} {} {{}}", first + i, x, -(i64::from(i) << 33), f64::from(x) / 3.0);
        i
    });
}
// ANCHOR_END: print
