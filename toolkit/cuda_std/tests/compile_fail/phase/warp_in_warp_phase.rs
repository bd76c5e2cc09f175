//! A warp's phase holds neither the warp nor the block.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn vote_in_lane(block: &mut Block, out: &mut Chunk<u32, 1>) {
    out.write_by_warp(block, |warp| {
        let lanes = warp.per_lane(|lane| lane.index());
        let nested = warp.per_lane(|_| warp.reduce(&lanes, |a, b| a + b));
        warp.reduce(&nested, |a, b| a + b)
    });
}

#[kernel(threads = 64)]
fn block_in_warp(block: &mut Block, out: &mut Chunk<u32, 1>) {
    block.warps(|_| out.set(block, 0, 1));
}

fn main() {}
