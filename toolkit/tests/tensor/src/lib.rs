//! PTX of the kernels in `tensor-kernels`. A separate package builds it, so that the kernels have no build dependencies.

use cuda_host::CudaExecutor;
use toolkit_tests::device::{executors, is_there};

/// The kernels for chips from 7.5, 8.0 and 9.0 on, by name; or why they could not be built.
pub const PTX: Result<&[(&str, &str)], &str> = include!(concat!(env!("OUT_DIR"), "/ptx.rs"));

/// Executors on the first device with the kernels for each kind of chip from `oldest` on; none without a device.
///
/// # Panics
/// If there is a device, but was no compiler for it when the tests were built.
#[must_use]
pub fn gpus(oldest: &str) -> Vec<(&'static str, CudaExecutor)> {
    let built = PTX.unwrap_or_else(|why| if is_there() { panic!("{why}") } else { &[] });
    let images: Vec<_> = built.iter().copied().filter(|(name, _)| *name >= oldest).collect();
    executors("tensor kernels", &images)
}
