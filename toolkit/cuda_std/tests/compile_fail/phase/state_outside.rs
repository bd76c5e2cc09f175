//! Only phases see a thread's own value.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<u32>) {
    let state = block.per_thread(|t| t.index());
    out.set(block, 0, state.0);
}

fn main() {}
