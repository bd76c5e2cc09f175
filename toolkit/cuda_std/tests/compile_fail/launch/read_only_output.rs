//! A kernel's output must be writable.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn fill(block: &mut Block, out: &mut Segment<f32>) {}

fn main() {
    let one = Offsets::new(vec![0, 1]).unwrap();
    let data: &[f32] = &[0.0];
    let _ = fill::launch(&CpuExecutor::new(), 1, fill::Args { out: Segments { data, offsets: &one } });
}
