//! A warp is not made of teams of three.
#![deny(unsafe_code)]
use cuda_std::prelude::*;

#[kernel(threads = 96)]
fn kernel(block: &mut Block, words: &mut Segment<u32>) {
    words.collect::<3, _>(block, 4, 10, |i| move |j| j % (i + 2) == 0);
}

fn main() {
    let offsets = Offsets::new(vec![0, 24]).unwrap();
    let words = Segments { data: &mut [0; 24][..], offsets: &offsets };
    let _ = kernel::launch(&CpuExecutor::new(), 1, kernel::Args { words });
}
