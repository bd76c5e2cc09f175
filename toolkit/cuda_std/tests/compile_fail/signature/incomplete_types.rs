//! The attribute sees the signature's text: types are spelled out, and parameters have names.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn segment(block: &mut Block, out: &mut Segment) {}

#[kernel(threads = 64)]
fn shared(block: &mut Block, out: &mut Segment<f32>, tile: &mut Shared<f32>) {}

#[kernel(threads = 64)]
fn pattern(block: &mut Block, out: &mut Segment<f32>, (a, b): (u32, u32)) {}

struct Kernels;

impl Kernels {
    #[kernel(threads = 64)]
    fn method(&self, block: &mut Block, out: &mut Segment<f32>) {}
}

fn main() {}
