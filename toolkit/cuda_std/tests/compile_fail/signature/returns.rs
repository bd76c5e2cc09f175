//! A kernel writes its outputs.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>) -> f32 {
    0.0
}

#[kernel(threads = 64)]
async fn later(block: &mut Block, out: &mut Segment<f32>) {}

fn main() {}
