//! Outputs, and their generic arguments.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn chunk_without_length(block: &mut Block, out: &mut Chunk<f32>) {}

#[kernel(threads = 64)]
fn tile_without_size(block: &mut Block, out: &mut Tile2d<f32, 32>) {}

#[kernel(threads = 64, grid = 1)]
fn tile_in_a_row(block: &mut Block, out: &mut Tile2d<f32, 32, 32>) {}

#[kernel(threads = 64, grid = 4)]
fn four_dimensions(block: &mut Block, out: &mut Chunk<f32, 1>) {}

#[kernel(threads = 64)]
fn own_atomics(block: &mut Block, out: &mut Atomics<u32>) {}

#[kernel(threads = 64)]
fn untyped_atomics(block: &mut Block, out: &Atomics) {}

#[kernel(threads = 64)]
fn two_dynamic(block: &mut Block, out: &mut Chunk<f32, 1>, a: &mut DynamicShared<u32>, b: &mut DynamicShared<u32>) {}

fn main() {}
