//! A kernel's first parameter is its block, as `&mut`.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn none() {}

#[kernel(threads = 64)]
fn another(out: &mut Segment<f32>) {}

#[kernel(threads = 64)]
fn shared(block: &Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64)]
fn second(out: &mut Segment<f32>, block: &mut Block) {}

fn main() {}
