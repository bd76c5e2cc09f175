//! One buffer, written twice by one launch.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn split(block: &mut Block, low: &mut Chunk<f32, 64>, high: &mut Chunk<f32, 64>) {}

fn main() {
    let mut data = [0.0f32; 64];
    let _ = split::launch(&CpuExecutor::new(), 1, split::Args { low: &mut data[..], high: &mut data[..] });
}
