//! These tests on a simulated driver, and unusable drivers.

use cuda_host::{Context, CudaError, Device, DeviceInfo, MIN_COMPUTE_CAPABILITY};
use toolkit_tests::simulated::{SIMULATED, build, is_simulated, process, with_driver};

#[test]
fn the_order_of_work_holds_on_a_driver_that_does_nothing_before_it_must() {
    if is_simulated() {
        return;
    }
    let Some(folder) = build("late", &[]) else { return };
    let variables = [("LD_LIBRARY_PATH", folder.to_str().unwrap()), (SIMULATED, "1"), ("CUDA_REQUIRE_GPU", "1")];
    let tests = [
        "pools::",
        "parcels::",
        "staging::",
        "graphs::",
        "programs::",
        "faults::",
        "visible::",
        "lifetimes::",
        "leaks::",
        "lent::",
        "copies::",
        "futures::",
    ];
    process(&tests, &variables);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Devices that reach each other, and devices that do not.
#[test]
fn two_simulated_devices_do_not_mix() {
    if is_simulated() {
        return;
    }
    for (name, defines) in [("two", &["-DDEVICES=2"] as &[&str]), ("apart", &["-DDEVICES=2", "-DWITHOUT_PEERS"])] {
        let Some(folder) = build(name, defines) else { return };
        let path = folder.to_str().unwrap();
        let variables = [("LD_LIBRARY_PATH", path), (SIMULATED, "1"), ("CUDA_REQUIRE_TWO_GPUS", "1")];
        process(&["two_devices::", "peers::"], &variables);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn an_old_driver_is_an_error_that_names_what_it_lacks() {
    if !with_driver("simulated::an_old_driver_is_an_error_that_names_what_it_lacks", &["-DWITHOUT_GRAPHS"]) {
        return;
    }
    let error = Context::new(0).unwrap_err();
    assert!(matches!(error, CudaError::DriverTooOld { symbol: "cuStreamBeginCapture_v2" }), "{error}");
    assert!(error.is_unavailable() && error.to_string().contains("install driver 525"), "{error}");
    assert_eq!(Device::count().unwrap_err(), error);
}

#[test]
fn a_driver_without_a_device_is_an_error_with_cudas_name() {
    if !with_driver("simulated::a_driver_without_a_device_is_an_error_with_cudas_name", &["-DNO_DEVICE"]) {
        return;
    }
    let error = Context::new(0).unwrap_err();
    assert_eq!(error, CudaError::NoDevice { name: "CUDA_ERROR_NO_DEVICE".into() });
    assert!(error.is_unavailable() && error.to_string().contains("CUDA_VISIBLE_DEVICES"), "{error}");
}

#[test]
fn a_device_that_is_too_old_is_listed_and_not_opened() {
    if !with_driver("simulated::a_device_that_is_too_old_is_listed_and_not_opened", &["-DCAPABILITY=61"]) {
        return;
    }
    let devices = Device::list().unwrap();
    assert_eq!(devices.iter().map(|device| device.compute_capability).collect::<Vec<_>>(), [(6, 1)]);
    assert!(!devices.iter().any(DeviceInfo::is_supported));
    let error = Context::new(0).unwrap_err();
    assert!(
        matches!(&error, CudaError::DeviceTooOld { found: (6, 1), needed, .. } if *needed == MIN_COMPUTE_CAPABILITY),
        "{error}"
    );
    assert!(error.is_unavailable() && error.to_string().contains("run on CPU cores"), "{error}");
    assert_eq!(Context::new(7).unwrap_err(), CudaError::NoSuchDevice { ordinal: 7, count: 1 });
}
