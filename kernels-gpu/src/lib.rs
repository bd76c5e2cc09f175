//! The GPU kernels: safe Rust, compiled to PTX for the device and to machine code for CPU cores.
//!
//! For CPU cores, a kernel's body is compiled once for each instruction set. A closure in the body is compiled with that
//! version; a closure in a function that the kernel calls is compiled with the function. Such a function therefore has a
//! type parameter `V`, and each version of a kernel passes a type of its own: `enum Here {}`. Without it, the closure
//! would be compiled once for all instruction sets, and `math::fma` would be a call there. Where a kernel calls a
//! function in several places, it passes an array type with a number as well, so that each place has its own version.
//! (The compiler may still not inline a closure that is called in two places: see `Team::reduce_long`. Nor does it always inline a
//! closure that another one contains: such code took twice as long for all columns.)
//!
//! Kernels ask for code for AVX-512 (`avx512`) where it is faster than that for AVX2. For most it is not.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]
#![allow(clippy::extra_unused_type_parameters, reason = "`V`, as said above")]

mod atoms;
mod backbone;
pub mod bases;
mod boxes;
mod columns;
pub mod double;
mod features;
mod fused;
mod graph;
pub mod groups;
mod items;
pub mod masks;
mod nucleotides;
pub mod points;
mod position;
#[cfg(not(target_arch = "nvptx64"))]
mod reach;
pub mod scratch;
mod sites;
mod split;
mod vector;

pub use atoms::{atom_cells, atom_depths, atom_surfaces, large_atom_cells, residue_exposure};
pub use backbone::{backbone_bonds, backbone_geometry, backbone_ladders, backbone_marks, backbone_states, split_bonds};
pub use bases::base_pairs;
pub use columns::{backbone_columns, nucleotide_columns, position_columns, residue_columns};
pub use features::exposed::exposed_velocity;
pub use fused::{mega_fused_batch_detection_prism4d, selected_features};
pub use nucleotides::nucleotide_torsions;
pub use points::{site_point_list, site_point_scores, site_points, site_sums};
pub use position::{in_file, residue_positions};
pub use sites::{binding_sites, site_scores};
pub use split::{
    alpha_carbon_boxes, few_pairs, split_alpha_carbons, split_centrality, split_eigenvectors, split_network,
    split_pairs, split_weighted_contacts,
};
pub use vector::Vector;

/// The unit of work of a kernel's blocks.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Block `i` takes structure `i`.
    Structures,
    /// Block `i` takes item `i` of the work items over heavy atoms.
    AtomItems,
    /// Block `i` takes item `i` of the work items over residues.
    ResidueItems,
    /// Block `i` takes item `i` of the work items over rows of large structures.
    RowItems,
    /// Block `i` takes item `i` of the work items over values of columns.
    ValueItems,
    /// All blocks take one structure after another, of those whose rows are divided into the most items.
    Together,
    /// Block `i` takes segment `i` of candidate pairs of bases, which are of no batch.
    Pairs,
}

/// A kernel with its unit of work, which gives the number of blocks of a launch and the structure of a block that panics.
#[cfg(not(target_arch = "nvptx64"))]
pub trait BatchKernel: cuda_std::launch::Kernel {
    /// The unit of work of its blocks.
    const BLOCKS: Blocks;
}

/// Declares the unit of work of every kernel.
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
    alpha_carbon_boxes: Structures;
    split_alpha_carbons: Structures;
    split_pairs: RowItems;
    split_weighted_contacts: RowItems;
    split_network: RowItems;
    split_eigenvectors: Together;
    split_centrality: Structures;
    site_points: AtomItems;
    site_point_scores: AtomItems;
    site_sums: AtomItems;
    site_point_list: Structures;
    binding_sites: Structures;
    site_scores: ResidueItems;
    residue_positions: ResidueItems;
    residue_columns: ValueItems;
    position_columns: ValueItems;
    backbone_geometry: ResidueItems;
    backbone_bonds: ResidueItems;
    split_bonds: RowItems;
    backbone_marks: ResidueItems;
    backbone_ladders: ResidueItems;
    backbone_states: ResidueItems;
    backbone_columns: ValueItems;
    nucleotide_torsions: Structures;
    nucleotide_columns: ValueItems;
    base_pairs: Pairs;
}

/// The PTX of the kernels, built from this crate by `cargo xtask build-ptx`.
#[cfg(not(target_arch = "nvptx64"))]
pub static PTX: &str = include_str!("../ptx/kernels_gpu.sm_75.ptx");

/// Machine code of that PTX for some kinds of GPUs, bound to the PTX by a fingerprint. `cuda_host::Image` takes both.
#[cfg(not(target_arch = "nvptx64"))]
pub static MACHINE_CODE: &[u8] = include_bytes!("../ptx/kernels_gpu.sm_75.cubins");
