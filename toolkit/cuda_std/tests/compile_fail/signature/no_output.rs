//! A kernel without an output does nothing.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, input: &[f32], tile: &mut Shared<f32, 64>) {}

fn main() {}
