//! Kernels for tests whose PTX is not committed: 16-bit floats, tensor cores, asynchronous copies, blocks that meet, checked writes, and
//! one that interprets programs.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
mod attention;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
mod chain;
mod copies;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
mod fast_product;
mod half;
// Tensor cores support this from 8.0 on.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
mod matrix;
mod meeting;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
mod product;
mod programs;
mod writes;

#[cfg(not(target_arch = "nvptx64"))]
pub use attention::HeadsArgs;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub use attention::{Heads, attend, attend_together};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub use chain::{chained, chained_until};
pub use copies::copied;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub use fast_product::fast;
pub use half::{
    all_sums, arithmetic, eights, lanes, memories, narrowed, narrowed_pairs, narrowed_to_8_bits, widened,
    widened_from_8_bits,
};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub use matrix::{
    loaded_bf16, loaded_e4m3, loaded_f16, loaded_i8, loaded_tf32, product_bf16, product_e4m3, product_e5m2,
    product_f16, product_i8, product_tf32, tiled_bf16, tiled_f16,
};
pub use meeting::{ordered, rounds};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_80"))]
pub use product::{
    from_tiles_bf16, from_tiles_e4m3, from_tiles_e5m2, from_tiles_f16, from_tiles_i8, from_tiles_tf32, staged,
    stages_of_windows, turned,
};
pub use programs::{WORDS, program};
pub use writes::scattered;
