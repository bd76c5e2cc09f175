//! A kernel's function stays a function, and functions of blocks may be generic.
use cuda_std::prelude::*;

fn double<M: BlockMemory<Item = f32> + Readable>(block: &mut Block, memory: &mut M, n: u32) {
    memory.update(block, n, |_, item| *item *= 2.0);
}

#[kernel(threads = 64)]
fn inner(block: &mut Block, out: &mut Segment<f32>, tile: &mut Shared<f32, 8>) {
    let mut filled = tile.fill(block, 8, |i| i as f32);
    double(block, &mut filled, 8);
    double(block, out, 2);
    let mut whole = out.whole();
    double(block, &mut whole, 1);
    out.update(block, 2, |i, item| *item += filled.get(7 - i));
}

#[kernel(threads = 64)]
fn outer(block: &mut Block, out: &mut Segment<f32>, tile: &mut Shared<f32, 8>) {
    inner(block, out, tile);
}

#[test]
fn a_kernel_calls_another_and_generic_functions() {
    let one = Offsets::new(vec![0, 2]).unwrap();
    let mut out = [1.0, 1.0];
    outer::launch(&CpuExecutor::new(), 1, outer::Args { out: Segments { data: &mut out, offsets: &one } }).unwrap();
    assert_eq!(out, [18.0, 14.0]);
}
