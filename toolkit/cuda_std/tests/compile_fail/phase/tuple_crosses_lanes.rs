//! Values that cross lanes or warps are plain data, and a tuple has no layout that Rust promises.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32]) {
    out.fill_by_warp(block, 2, |warp, i| {
        let entries = warp.per_lane(|lane| (x.at(32 * i + lane.index()), lane.index()));
        warp.broadcast(&entries, 0).0
    });
}

fn main() {}
