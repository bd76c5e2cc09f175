//! Kernels written as for Rust-CUDA, with `cuda_std::compat`.
#![allow(unsafe_code)]

mod examples;
mod surface;

pub use examples::{MATRIX_TILE, block_sum, gemm_tiled, vecadd};
pub use surface::{PROBE_WORDS, probe, probe_atomics};
