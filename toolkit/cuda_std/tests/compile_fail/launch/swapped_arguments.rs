//! Arguments have names, so their order is free. An argument under another's name has the wrong type, or is written
//! although it is only readable.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn scale(block: &mut Block, out: &mut Chunk<f32, 64>, input: &[f32], factor: f32, count: u32) {}

fn main() {
    let (mut out, input, factor, count) = ([0.0f32; 64], [1.0f32; 64], 2.0f32, 3u32);
    // This is right.
    let _ = scale::launch(
        &CpuExecutor::new(),
        1,
        scale::Args { count, factor, input: &input[..], out: &mut out[..] },
    );
    let _ = scale::launch(
        &CpuExecutor::new(),
        1,
        scale::Args { out: &mut out[..], input: &input[..], factor: count, count: factor },
    );
    let _ = scale::launch(
        &CpuExecutor::new(),
        1,
        scale::Args { out: &input[..], input: &mut out[..], factor, count },
    );
}
