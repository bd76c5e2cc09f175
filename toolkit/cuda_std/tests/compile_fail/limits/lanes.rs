//! What cannot cross the lanes of a team or a warp on a GPU does not on CPU cores.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn bytes(block: &mut Block, out: &mut Chunk<u8, 64>) {
    out.fill_by_team::<8>(block, 1, |team, _| team.reduce(8, 0u8, |a, k| a | k as u8, |a, b| a | b));
    out.fill_by_lanes(block, 64, |warp, _| {
        let x = warp.per_lane(|lane| lane.index() as u8);
        warp.shuffle_up(&x, 1)
    });
}

fn main() {
    let _ = bytes::launch(&CpuExecutor::new(), 1, bytes::Args { out: &mut [0] });
}
