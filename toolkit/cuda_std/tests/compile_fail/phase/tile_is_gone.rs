//! A tile ends where its array is filled again.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>, tile: &mut Shared<f32, 64>) {
    let first = tile.fill(block, 64, |_| 1.0);
    let second = tile.fill(block, 64, |_| 2.0);
    out.fill(block, 1, |i| first.get(i) + second.get(i));
}

fn main() {}
