//! Write CUDA kernels in safe Rust.
//!
//! A kernel is a function of one thread block. It runs *phases*: in a phase every thread of the block runs the same
//! closure. Barriers are only between phases. [`macro@kernel`] makes three things from this function: a PTX entry, a
//! typed launcher, and a version that runs on CPU cores with the same bits.
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
//! The guide's chapter of this name (`guide/src/guarantees.md`) has the table: what the compiler enforces, what is checked
//! before a launch or in the kernel, and what is not enforced.
//!
//! # Same bits
//!
//! A kernel's results depend only on its arguments, not on the backend. Operations are those of IEEE 754, in the order of
//! the source. [`math`] has one implementation for both sides. Reductions combine elements in an order that depends only on
//! their number ([`Block::reduce`], [`Team::reduce`]).
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx, core_float_math),
    feature(auto_traits, negative_impls, specialization)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features, incomplete_features))]

mod block;
mod bounds;
mod buffers;
pub mod compat;
mod float8;
mod floats;
mod half;
pub mod launch;
pub mod lists;
pub mod math;
mod matrix;
mod memory;
pub mod panic;
mod platform;
mod print;
mod seal;
mod unrolled;
mod vectors;
mod warp;

pub use block::{Block, Grid, GridMemory, GridView, PerMember, PerThread, Team, Thread, Wait, WholeGrid, scope};
pub use buffers::{
    Atomic, AtomicBits, AtomicItem, AtomicMemory, Atomics, Cells, Chunk, Clamped, Column, Input, Part, Scatter,
    Segment, Slots, Table, Tile2d, View, Window, Windows, access,
};
/// Makes a group of arguments of a struct: a kernel takes it as one parameter, and each field is an argument of the launch.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Points of a plane.
/// #[derive(Arguments)]
/// pub struct Points<'a> {
///     /// In metres.
///     pub x: &'a [f32],
///     /// In metres.
///     pub y: &'a [f32],
/// }
///
/// /// What is found of each point.
/// #[derive(Arguments)]
/// pub struct Found<'a> {
///     pub distances: &'a mut Chunk<'a, f32, 64>,
///     pub near: &'a Atomics<'a, u32>,
/// }
///
/// /// Distances to the origin, and the number of those within `radius`.
/// #[kernel(threads = 64, requires(points.x.len() == points.y.len()))]
/// pub fn measure(block: &mut Block, found: Found<'_>, points: Points<'_>, radius: f32) {
///     let (n, first) = (found.distances.len(), found.distances.start());
///     found.distances.fill(block, n, |i| math::hypot(points.x.at(first + i), points.y.at(first + i)));
///     let distances = found.distances.view(n);
///     block.for_each(n, |thread, i| {
///         if distances.get(i) <= radius {
///             found.near.add(thread, 0, 1);
///         }
///     });
/// }
///
/// # fn main() {
/// let (x, y) = ([3.0, 6.0], [4.0, 8.0]);
/// let (mut distances, mut near) = ([0.0; 2], [0]);
/// let args = measure::Args {
///     found: FoundArgs { distances: &mut distances[..], near: &mut near[..] },
///     points: PointsArgs { x: &x[..], y: &y[..] },
///     radius: 7.5,
/// };
/// measure::launch(&CpuExecutor::new(), 1, args).unwrap();
/// assert_eq!((distances, near), ([5.0, 10.0], [1]));
/// # }
/// ```
///
/// A field is what a kernel's parameter may be ([`macro@kernel`] has the table), with the lifetime of the struct, or another group:
/// `points: Points<'a>`. A kernel takes groups by value and names their lifetime, `Points<'_>`, by which the macro knows them.
///
/// The derive adds `PointsArgs`, with the same fields as the launch gives them. If all of them are only read, it can be copied, and
/// `shorter` borrows it for one launch. Fields are arguments of the kernel like its other parameters: PTX has the same parameters, in
/// the same order, and messages name the field. If two arguments of a kernel have the same name, messages name the group, too:
/// `points.x`. So a kernel may take the same group twice.
///
/// The derive also adds a macro with the struct's name, by which `#[kernel]` learns the fields. `use` imports both.
pub use cuda_std_macros::Arguments;
/// Makes a kernel from a function of one thread block.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Each block reverses its own 256 elements, or as many as there are, and scales them.
/// #[kernel(threads = 64, requires(factor.is_finite()))]
/// pub fn scale(block: &mut Block, out: &mut Chunk<f32, 256>, factor: f32, tile: &mut Shared<f32, 256>) {
///     let n = out.len();
///     let view = out.view(n);
///     let tile = tile.fill(block, n, |i| view.get(i));
///     out.fill(block, n, |i| factor * tile.get(n - 1 - i));
/// }
///
/// # fn main() {
/// let mut out = [1.0, 2.0, 3.0];
/// scale::launch(&CpuExecutor::new(), 1, scale::Args { out: &mut out, factor: 0.5 }).unwrap();
/// assert_eq!(out, [1.5, 1.0, 0.5]);
/// # }
/// ```
///
/// The parameters:
///
/// | parameter | what it is | argument of the launch |
/// |---|---|---|
/// | `&mut Block`, the first | the block that runs | - |
/// | `&mut WholeGrid`, the first instead | all blocks, which can wait for each other | - |
/// | `&[T]` | a buffer that the kernel reads | a buffer to read |
/// | `&mut Segment<T>` | the block's own part of a ragged buffer | `Segments` |
/// | `&mut Chunk<T, N>` | the block's own `N` elements of a buffer | a buffer to write |
/// | `&mut Tile2d<T, ROWS, COLUMNS>` | the block's own tile of a matrix | `Matrix` |
/// | the same three with `WriteOnly` as last argument | what the kernel writes and never reads | the same |
/// | `&Atomics<T>`, `&Atomics<T, SCOPE>` | a buffer that all blocks update | a buffer to write |
/// | `&Scatter<T>` | a buffer that all blocks write, no element twice | a buffer to write |
/// | `&mut GridMemory<T>`, with a `WholeGrid` | a buffer that all blocks write and read | a buffer to write |
/// | `&mut Shared<T, N>` | a static array in shared memory | - |
/// | `&mut DynamicShared<T>`, at most one | an array in shared memory, with a length from the launch | `DynamicLength` |
/// | a struct with a lifetime | a group of arguments ([`Arguments`](derive@Arguments)) | the struct's `..Args` |
/// | any other type | a value | the value |
///
/// Every type of an argument or element implements `DeviceLayout`. The function itself does not change. The macro adds a
/// module of the same name: `Args` has the launch's arguments as fields, `launch` launches, and `Kernel` implements
/// `cuda_std::launch::Kernel`. On the device it adds a PTX entry of the same name.
///
/// `threads` is the number of threads in a block: a multiple of 32, at most 1024, as a number or a constant expression.
/// `blocks_per_sm` is optional. It limits registers so that a multiprocessor holds that many blocks at a time, like
/// `__launch_bounds__` in CUDA C++. Instances may have different numbers: `blocks_per_sm = if N > 8 { 2 } else { 3 }` is a constant expression
/// like that of `threads`. So may chips: `blocks_per_sm(sm_75 = 2, sm_90 = 4)` gives 2 to chips from sm_75
/// on, and 4 to those from sm_90 on. `sm_90 = none` gives none from there on. Machine code beside PTX has the number of its chip. A driver that compiles the PTX takes that of
/// the chip for which the PTX was built. `grid` is the number of dimensions of the grid. The default is 1, or 2 with a `Tile2d`.
///
/// `requires(n > 0, input.len() == n as usize * 3)` is a contract: expressions over the arguments that a launch checks
/// before anything runs, on every backend. In them a value's name is the value, and a buffer's name is its shape (`len()`,
/// and `segments()`, `rows()` and `columns()` where it has them). `grid` is the grid of the launch.
///
/// `avx512` adds code for AVX-512 to the code that runs on CPU cores: there is always code for AVX2 and for all processors.
/// Compiling it takes as long as each of those, and it is not always faster, so measure first.
///
/// A generic kernel names its instances, with types and constants for its parameters in order. Each instance is a PTX
/// entry. `Args`, `Kernel` and `launch` have the same parameters, and accept only the named instances:
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Each block copies its own `N` elements, which are also its threads.
/// #[kernel(threads = N, instances(copied_64 = <64>, copied_256 = <256>))]
/// pub fn copied<const N: usize>(block: &mut Block, out: &mut Chunk<f32, N, WriteOnly>, x: &[f32]) {
///     let (n, first) = (out.len(), out.start());
///     out.fill(block, n, |i| x.at(first + i));
/// }
///
/// # fn main() {
/// let mut out = [0.0; 300];
/// copied::launch::<256, _>(&CpuExecutor::new(), 2, copied::Args { out: &mut out, x: &[1.5; 300] }).unwrap();
/// assert_eq!(out, [1.5; 300]);
/// # }
/// ```
///
/// An `unsafe fn` without a block is a raw kernel, which runs on GPUs only. Its parameters are `*const T`, `*mut T`, `&[T]`
/// and values, its `launch` is unsafe, and `threads` is optional. See `cuda_std::compat`.
pub use cuda_std_macros::kernel;
/// Makes a macro of a function that several kernels call with their groups. It passes the groups field by field, as [`macro@kernel`]
/// does: the compiler knows of a reference that is a parameter that nothing else writes there, but not of one in a struct. If the
/// function has type parameters, their values come first, as in `weighted!(<Here> block, ..)`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// #[derive(Arguments)]
/// pub struct Terms<'a> {
///     pub x: &'a [f32],
///     pub y: &'a [f32],
/// }
///
/// #[cuda_std::kernel_part]
/// fn weighted(block: &mut Block, out: &mut Chunk<f32, 64>, terms: Terms<'_>, weight: f32) {
///     let (n, first) = (out.len(), out.start());
///     out.fill(block, n, |i| math::fma(weight, terms.x.at(first + i), terms.y.at(first + i)));
/// }
///
/// #[kernel(threads = 64)]
/// pub fn add(block: &mut Block, out: &mut Chunk<f32, 64>, terms: Terms<'_>) {
///     weighted!(block, out, terms, 1.0);
/// }
///
/// #[kernel(threads = 64)]
/// pub fn subtract(block: &mut Block, out: &mut Chunk<f32, 64>, terms: Terms<'_>) {
///     weighted!(block, out, terms, -1.0);
/// }
/// # fn main() {
/// let mut out = [0.0; 2];
/// let terms = TermsArgs { x: &[1.0, 2.0][..], y: &[10.0, 20.0][..] };
/// subtract::launch(&CpuExecutor::new(), 1, subtract::Args { out: &mut out[..], terms: terms.shorter() }).unwrap();
/// assert_eq!(out, [9.0, 18.0]);
/// add::launch(&CpuExecutor::new(), 1, add::Args { out: &mut out[..], terms: terms.shorter() }).unwrap();
/// assert_eq!(out, [11.0, 22.0]);
/// # }
/// ```
pub use cuda_std_macros::kernel_part;
pub use float8::{e4m3, e4m3x16, e5m2, e5m2x16};
pub use half::{bf16, bf16x2, bf16x8, f16, f16x2, f16x8};
pub use matrix::{
    MatrixA, MatrixB, MatrixElement, MatrixProduct, MatrixRows, MatrixSource, MatrixSums, PerRow, Swizzled, in_panels,
    swizzled, tf32, tf32x4,
};
pub use memory::{
    BlockMemory, DoubleBuffer, DynamicShared, Outputs, PendingTile, PendingTiles, Scans, Shared, SharedByWarp, Stages,
    Tile, TilePart, WarpPart,
};
pub use platform::Frozen;
pub use print::Printed;
pub use unrolled::unrolled;
pub use vectors::{ElementVector, Vectors};
pub use warp::{Lane, Lanes, PerLane, Warp};

