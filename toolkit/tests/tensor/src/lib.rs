//! PTX of the kernels in `tensor-kernels`. A separate package builds it, so that the kernels have no build dependencies.

use cuda_host::{CudaExecutor, Device, Image};
use toolkit_tests::device::{executors, is_there};

/// The kernels for chips from 7.5 and 8.0 on, and for 9.0 alone, by name; or why they could not be built. Without a GPU, and without
/// `CUDA_EVERY_CHIP=1`, only those for 9.0 are built.
pub const PTX: Result<&[(&str, &str)], &str> = include!(concat!(env!("OUT_DIR"), "/ptx.rs"));

/// Executors on the first device with the kernels for each kind of chip from `oldest` on, as far as it runs them; none without a
/// device.
///
/// # Panics
/// If there is a device, but was no compiler for it when the tests were built, or they were built where there was no device.
#[must_use]
pub fn gpus(oldest: &str) -> Vec<(&'static str, CudaExecutor)> {
    let built = PTX.unwrap_or_else(|why| if is_there() { panic!("{why}") } else { &[] });
    assert!(built.len() != 1 || !is_there(), "built without a GPU: build again with CUDA_EVERY_CHIP=1");
    let images: Vec<_> = runnable(built).into_iter().filter(|(name, _)| *name >= oldest).collect();
    executors("tensor kernels", &images)
}

/// Those that the first device runs; none without a device.
#[must_use]
pub fn runnable(built: &[(&'static str, &'static str)]) -> Vec<(&'static str, Image<'static>)> {
    let Ok(device) = Device::info(0) else { return Vec::new() };
    // SAFETY: this package's build script has just made them from `tensor-kernels`.
    let images = built.iter().map(|(name, ptx)| (*name, unsafe { Image::from_files(name, ptx, &[]) }));
    images.filter(|(_, image)| image.runs_on(device.compute_capability)).collect()
}

/// The kernels for the newest kind of chip that the first device is of.
///
/// # Errors
/// That there was no compiler for devices when the tests were built, or that there are no kernels for this one.
pub fn newest() -> Result<Image<'static>, &'static str> {
    runnable(PTX?).last().map(|(_, image)| *image).ok_or("there are no kernels for this chip")
}
