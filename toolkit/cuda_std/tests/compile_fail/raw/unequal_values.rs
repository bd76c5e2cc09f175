//! What differs among the blocks of a whole grid, or among threads, is not known between phases.
#![deny(unsafe_code)]
use cuda_std::compat::{misc, shared, thread, warp};
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn kernel(grid: &mut WholeGrid, data: &mut GridMemory<u32>) {
    let known = thread::block_idx_x() + thread::block_idx_y() + thread::block_idx_z() + thread::block_idx().x;
    let known = known + thread::thread_idx_x() + thread::thread_idx().x + thread::index() + thread::index_1d();
    let known = known + thread::index_2d().x + thread::index_3d().x + u32::from(thread::first());
    let known = known + warp::lane_id() + warp::activemask() + warp::warp_reduce(1, 1, warp::WarpReductionOp::Add);
    let known = known + misc::clock() as u32 + shared::dynamic_shared_mem::<u32>() as u32;
    for _ in 0..known {
        data.fill(grid, 1, |_, i| i);
    }
}

#[kernel(threads = 32)]
fn by_token(block: &mut Block, sum: &Atomics<u32>) {
    if sum.apply(operation(), 0, 1) == 0 {
        block.for_each(1, |_, _| {});
    }
}

fn operation<T>() -> T {
    loop {}
}

fn main() {}
