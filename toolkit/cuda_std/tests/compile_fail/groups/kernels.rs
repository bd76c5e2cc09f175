//! What a kernel refuses of its parameters it refuses of the fields of its groups.
use cuda_std::prelude::*;

#[derive(Arguments)]
struct Inner<'a> {
    rows: &'a mut Segment<'a, f32>,
    room: &'a mut DynamicShared<u32>,
}

#[derive(Arguments)]
struct Outer<'a> {
    inner: Inner<'a>,
    tile: &'a mut Tile2d<'a, f32, 8, 8>,
}

#[derive(Arguments)]
struct ReadOnly<'a> {
    input: &'a [f32],
}

#[derive(Arguments)]
struct Memory<'a> {
    all: &'a mut GridMemory<'a, f32>,
}

#[kernel(threads = 32)]
fn segment_of_a_grid(grid: &mut WholeGrid, inner: Inner<'_>) {}

#[kernel(threads = 32)]
fn memory_of_a_block(block: &mut Block, memory: Memory<'_>) {}

#[kernel(threads = 32)]
fn two_rooms(block: &mut Block, inner: Inner<'_>, room: &mut DynamicShared<u32>) {}

#[kernel(threads = 32, grid = 1)]
fn tile_in_a_row(block: &mut Block, outer: Outer<'_>) {}

#[kernel(threads = 32)]
fn no_output(block: &mut Block, input: ReadOnly<'_>) {}

#[kernel(threads = 32)]
fn by_reference(block: &mut Block, out: &mut Chunk<f32, 32>, input: &ReadOnly<'_>) {}

#[kernel(threads = 32)]
fn by_mutable_reference(block: &mut Block, inner: &mut Inner<'_>) {}

fn main() {}
