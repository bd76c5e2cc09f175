//! A block consists of whole warps, and has at most 1024 threads.
use cuda_std::prelude::*;

#[kernel(threads = 33)]
fn odd(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 0)]
fn none(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 1056)]
fn many(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel]
fn unsaid(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64, blocks = 2)]
fn unknown(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64, blocks_per_sm = 33)]
fn crowded(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64, blocks_per_sm(sm_90 = 4, sm_75 = 2))]
fn newest_first(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64, blocks_per_sm(hopper = 4))]
fn nicknamed(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = "64")]
fn text(block: &mut Block, out: &mut Segment<f32>) {}

fn main() {}
