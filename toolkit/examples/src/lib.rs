//! Examples: each file has kernels, and a program that runs them on a GPU or on CPU cores and compares the results with plain
//! Rust.
//!
//! ```sh
//! cargo run --release -p toolkit-examples            # lists them
//! cargo run --release -p toolkit-examples jacobi     # runs one, on a GPU if there is one
//! cargo run --release -p toolkit-examples all --cpu  # runs all, on CPU cores
//! ```
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;

#[cfg(not(target_arch = "nvptx64"))]
pub mod host;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Answer, Example, Report};

/// The kernels as PTX, built by build.rs; or the reason why they could not be built.
#[cfg(not(target_arch = "nvptx64"))]
pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();

/// Four numbers that a thread reads and writes at once.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct FourFloats {
    /// The numbers.
    pub all: [f32; 4],
}

/// Four words that a thread reads and writes at once.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct FourWords {
    /// The words.
    pub all: [u32; 4],
}

macro_rules! examples {
    ($($name:ident: $about:literal,)*) => {
        $(
            #[doc = $about]
            // Kernels are public for benchmarks. Each module says what its example does.
            #[allow(missing_docs)]
            pub mod $name;
        )*

        /// All examples by their names.
        #[cfg(not(target_arch = "nvptx64"))]
        pub const EXAMPLES: &[Example] = &[$(Example { name: stringify!($name), about: $about, run: $name::run },)*];
    };
}

examples! {
    saxpy: "y += a x: a kernel, its launch, its result",
    dot: "a reduction of blocks, and one of their results",
    transpose: "tiles of a matrix, by way of shared memory",
    histogram: "atomic operations in shared memory, then in global memory",
    matmul: "a matrix product by tiles, double-buffered",
    mandelbrot: "work that differs from thread to thread",
    life: "the game of life, many launches one after the other",
    pi: "random numbers by hashing, counted by a reduction",
    black_scholes: "prices of options: functions with the same bits everywhere",
    compact: "elements that fulfil a condition, in order: counts, a scan, a scatter",
    largest: "the largest element and its index, as one atomic update",
    print: "lines from a kernel",
    generic: "a generic kernel over types, and functors as arguments",
    jacobi: "a five-point stencil with its halo in shared memory (Rodinia, SHOC)",
    relax: "a five-point stencil until nothing changes: one launch whose blocks meet (CUDA Samples)",
    scan: "prefix sums in three passes (GPU Gems 3)",
    look_back: "prefix sums in one pass by decoupled look-back (CUB)",
    bitonic: "a sorting network within and across blocks (CUDA Samples)",
    radix_sort: "keys and values of any type sorted by digits (CUB)",
    elimination: "equations solved in place: rows above are read, rows below written (Rodinia)",
    alignment: "the best alignment of two texts, by waves through tiles (Rodinia)",
    clusters: "k-means: rows and columns of tables (Rodinia)",
    nbody: "gravity between all pairs, by double-buffered tiles (GPU Gems 3)",
    spmv: "a sparse matrix times a vector, a warp or eight lanes a row (CUSP)",
    softmax: "rows become probabilities, in 32 and in 16 bits (llm.c)",
    layer_norm: "rows are normalised, a block a row (llm.c)",
}
