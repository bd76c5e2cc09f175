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
//! | guarantee | how |
//! |---|---|
//! | a barrier is reached by every thread | compiler: phases take `&mut Block`, their closures are `Fn + Sync` and cannot hold it; build of the PTX: what they hold is [`Frozen`], so no atomic, and no static that they see changes (on CPU cores, where no thread waits, neither is looked at) |
//! | a vote or a shuffle is reached by every lane | the same, with `&mut Warp` and `&mut Team`; a [`Team`] shuffles with its own lanes alone |
//! | no two threads write one element in a phase | compiler: an element is written only by the phase that hands it out |
//! | no thread reads what another writes in the same phase | compiler: a writing phase borrows the memory mutably |
//! | a tile of shared memory was written | compiler: phases alone make one; a check at run time that there is a thread for each element |
//! | what crosses lanes and warps can do so; static shared arrays fit | compiler, for both sides alike; build of the PTX: reductions counted |
//! | what several threads update is touched atomically | compiler: [`Atomics`] and [`Cells`] do nothing else, in a scope that holds all of them |
//! | no two blocks write one element | a check before launch: `launch::Offsets` are monotone and end within the buffer; the grid is exactly that of the [`Chunk`]s and [`Tile2d`]s |
//! | a device takes the grid and the shared memory | a check before launch |
//! | the arguments fulfil the kernel's `requires(..)` | a check before launch |
//! | no access out of bounds | a check at run time, in the kernel; it ends the thread and the launch returns an error |
//! | no thread writes what another still reads from a phase before | compiler and barriers: see [`Block`] for where those stand |
//! | nothing goes on by what a thread that panicked did not write | a check at run time: at each barrier behind something written, and at each result of a warp or a team, the others look and end; so a loop by such results ends |
//! | both sides agree on layouts and signature | a check at load: the PTX carries `launch::Kernel::DESCRIPTION` |
//! | results do not depend on the order of atomic operations | not enforced, but tests find it: `CpuExecutor::shuffled` |
//! | global memory is written before it is read | not enforced: a [`Segment`] or a [`Chunk`] may be read before it was filled |
//! | a kernel ends | not enforced: a thread may loop for ever by itself, or wait for another by atomic operations |
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
mod grid;
mod halves;
mod input;
pub mod launch;
pub mod math;
mod memory;
pub mod panic;
mod platform;
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

pub use atomic::{Atomic, AtomicBits, AtomicMemory, Atomics, Cells};
pub use block::{Block, PerThread, Thread};
pub use chunk::Chunk;
pub use cuda_std_macros::kernel;
pub use grid::Grid;
pub use halves::{Halves, Pending, Unmet};
pub use input::Input;
pub use memory::{BlockMemory, WarpPart};
pub use platform::Frozen;
pub use segment::{Clamped, Part, Segment, View};
pub use shared::{DynamicShared, Shared, Tile, TilePart};
pub use table::{Table, Window};
pub use team::{Lists, Team};
pub use tile_2d::Tile2d;
pub use warp::{Lane, Lanes, PerLane, Warp};
pub use warp_list::{Questions, SharedByWarp, WarpItems, WarpList};

/// What a kernel's file imports.
pub mod prelude {
    pub use crate::access::{Readable, WriteOnly};
    #[cfg(not(target_arch = "nvptx64"))]
    pub use crate::launch::{CpuExecutor, DynamicLength, Executor, Matrix, Offsets, Segments};
    #[doc(hidden)]
    pub use crate::math::methods::FloatMethods as _;
    pub use crate::{
        AtomicMemory, Atomics, Block, BlockMemory, Chunk, Clamped, DynamicShared, Grid, Halves, Input, Lane, Lists,
        Part, PerLane, PerThread, Questions, Segment, Shared, Table, Team, Thread, Tile, Tile2d, View, Warp, WarpItems,
        WarpList, WarpPart, Window, kernel, math, scope,
    };
}

/// What the code that [`macro@kernel`] writes calls. Not for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::launch::private::*;
    pub use cuda_layout;
}
