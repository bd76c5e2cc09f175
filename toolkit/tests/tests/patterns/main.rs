//! Patterns of programs that use a GPU, one test each. The guide's chapter "Patterns, corrected" lists them by name and
//! cites parts of them. Patterns that make sense on CPU cores are tested on any machine. Those that need a device print a
//! line and pass without one, unless CUDA_REQUIRE_GPU=1 requires a GPU.

mod devices;
mod errors;
mod kernels;
mod launches;
mod lifetimes;
mod memory;
mod pools;
mod streams;

use toolkit_tests::device::Alone;

/// The test kernels on the first device, for exclusive use by this test.
fn gpu() -> Option<Alone> {
    toolkit_tests::device::alone("test kernels", test_kernels::IMAGE)
}

/// `0, 1, 2, ..` with a step.
fn rising(n: usize, step: f32) -> Vec<f32> {
    (0..n).map(|i| i as f32 * step).collect()
}
