//! A struct must derive its layout.
use cuda_std::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    a: f32,
    b: u32,
}

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 64>, p: Point) {
    out.fill(block, 64, |i| p.a + (p.b + i) as f32);
}

fn main() {}
