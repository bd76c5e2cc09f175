//! What tests and benchmarks ask about the device.

use cuda_host::Device;

/// Whether there is a CUDA device. Where there is none, says so in one line.
///
/// # Panics
/// Where there is none and `PRISM_REQUIRE_GPU=1` asks for one.
#[must_use]
pub fn is_there() -> bool {
    match Device::count() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("PRISM_REQUIRE_GPU").as_deref() != Ok("1"), "PRISM_REQUIRE_GPU=1, but {error}");
            println!("skipped: no CUDA device ({error})");
            false
        }
    }
}