/// The imports of a kernel's file.
pub mod prelude {
    pub use crate::access::{Readable, WriteOnly};
    #[cfg(not(target_arch = "nvptx64"))]
    pub use crate::launch::{CpuExecutor, DynamicLength, Executor, Matrix, Offsets, Segments};
    #[doc(hidden)]
    pub use crate::math::methods::FloatMethods as _;
    // A kernel's own `Scans` hides no method.
    pub use crate::Outputs as _;
    pub use crate::Scans as _;
    pub use crate::{
        Arguments, AtomicItem, AtomicMemory, Atomics, Block, BlockMemory, Chunk, Clamped, DoubleBuffer, DynamicShared,
        Grid, GridMemory, GridView, Input, Lane, MatrixA, MatrixB, MatrixElement, MatrixProduct, MatrixRows,
        MatrixSums, Part, PerLane, PerRow, PerThread, Scatter, Segment, Shared, Stages, Table, Team, Thread, Tile,
        Tile2d, Vectors, View, Warp, WarpPart, WholeGrid, Window, Windows, bf16, bf16x2, bf16x8, e4m3, e4m3x16, e5m2,
        e5m2x16, f16, f16x2, f16x8, gpu_print, kernel, math, scope, swizzled, tf32, tf32x4,
    };
}

/// The functions that code generated by [`macro@kernel`] calls.
#[doc(hidden)]
pub mod __private {
    pub use crate::launch::private::*;
    pub use crate::print::{Format, check_format, print, print_once};
    pub use core::{concat, env, include, include_str};
    pub use cuda_layout;
    pub use cuda_std_macros::with_groups;
}

/// The code of the package's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
