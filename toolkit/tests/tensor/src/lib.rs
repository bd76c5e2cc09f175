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

/// The largest deviation of sums of products from the exact ones of `a`'s and `b`'s rows of `depth` numbers, relative to a bound: of the sizes
/// of each `step` products the part `of_step`, and the part `of_sum` of these with the sum so far. In a size, a factor counts at least as much
/// as `smallest`.
///
/// # Panics
/// If a sum is beyond the bound.
#[must_use]
pub fn share_of_bound(
    [a, b]: [&[f64]; 2],
    depth: usize,
    found: &[f32],
    (step, of_step, of_sum): (usize, f64, f64),
    smallest: f64,
) -> f64 {
    let columns = b.len() / depth;
    let mut most = 0.0f64;
    for (at, found) in found.iter().enumerate() {
        let lines = [&a[at / columns * depth..][..depth], &b[at % columns * depth..][..depth]];
        let (mut exact, mut bound) = (0.0f64, f64::powi(2.0, -126));
        for (x, y) in lines[0].chunks(step).zip(lines[1].chunks(step)) {
            // The sum so far may be off by the bound so far.
            let before = exact.abs() + bound;
            let mut size = 0.0;
            for (x, y) in x.iter().zip(y) {
                exact += x * y;
                size += x.abs().max(smallest) * y.abs().max(smallest);
            }
            bound += of_step * size + of_sum * (before + size);
        }
        let share = (f64::from(*found) - exact).abs() / bound;
        // NaN must fail, too.
        assert!(share <= 1.0, "{found} instead of {exact}, beyond the bound of {bound}, at {at}");
        most = most.max(share);
    }
    most
}
