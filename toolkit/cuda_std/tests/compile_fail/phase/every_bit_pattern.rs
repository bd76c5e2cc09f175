//! Memory that kernels and copies write has elements of which every bit pattern is a value: no `bool`, enum, `NonZero`, `char` or
//! reference is read from bytes that a kernel wrote.
use core::num::NonZeroU32;
use cuda_std::prelude::*;

#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    One = 1,
}

#[kernel(threads = 32)]
fn buffers(
    block: &mut Block,
    out: &mut Chunk<bool, 4>,
    x: &[NonZeroU32],
    kinds: &mut Segment<Kind>,
    all: &Atomics<NonZeroU32>,
    once: &Scatter<char>,
) {
}

fn of_shared(block: &mut Block, truths: &mut Shared<bool, 32>, letters: &mut DynamicShared<char>) {
    truths.fill(block, 32, |i| i > 3);
    letters.fill(block, 1, |_| 'x');
}

fn of_grid(grid: &mut WholeGrid, kinds: &mut GridMemory<Kind>) {
    kinds.fill(grid, 1, |_, _| Kind::One);
}

fn exchanged(block: &mut Block, out: &mut Chunk<u32, 32>) {
    let largest = block.reduce(5, NonZeroU32::MIN, |_| NonZeroU32::MIN, |a, _| a);
    out.fill_by_lanes(block, 32, |warp, _| {
        let kinds = warp.per_lane(|_| Kind::One);
        let first = warp.shuffle(&kinds, |_| 0);
        warp.map(&first, |_, kind| *kind as u32 + largest.get())
    });
}

#[derive(Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Derived {
    is_set: bool,
}

fn main() {}
