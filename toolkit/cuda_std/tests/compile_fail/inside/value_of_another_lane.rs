//! Lanes see each other's values only through the warp's phases. Hidden methods give no other way.
#![deny(unsafe_code)]
use cuda_std::Lanes;
use cuda_std::prelude::*;

fn peek<L: Lanes>(lanes: L, lane: u32) -> L::Item {
    lanes.of(lane)
}

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<u32, 1>, far: u32) {
    out.fill_by_warp(block, 1, |warp, _| {
        let x = warp.per_lane(|lane| lane.index());
        *peek(&x, far)
    });
}

fn main() {}
