//! Write CUDA kernels in safe Rust.
//!
//! A kernel is a function of one thread block. It runs *phases*: inside a phase every thread of the block runs
//! the same closure, and barriers stand between phases and nowhere else. [`macro@kernel`] makes three things
//! of the one function: the PTX entry, a typed launcher, and a version that runs on CPU cores with the same bits.
//!
//! ```
//! use cuda_std::prelude::*;
//!
//! /// Each block smooths its own segment of a signal.
//! #[kernel(threads = 128)]
//! pub fn smooth(block: &mut Block, out: &mut Segment<f32>, signal: &[f32], weight: f32) {
//!     let n = out.len();
//!     let first = out.start();
//!     out.fill(block, n, |i| {
//!         let at = |k| signal.at(first + k);
//!         math::fma(weight, at((i + 1) % n) - at(i), at(i))
//!     });
//! }
//!
//! fn main() {
//!     let signal = [0.0, 1.0, 2.0, 10.0, 20.0];
//!     let offsets = Offsets::new(vec![0, 3, 5]).unwrap();
//!     let mut out = [0.0; 5];
//!     let blocks = 2;
//!     smooth::launch(
//!         &CpuExecutor::new(),
//!         blocks,
//!         smooth::Args { out: Segments { data: &mut out, offsets: &offsets }, signal: &signal, weight: 0.5 },
//!     )
//!     .unwrap();
//!     assert_eq!(out, [0.5, 1.5, 1.0, 15.0, 15.0]);
//! }
//! ```
//!
//! # What is guaranteed, and how
//!
//! The chapter *What is guaranteed, and how* of the guide (`guide/src/guarantees.md`) has the whole table: what the compiler
//! enforces, what is checked before a launch or in the kernel, and what is not enforced.
//!
//! # Same bits
//!
//! What a kernel computes depends on its arguments alone, on every backend: operations are IEEE 754 in the order
//! that the source gives, [`math`] has one implementation for both sides, and reductions follow one tree over the
//! element index ([`Block::reduce`], [`Team::reduce`]).
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx, core_float_math),
    feature(auto_traits, negative_impls, specialization)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features, incomplete_features))]

pub mod access;
mod atomic;
#[cfg(test)]
mod barriers;
mod block;
mod bounds;
mod chunk;
pub mod compat;
mod double_buffer;
mod grid;
mod half;
mod input;
pub mod launch;
pub mod math;
mod matrix;
mod memory;
pub mod panic;
mod platform;
mod print;
mod scatter;
pub mod scope;
mod seal;
mod segment;
mod shared;
mod table;
mod team;
mod tile_2d;
mod unrolled;
mod warp;
mod warp_list;
mod warp_picks;
mod warp_ranges;

pub use atomic::{Atomic, AtomicBits, AtomicItem, AtomicMemory, Atomics, Cells};
pub use block::{Block, PerThread, Thread};
pub use chunk::Chunk;
pub use cuda_std_macros::kernel;
/// The attribute's examples, which need this package.
#[cfg(doctest)]
#[doc = include_str!("../macros/docs/kernel.md")]
pub struct KernelExamples;
pub use double_buffer::{DoubleBuffer, PendingTile, PendingTiles};
pub use grid::Grid;
/// The former name of [`DoubleBuffer`], for kernels that have it.
pub type Halves<'a, T> = DoubleBuffer<'a, T>;
pub use half::{Elements16, Vectors, bf16, bf16x2, bf16x8, f16, f16x2, f16x8};
pub use input::Input;
pub use matrix::{MatrixA, MatrixB, MatrixElement, MatrixSource, MatrixSums, tf32};
pub use memory::{BlockMemory, Scans, WarpPart};
pub use platform::Frozen;
pub use print::Printed;
pub use scatter::Scatter;
pub use segment::{Clamped, Part, Segment, View};
pub use shared::{DynamicShared, Shared, Tile, TilePart};
pub use table::{Table, Window};
pub use team::{Lists, Team};
pub use tile_2d::Tile2d;
pub use warp::{Lane, Lanes, PerLane, Warp};
pub use warp_list::{Questions, SharedByWarp, WarpItems, WarpList};
pub use warp_picks::{Pick, Picks};

/// What a kernel's file imports.
pub mod prelude {
    pub use crate::access::{Readable, WriteOnly};
    #[cfg(not(target_arch = "nvptx64"))]
    pub use crate::launch::{CpuExecutor, DynamicLength, Executor, Matrix, Offsets, Segments};
    #[doc(hidden)]
    pub use crate::math::methods::FloatMethods as _;
    // A kernel's own `Scans` hides no method.
    pub use crate::Scans as _;
    pub use crate::{
        AtomicItem, AtomicMemory, Atomics, Block, BlockMemory, Chunk, Clamped, DoubleBuffer, DynamicShared, Grid,
        Halves, Input, Lane, Lists, MatrixA, MatrixB, MatrixElement, MatrixSums, Part, PerLane, PerThread, Pick, Picks,
        Questions, Scatter, Segment, Shared, Table, Team, Thread, Tile, Tile2d, Vectors, View, Warp, WarpItems,
        WarpList, WarpPart, Window, bf16, bf16x2, bf16x8, f16, f16x2, f16x8, gpu_print, kernel, math, scope, tf32,
    };
}

/// What the code that [`macro@kernel`] writes calls. Not for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::launch::private::*;
    pub use crate::print::{Format, check_format, print, print_once};
    pub use cuda_layout;
}
