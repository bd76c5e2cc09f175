//! `Atomics` have a scope that contains all blocks, and elements with atomic operations.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn block_scope(block: &mut Block, out: &Atomics<u32, scope::Block>) {
    block.for_each(1, |t, i| {
        out.add(t, i, 1);
    });
}

#[kernel(threads = 64)]
fn bits_of_floats(block: &mut Block, out: &Atomics<f32>) {
    block.for_each(1, |t, i| {
        out.xor(t, i, 1.0);
    });
}

fn main() {}
