//! A team has 1, 2, 4, 8, 16 or 32 threads.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_team::<6>(block, 1, |_, i| i);
}

fn main() {
    let one = Offsets::new(vec![0, 1]).unwrap();
    let out = Segments { data: &mut [0; 1][..], offsets: &one };
    let _ = kernel::launch(&CpuExecutor::new(), 1, kernel::Args { out });
}
