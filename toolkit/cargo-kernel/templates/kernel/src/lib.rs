//! Kernels in safe Rust. They run on GPUs, as PTX, and on CPU cores, with the same bits.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

use cuda_std::prelude::*;

// A kernel with many arguments takes them in groups: structs with `#[derive(Arguments)]`, which launches from Rust and from Python fill.

// ANCHOR: kernel
/// Adds `a` times `x` to `y`. Each block does its own segment of `y`.
///
/// # Panics
/// If `x` is shorter than `y`; the launch then returns an error.
#[kernel(threads = 256)]
pub fn saxpy(block: &mut Block, y: &mut Segment<f32>, x: &[f32], a: f32) {
    let (n, first) = (y.len(), y.start());
    y.update(block, n, |i, y| *y += a * x.at(first + i));
}
// ANCHOR_END: kernel

// ANCHOR: ptx
/// These kernels for GPUs, built by build.rs; or why they could not be built.
#[cfg(not(target_arch = "nvptx64"))]
pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();
// ANCHOR_END: ptx
