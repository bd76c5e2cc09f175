//! The GPU kernels.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]
use cuda_std::prelude::*;
/// Each block smooths its own segment of a signal.
#[kernel(threads = 128)]
pub fn smooth(block: &mut Block, out: &mut Segment<f32>, signal: &[f32], weight: f32, tile: &mut Shared<f32, 128>) {
    let n = out.len();
    let first = out.start();
    let total = block.reduce(n, 0.0f32, |i| signal.at(first + i), |a, b| a + b);
    let t = tile.fill(block, n.min(128), |i| signal.at(first + i));
    out.fill(block, n, |i| {
        let at = |k: u32| t.get(k);
        math::fma(weight, at((i + 1) % n) - at(i), at(i)) * total
    });
    out.fill_by_team::<8>(block, n, |team, i| team.reduce(n, 0.0, |a, j| a + t.get(j) * t.get(i), |a, b| a + b));
}
