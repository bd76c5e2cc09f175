//! A kernel with a block is safe: its caller has no contract to fulfil.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
unsafe fn kernel(_block: &mut Block, _out: &mut Segment<f32>) {}

fn main() {}
