//! An input is a slice or a value.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>, factor: &f32) {}

fn main() {}
