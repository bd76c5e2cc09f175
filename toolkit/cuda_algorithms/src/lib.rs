//! Algorithms on arrays, on a GPU or on CPU cores with the same results.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

mod parts;
pub mod sort;

#[cfg(not(target_arch = "nvptx64"))]
pub use sort::{Keys, KeysWith, PairSort, Sort, SortKey, SortValue, sort, sort_by_key};

/// The kernels as PTX, built by build.rs; or the reason why they could not be built.
#[cfg(not(target_arch = "nvptx64"))]
pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();
