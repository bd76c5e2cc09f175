//! Offsets are checked when they are made. A list of numbers is not checked.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn fill(block: &mut Block, out: &mut Segment<f32>) {}

fn main() {
    let mut data = [0.0f32; 1];
    let _ = fill::launch(&CpuExecutor::new(), 1, fill::Args { out: Segments { data: &mut data[..], offsets: &[0, 1] } });
}
