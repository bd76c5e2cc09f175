//! A block's static arrays take at most 48 KiB together.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn one(block: &mut Block, out: &mut Chunk<f32, 64>, big: &mut Shared<f32, 20_000>) {
    let n = out.len();
    let big = big.fill(block, 20_000, |i| i as f32);
    out.fill(block, n, |i| big.get(i * 100));
}

#[kernel(threads = 64)]
fn together(block: &mut Block, out: &mut Chunk<f32, 64>, a: &mut Shared<f32, 8192>, b: &mut Shared<[f32; 4], 1024>) {
    let n = out.len();
    let (a, b) = (a.fill(block, 8192, |i| i as f32), b.fill(block, 1024, |_| [1.0; 4]));
    out.fill(block, n, |i| a.get(i) + b.get(i)[0]);
}

/// All that a block can have.
#[kernel(threads = 64)]
fn fits(block: &mut Block, out: &mut Chunk<f32, 64>, a: &mut Shared<f32, 12_284>) {
    let a = a.fill(block, 64, |i| i as f32);
    out.fill(block, 1, |i| a.get(i));
}

fn main() {}
