//! A grid is one number of blocks, or two, or three.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 1>) {}

fn main() {
    let mut out = [0.0];
    let _ = kernel::launch(&CpuExecutor::new(), -1, kernel::Args { out: &mut out[..] });
    let _ = kernel::launch(&CpuExecutor::new(), (1, 1, 1, 1), kernel::Args { out: &mut out[..] });
    let _ = kernel::launch(&CpuExecutor::new(), 1usize, kernel::Args { out: &mut out[..] });
}
