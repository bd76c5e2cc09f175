//! The numbers of threads and blocks are the author's expressions: no unsafe block of the generated code is around them.
use cuda_std::prelude::*;

const unsafe fn many() -> u32 {
    32
}

#[kernel(threads = many())]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 32>) {}

#[kernel(threads = 64, blocks_per_sm = many())]
fn of_blocks(_block: &mut Block, _out: &mut Chunk<f32, 32>) {}

fn main() {}
