//! One buffer, read and written by one launch.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn copy(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {}

fn main() {
    let one = Offsets::new(vec![0, 1]).unwrap();
    let mut data = [0.0f32; 1];
    let out = Segments { data: &mut data[..], offsets: &one };
    let _ = copy::launch(&CpuExecutor::new(), 1, copy::Args { out, input: &data });
}
