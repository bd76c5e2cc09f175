//! A tile of one half ends where the other half is written. A written half becomes a tile when the block has met.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn two_tiles(block: &mut Block, out: &mut Chunk<f32, 64>, tiles: &mut Shared<f32, 128>) {
    let mut tiles = tiles.halves(block);
    let first = tiles.fill(block, 64, |_| 1.0);
    let first = block.meet(first);
    let second = tiles.fill(block, 64, |_| 2.0);
    let second = block.meet(second);
    out.fill(block, 64, |i| first.get(i) + second.get(i));
}

#[kernel(threads = 64)]
fn not_met(block: &mut Block, out: &mut Chunk<f32, 64>, tiles: &mut Shared<f32, 128>) {
    let mut tiles = tiles.halves(block);
    let tile = tiles.fill(block, 64, |_| 1.0);
    out.fill(block, 64, |i| tile.get(i));
}

fn main() {}
