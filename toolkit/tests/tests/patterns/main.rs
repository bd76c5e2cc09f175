//! Patterns of programs that use a GPU, one test each. The guide's chapter "Patterns, corrected" lists them by name and
//! includes parts of them. What has a meaning on CPU cores is tested on any machine; what needs a device prints a line and
//! passes where there is none, unless CUDA_REQUIRE_GPU=1 asks for one.

mod devices;
mod errors;
mod kernels;
mod launches;
mod lifetimes;
mod memory;
mod pools;
mod streams;

use toolkit_tests::device::Alone;

/// The test kernels on the first device, which this test has for itself.
fn gpu() -> Option<Alone> {
    toolkit_tests::device::alone("test kernels", test_kernels::PTX)
}

/// `0, 1, 2, ..` with a step.
fn rising(n: usize, step: f32) -> Vec<f32> {
    (0..n).map(|i| i as f32 * step).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}
