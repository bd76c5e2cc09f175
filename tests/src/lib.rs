//! Shared code of the tests and benchmarks across packages.

pub mod copies;
pub mod data;
pub mod same;
pub mod slots;
pub mod synthetic;
pub mod vector;
pub use toolkit_tests::{bench, cited, device, dice, simulated};

use cuda_host::Image;

/// The PTX of the kernels, without machine code.
pub fn ptx() -> Image<'static> {
    // SAFETY: `cargo xtask build-ptx` made it from `kernels-gpu`.
    unsafe { Image::from_files("kernels_gpu.sm_75.ptx", kernels_gpu::PTX, &[]) }
}
