//! The GPU kernels: safe Rust, compiled to PTX for the device and to machine code for CPU cores.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

mod atoms;
mod fused;
pub mod scratch;
mod vector;

pub use atoms::atom_surfaces_prism4d;
pub use fused::mega_fused_batch_detection_prism4d;
pub use vector::Vector;

/// The kernels for GPUs, as `cargo xtask build-ptx` has built them from this crate.
#[cfg(not(target_arch = "nvptx64"))]
pub const PTX: &str = include_str!("../ptx/kernels_gpu.sm_75.ptx");
