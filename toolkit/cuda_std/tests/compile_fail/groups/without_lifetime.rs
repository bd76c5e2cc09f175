//! The macro knows a group by its lifetime.
#![allow(unused_variables, dead_code)]

use cuda_std::prelude::*;

#[derive(Arguments)]
struct Group<'a> {
    input: &'a [f32],
}

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 32>, group: Group) {}

fn main() {}
