//! A thread performs an atomic operation, and only phases have threads.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, next: &Atomics<u32>) {
    let drawn = next.add(0, 1);
    block.for_each(drawn, |_, _| {});
}

fn main() {}
