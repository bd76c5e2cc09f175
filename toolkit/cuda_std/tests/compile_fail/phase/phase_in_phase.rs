//! A phase inside a phase would be a barrier that some threads do not reach.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>) {
    let n = out.len();
    out.fill(block, n, |_| block.reduce(n, 0.0, |_| 1.0, |a, b| a + b));
}

fn main() {}
