//! A kernel with a block is safe: there is nothing that its caller would have to vouch for.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
unsafe fn kernel(_block: &mut Block, _out: &mut Segment<f32>) {}

fn main() {}
