//! A kernel does not read an output that it declares as `WriteOnly`.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn element(block: &mut Block, out: &mut Chunk<f32, 64, WriteOnly>) {
    out.fill(block, 64, |_| 1.0);
    let first = out.get(0);
    out.fill(block, 64, |_| first);
}

#[kernel(threads = 64)]
fn update(block: &mut Block, out: &mut Segment<f32, WriteOnly>) {
    out.update(block, 1, |_, item| *item += 1.0);
}

#[kernel(threads = 64)]
fn view(block: &mut Block, out: &mut Chunk<f32, 64, WriteOnly>, other: &mut Chunk<f32, 64>) {
    let view = out.view(64);
    other.fill(block, 64, |i| view.get(i));
}

#[kernel(threads = 64)]
fn tile(block: &mut Block, out: &mut Tile2d<f32, 8, 8, WriteOnly>) {
    out.fill(block, |row, column| (row + column) as f32);
    let corner = out.get(0, 0);
    out.fill(block, |_, _| corner);
}

fn main() {}
