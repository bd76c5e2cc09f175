//! A type with a lifetime is a group, and a group has a lifetime.
#![allow(unused_variables, dead_code)]

use cuda_std::prelude::*;

struct Plain<'a> {
    input: &'a [f32],
}

#[kernel(threads = 32)]
fn of_no_group(block: &mut Block, out: &mut Chunk<f32, 32>, plain: Plain<'_>) {}

fn main() {}
