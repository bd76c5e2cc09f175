//! A driver without a device, for tests on machines with a C compiler: `simulated/driver.c` computes in the host's memory,
//! and runs work as late as possible.

use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = include_str!("simulated/driver.c");
/// Set in a process with a simulated driver.
pub const SIMULATED: &str = "CUDA_SIMULATED_DRIVER";
/// Set in a process that runs a single test.
const ALONE: &str = "CUDA_TEST_ALONE";

/// Whether the device is simulated.
pub fn is_simulated() -> bool {
    std::env::var_os(SIMULATED).is_some()
}

/// Compiles the driver; `None` if there is no C compiler.
pub fn build(name: &str, defines: &[&str]) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("driver-{name}-{}", std::process::id()));
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

/// This program's tests in a separate process.
pub fn process(arguments: &[&str], variables: &[(&str, &str)]) {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).args(["--nocapture", "--test-threads=1"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?} {variables:?}: {}", output.status);
    assert!(!text.contains("running 0 tests"), "no test of this name");
}

/// Whether this process was started for the test `name` alone. If not, starts such a process and asserts that it succeeds.
pub fn in_a_process_of_its_own(name: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(name) {
        return true;
    }
    let all: Vec<_> = variables.iter().copied().chain([(ALONE, name)]).collect();
    process(&["--exact", name], &all);
    false
}

/// As [`in_a_process_of_its_own`], with a driver compiled with `defines`.
pub fn with_driver(name: &str, defines: &[&str]) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(name) {
        return true;
    }
    let Some(folder) = build(&name.replace("::", "-"), defines) else { return false };
    let path = folder.to_str().unwrap();
    let found = in_a_process_of_its_own(name, &[("LD_LIBRARY_PATH", path), (SIMULATED, "1")]);
    std::fs::remove_dir_all(&folder).unwrap();
    found
}
