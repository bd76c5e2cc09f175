//! The number of threads is the author's expression: no unsafe block of the generated code is around it.
use cuda_std::prelude::*;

const unsafe fn many() -> u32 {
    64
}

#[kernel(threads = many())]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 64>) {}

fn main() {}
