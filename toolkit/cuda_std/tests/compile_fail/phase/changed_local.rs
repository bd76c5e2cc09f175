//! A value that differs between threads does not leave a phase.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<f32>) {
    let mut last = 0;
    let mut state = block.per_thread(|_| 0u32);
    block.each(&mut state, |t, _| last = t.index());
    for _ in 0..last {
        out.set(block, 0, 1.0);
    }
}

fn main() {}
