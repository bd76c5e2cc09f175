//! Types that cannot be passed by value, and what to pass instead.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn closure(block: &mut Block, out: &mut Chunk<f32, 64>, f: impl Fn(f32) -> f32 + Sync) {
    out.fill(block, 64, |i| f(i as f32));
}

#[kernel(threads = 64)]
fn pointer(block: &mut Block, out: &mut Chunk<f32, 64>, f: fn(f32) -> f32) {
    out.fill(block, 64, |i| f(i as f32));
}

#[kernel(threads = 64)]
fn truth(block: &mut Block, out: &mut Chunk<f32, 64>, yes: bool) {
    out.fill(block, 64, |_| if yes { 1.0 } else { 0.0 });
}

#[kernel(threads = 64)]
fn size(block: &mut Block, out: &mut Chunk<f32, 64>, n: usize) {
    out.fill(block, n as u32, |_| 0.0);
}

fn main() {}
