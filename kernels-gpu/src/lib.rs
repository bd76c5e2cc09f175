//! The GPU kernels: safe Rust, compiled to PTX for the device and to machine code for CPU cores.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

mod atoms;
mod features;
mod fused;
mod graph;
pub mod points;
pub mod scratch;
mod sites;
mod spread;
mod vector;

pub use atoms::{atom_cells_prism4d, atom_surfaces_prism4d, large_atom_cells_prism4d, residue_exposure_prism4d};
pub use fused::mega_fused_batch_detection_prism4d;
pub use sites::binding_sites_prism4d;
pub use spread::{spread_centrality_prism4d, spread_network_prism4d, spread_pairs_prism4d, spread_places_prism4d};
pub use vector::Vector;

/// The kernels for GPUs, as `cargo xtask build-ptx` has built them from this crate.
#[cfg(not(target_arch = "nvptx64"))]
pub static PTX: &str = include_str!("../ptx/kernels_gpu.sm_75.ptx");
