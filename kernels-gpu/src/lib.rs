//! The GPU kernels: safe Rust, compiled to PTX for the device and to machine code for CPU cores.
//!
//! For CPU cores the body of a kernel is compiled once for each instruction set. Closures in it belong to that version, and
//! those in functions that it calls to the function. So that these are compiled for the instruction set too, such functions
//! have a type parameter `V`, for which each version of each kernel gives a type of its own: `enum Here {}`. Without it, they
//! are compiled once for all, and `math::fma` is a call there. A function that a kernel calls in several places takes a number
//! as well, so that each has its own. (A closure that is called in two places may be compiled by itself all the same: see
//! `Team::reduce_long`.)
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]
#![allow(clippy::extra_unused_type_parameters, reason = "`V`, as said above")]

mod atoms;
mod backbone;
mod columns;
mod features;
mod fused;
mod graph;
pub mod masks;
pub mod points;
mod position;
pub mod scratch;
mod sites;
mod split;
mod vector;

pub use atoms::{atom_cells, atom_depths, atom_surfaces, large_atom_cells, residue_exposure};
pub use backbone::{backbone_bonds, backbone_geometry, backbone_states};
pub use columns::{backbone_columns, position_columns, residue_columns};
pub use fused::{mega_fused_batch_detection_prism4d, selected_features};
pub use points::{site_point_list, site_point_scores, site_points, site_sums};
pub use position::residue_positions;
pub use sites::binding_sites;
pub use split::{split_alpha_carbons, split_centrality, split_network, split_pairs};
pub use vector::Vector;

/// What a block of a kernel works on.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Block `i` has structure `i`.
    Structures,
    /// Block `i` has item `i` of those that share out heavy atoms.
    AtomItems,
    /// Block `i` has item `i` of those that share out residues.
    ResidueItems,
    /// Block `i` has item `i` of those that share out the rows of large structures.
    RowItems,
}

/// A kernel that says what its blocks work on. From that follow how many blocks a launch has, and which structure is to
/// blame where one panics.
#[cfg(not(target_arch = "nvptx64"))]
pub trait BatchKernel: cuda_std::launch::Kernel {
    /// What its blocks work on.
    const BLOCKS: Blocks;
}

/// Declares for every kernel what its blocks work on.
macro_rules! kernels {
    ($($kernel:ident: $blocks:ident;)*) => {
        $(
            #[cfg(not(target_arch = "nvptx64"))]
            impl BatchKernel for $kernel::Kernel {
                const BLOCKS: Blocks = Blocks::$blocks;
            }
        )*

        /// Calls a macro with the names of all kernels.
        #[cfg(not(target_arch = "nvptx64"))]
        #[macro_export]
        macro_rules! for_each_kernel {
            ($callback:ident) => {
                $callback! { $($kernel),* }
            };
        }
    };
}

kernels! {
    mega_fused_batch_detection_prism4d: Structures;
    selected_features: Structures;
    atom_cells: Structures;
    large_atom_cells: Structures;
    atom_surfaces: AtomItems;
    atom_depths: AtomItems;
    residue_exposure: ResidueItems;
    split_alpha_carbons: Structures;
    split_pairs: RowItems;
    split_network: RowItems;
    split_centrality: Structures;
    site_points: AtomItems;
    site_point_scores: AtomItems;
    site_sums: AtomItems;
    site_point_list: Structures;
    binding_sites: Structures;
    residue_positions: Structures;
    residue_columns: Structures;
    position_columns: Structures;
    backbone_geometry: ResidueItems;
    backbone_bonds: ResidueItems;
    backbone_states: Structures;
    backbone_columns: Structures;
}

/// The kernels for GPUs, as `cargo xtask build-ptx` has built them from this crate.
#[cfg(not(target_arch = "nvptx64"))]
pub static PTX: &str = include_str!("../ptx/kernels_gpu.sm_75.ptx");

/// The same as machine code for some kinds of GPUs, made from that PTX and bound to it; `cuda_host::Image` takes both.
#[cfg(not(target_arch = "nvptx64"))]
pub static MACHINE_CODE: &[u8] = include_bytes!("../ptx/kernels_gpu.sm_75.cubins");
