//! A value that differs between lanes does not decide how a warp continues.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<u32, 1>) {
    out.write_by_warp(block, |warp| {
        let mut last = 0;
        let lanes = warp.per_lane(|lane| {
            last = lane.index();
            1
        });
        let mut sum = 0;
        for _ in 0..last {
            sum += warp.reduce(&lanes, |a, b| a + b);
        }
        sum
    });
}

fn main() {}
