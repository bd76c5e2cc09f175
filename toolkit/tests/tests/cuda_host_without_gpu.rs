//! `cuda_host` on a machine without a usable GPU: every entry point returns an ordinary error.

use cuda_host::{Context, CudaExecutor, Device, driver_version};

#[test]
fn every_way_in_says_why_there_is_no_gpu() {
    let Err(error) = Device::count() else {
        println!("skipped: this machine has a CUDA device");
        return;
    };
    let text = error.to_string();
    assert!(text.contains("CUDA"), "{text}");
    assert_eq!(Device::list().unwrap_err(), error);
    assert_eq!(Device::info(0).unwrap_err(), error);
    assert_eq!(Context::new(0).unwrap_err(), error);
    assert_eq!(CudaExecutor::open(0, "test kernels", test_kernels::IMAGE).unwrap_err(), error);
    // A driver without a device still knows its version.
    if let Err(version) = driver_version() {
        assert_eq!(version, error);
    }
}
