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

/// Runs the tests that read files of the repository. `CUDA_WIDE=1` compiles everything and runs all of them, which takes minutes.
/// External packages come from the builds of this workspace.
#[test]
fn the_toolkit_stands_alone() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let copy = folder.join("toolkit-alone");
    run(Command::new(env!("CARGO_BIN_EXE_xtask")).arg("export-toolkit").arg(&copy));
    let wide = std::env::var("CUDA_WIDE").is_ok_and(|value| value == "1");
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&copy).env("CARGO_TARGET_DIR", folder.parent().expect("the build directory"));
        if !wide {
            // The tests of this workspace build the same kernels for GPUs.
            command.env("CUDA_BUILDER_RUSTC", "no/such/rustc");
        }
        command.args(arguments).arg("--offline");
        run(&mut command)
    };
    if wide {
        cargo(&["test", "--workspace"]);
        return;
    }
    // Always for the whole workspace, so that packages have the same features each time.
    let written = cargo(&["test", "--workspace", "--test", "inputs", "--test", "guide", "--test", "book"]);
    assert!(written.contains("test the_guide_is_a_book ... ok"), "{written}");
}
