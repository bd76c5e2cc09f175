//! In a kernel crate without `std` a float method points to `math`.
#![no_std]
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32]) {
    out.fill(block, 64, |i| x.at(i).sqrt() + x.at(i).exp());
}

fn main() {}
