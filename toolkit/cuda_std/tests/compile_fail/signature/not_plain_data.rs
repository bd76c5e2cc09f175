//! Arguments are plain data with a known layout.
#![allow(unused_variables)]

use cuda_std::prelude::*;

struct Unknown(u32);

#[kernel(threads = 64)]
fn value(block: &mut Block, out: &mut Segment<f32>, value: Unknown) {}

fn main() {}
