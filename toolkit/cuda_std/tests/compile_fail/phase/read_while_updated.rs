//! Memory is not read while a phase updates it atomically.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<u32, 64>) {
    out.update_atomic(block, 64, |t, cells, i| {
        cells.add(t, i, out.get(i));
    });
}

fn main() {}
