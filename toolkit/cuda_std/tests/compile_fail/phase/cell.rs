//! A value that differs between threads does not leave a phase through a cell.
use cuda_std::prelude::*;
use std::cell::Cell;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>) {
    let last = Cell::new(0);
    let n = out.len();
    out.fill(block, n, |i| {
        last.set(i);
        0.0
    });
}

fn main() {}
