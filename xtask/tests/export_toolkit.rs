//! The toolkit builds and passes its tests without the rest of this repository.

use std::path::Path;
use std::process::Command;

/// Runs a command and returns its output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let written = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{written}", output.status);
    written
}

/// The copy's packages need nothing outside of it. With `CUDA_WIDE=1` all of them are built, and their tests pass, which takes minutes.
/// External packages come from the builds of this workspace.
#[test]
fn the_toolkit_stands_alone() {
    // Not in the build directory: the compiler's messages about wrong kernels name their files relative to neither.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("toolkit-alone");
    let builds = Path::new(env!("CARGO_TARGET_TMPDIR"));
    run(Command::new(env!("CARGO_BIN_EXE_xtask")).arg("export-toolkit").arg(&copy));
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&copy).env("CARGO_TARGET_DIR", builds.parent().expect("the build directory"));
        // The tests that take all numbers take hours.
        command.env_remove("CUDA_WIDE");
        run(command.args(arguments).arg("--offline"))
    };
    if std::env::var("CUDA_WIDE").is_ok_and(|value| value == "1") {
        cargo(&["test", "--workspace"]);
        return;
    }
    let resolved = cargo(&["metadata", "--format-version", "1"]);
    let inside = format!("{}/", copy.canonicalize().unwrap().display());
    let packages: Vec<_> = resolved.split("path+file://").skip(1).collect();
    assert!(!packages.is_empty(), "{resolved}");
    for package in packages {
        assert!(package.starts_with(&inside), "{}", package.split('"').next().unwrap_or_default());
    }
}
