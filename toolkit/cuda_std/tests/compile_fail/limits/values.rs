//! What cannot cross lanes or warps on a GPU does not cross them on CPU cores.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn half_a_word(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u16]) {
    let most = block.reduce(x.len() as u32, 0u16, |i| x.at(i), |a, b| a.max(b));
    out.fill(block, 1, |_| u32::from(most));
}

fn main() {
    let _ = half_a_word::launch(&CpuExecutor::new(), 1, half_a_word::Args { out: &mut [0], x: &[] });
}
