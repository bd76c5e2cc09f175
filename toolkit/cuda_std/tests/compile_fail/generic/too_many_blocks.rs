//! The number of blocks in a multiprocessor is one from 1 to 32 in each instance, also where only a device uses it.
use cuda_std::prelude::*;

#[kernel(threads = 64, blocks_per_sm = N, instances(all = <32>, more = <33>, none = <0>))]
pub fn crowded<const N: usize>(_block: &mut Block, _out: &mut Segment<f32>) {}

fn main() {}
