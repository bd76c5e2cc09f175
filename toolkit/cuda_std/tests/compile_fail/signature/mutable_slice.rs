//! Every thread would hold a `&mut` slice.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn slice(block: &mut Block, out: &mut [f32]) {}

#[kernel(threads = 64)]
fn value(block: &mut Block, out: &mut Segment<f32>, count: &mut u32) {}

fn main() {}
