//! A block reduces values of 32 bytes, and of no more.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn sixteen(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    let sums = block.reduce(
        x.len() as u32,
        [0u32; 16],
        |i| [x.at(i); 16],
        |a, b| core::array::from_fn(|k| a[k].wrapping_add(b[k])),
    );
    out.fill(block, 1, |i| sums[(i % 16) as usize]);
}

fn main() {
    let _ = sixteen::launch(&CpuExecutor::new(), 1, sixteen::Args { out: &mut [0], x: &[] });
}
