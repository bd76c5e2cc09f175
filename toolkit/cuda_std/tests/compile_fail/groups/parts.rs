//! What `kernel_part` is for.
#![allow(unused_variables, dead_code)]

use cuda_std::kernel_part;
use cuda_std::prelude::*;

#[derive(Arguments)]
struct Group<'a> {
    input: &'a [f32],
}

#[kernel_part]
fn no_group(block: &mut Block, n: u32) {}

#[kernel_part]
fn pattern(block: &mut Block, Group { input }: Group<'_>) {}

#[kernel_part(inline)]
fn option(block: &mut Block, group: Group<'_>) {}

#[kernel_part]
fn shared(block: &mut Block, group: Group<'_>, n: u32) {}

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 32>, group: Group<'_>) {
    shared!(block, group);
}

fn main() {}
