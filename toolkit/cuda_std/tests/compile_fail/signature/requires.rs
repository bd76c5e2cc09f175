//! A contract consists of conditions on the arguments.
use cuda_std::prelude::*;

#[kernel(threads = 64, requires(inputs.len() > 0))]
fn unknown_name(block: &mut Block, out: &mut Chunk<f32, 1>, input: &[f32]) {}

#[kernel(threads = 64, requires(input.len()))]
fn a_number(block: &mut Block, out: &mut Chunk<f32, 1>, input: &[f32]) {}

#[kernel(threads = 64, requires(input[0] > 1.0))]
fn content(block: &mut Block, out: &mut Chunk<f32, 1>, input: &[f32]) {}

fn main() {}
