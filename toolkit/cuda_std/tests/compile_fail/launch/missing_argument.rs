//! An argument is missing.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn scale(block: &mut Block, out: &mut Segment<f32>, input: &[f32], factor: f32) {}

fn main() {
    let one = Offsets::new(vec![0, 1]).unwrap();
    let out = Segments { data: &mut [0.0f32; 1][..], offsets: &one };
    let _ = scale::launch(&CpuExecutor::new(), 1, scale::Args { out, input: &[1.0] });
}
