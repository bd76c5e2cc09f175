//! These tests on a driver that has no device, where there is a C compiler: `simulated/driver.c` computes in the host's
//! memory, and runs work as late as it may. And drivers that are of no use.

use cuda_host::{Context, CudaError, Device, DeviceInfo, MIN_COMPUTE_CAPABILITY};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("simulated/driver.c");
/// Set in a process that has a simulated driver.
const SIMULATED: &str = "PRISM_SIMULATED_DRIVER";
/// Set in a process that runs one test.
const ALONE: &str = "PRISM_TEST_ALONE";

/// Whether the device is a simulated one.
pub(crate) fn is_simulated() -> bool {
    std::env::var_os(SIMULATED).is_some()
}

/// Compiles the driver; `None` where there is no C compiler.
fn build(name: &str, defines: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("driver-{name}-{}", std::process::id()));
    // The directory that cargo had may be on another machine.
    let folder = match std::fs::create_dir_all(&folder) {
        Ok(()) => folder,
        Err(_) => std::env::temp_dir().join(format!("driver-{name}-{}", std::process::id())),
    };
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("driver.c");
    std::fs::write(&source, SOURCE).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-Wl,-soname,libcuda.so", "-o"]);
    let compiled =
        compiler.arg(folder.join("libcuda.so")).args(defines).arg(&source).args(["-lm", "-lpthread"]).output();
    match compiled {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(folder)
        }
        Err(error) => {
            println!("skipped: no C compiler for a simulated driver (cc: {error})");
            None
        }
    }
}

/// This program's tests in a process of their own.
fn process(arguments: &[&str], variables: &[(&str, &str)]) {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).args(["--nocapture", "--test-threads=1"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?} {variables:?}: {}", output.status);
    assert!(!text.contains("running 0 tests"), "no test of this name");
}

/// Whether this process was started for the test `name` alone. If not, starts that one, and asserts that it goes well.
pub(crate) fn in_a_process_of_its_own(name: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(name) {
        return true;
    }
    let all: Vec<_> = variables.iter().copied().chain([(ALONE, name)]).collect();
    process(&["--exact", name], &all);
    false
}

/// As [`in_a_process_of_its_own`], with a driver compiled so.
pub(crate) fn with_driver(name: &str, defines: &[&str]) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(name) {
        return true;
    }
    let Some(folder) = build(&name.replace("::", "-"), defines) else { return false };
    let path = folder.to_str().unwrap();
    let found = in_a_process_of_its_own(name, &[("LD_LIBRARY_PATH", path), (SIMULATED, "1")]);
    std::fs::remove_dir_all(&folder).unwrap();
    found
}

#[test]
fn the_order_of_work_holds_on_a_driver_that_does_nothing_before_it_must() {
    if is_simulated() {
        return;
    }
    let Some(folder) = build("late", &[]) else { return };
    let variables = [("LD_LIBRARY_PATH", folder.to_str().unwrap()), (SIMULATED, "1"), ("PRISM_REQUIRE_GPU", "1")];
    process(&["pools::", "staging::", "graphs::", "programs::", "faults::", "visible::"], &variables);
    std::fs::remove_dir_all(&folder).unwrap();
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
