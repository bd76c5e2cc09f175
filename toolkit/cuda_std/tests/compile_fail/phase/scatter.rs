//! A `Scatter` cannot be read, and only phases have the threads that write it.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn read(block: &mut Block, out: &Scatter<u32>) {
    block.for_each(9, |thread, i| out.put(thread, i, out.get(i)));
}

#[kernel(threads = 64)]
fn outside(block: &mut Block, out: &Scatter<u32>) {
    out.put(0, 1);
}

#[kernel(threads = 64)]
fn exclusive(block: &mut Block, out: &mut Scatter<u32>) {}

#[kernel(threads = 64)]
fn of_what(block: &mut Block, out: &Scatter) {}

fn main() {}
