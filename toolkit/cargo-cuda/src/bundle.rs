//! `bundle`: a crate's tests as executables for a GPU machine without Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// Gather the executables of a crate's tests in one folder, with a run.sh that runs them and requires a GPU
///
/// They contain the kernels' PTX, and need only NVIDIA's driver.
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's folder
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// The folder; its content is replaced [default: target/cuda-bundle in the crate's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const SCRIPT_NAME: &str = "run.sh";
const SCRIPT: &str = "#!/bin/sh
# Runs every test here; a test that finds no GPU fails.
cd \"$(dirname \"$0\")\" || exit 1
failed=0
for program in bin/*; do
    echo \"== $program\"
    CUDA_REQUIRE_GPU=1 \"$program\" --test-threads=1 || failed=1
done
exit $failed
";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let out = arguments.out.clone().unwrap_or_else(|| arguments.directory.join("target/cuda-bundle"));
    let programs = tests(&arguments.directory)?;
    ensure!(!programs.is_empty(), "{} has no tests", arguments.directory.display());
    let bin = begin(&out)?;
    for Executable { name, path, .. } in &programs {
        fs::copy(path, bin.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    finish(&out, SCRIPT)?;
    println!("{}: {} programs; copy it and call {SCRIPT_NAME}", out.display(), programs.len());
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder of a bundle, or empties it. Returns its folder of executables.
///
/// # Errors
/// If the folder has something else, or cannot be made.
pub fn begin(out: &Path) -> Result<PathBuf> {
    if out.exists() {
        // Delete only a folder that this function made.
        ensure!(out.join(SCRIPT_NAME).is_file(), "{} is not a bundle; name another folder", out.display());
        fs::remove_dir_all(out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    let bin = out.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("cannot make {}", bin.display()))?;
    Ok(bin)
}

/// Writes the script that runs a bundle.
pub fn finish(out: &Path, text: &str) -> Result<()> {
    let script = out.join(SCRIPT_NAME);
    fs::write(&script, text).with_context(|| format!("cannot write {}", script.display()))?;
    make_executable(&script)
}

/// Lets a file be run.
#[cfg(unix)]
pub fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))
}

/// Nothing needs to be marked here.
#[cfg(not(unix))]
pub fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// The names and executables of a crate's tests, built like a release.
fn tests(directory: &Path) -> Result<Vec<Executable>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--release", "--no-run", "--lib", "--tests", "--message-format", "json-render-diagnostics"]);
    let output = cargo.current_dir(directory).stderr(Stdio::inherit()).output().context("cargo does not start")?;
    ensure!(output.status.success(), "the tests of {} do not compile", directory.display());
    Ok(executables(&String::from_utf8_lossy(&output.stdout)))
}

/// An executable with tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Executable {
    pub name: String,
    pub path: PathBuf,
    /// Its package's folder, in which cargo runs it.
    pub folder: PathBuf,
}

/// The executables with tests in cargo's messages. (Programs that tests call are in them, too.)
pub(crate) fn executables(messages: &str) -> Vec<Executable> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = |message: Value| {
        let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let name = message["target"]["name"].as_str()?;
        Some(Executable { name: name.to_owned(), path: path.into(), folder: folder.to_owned() })
    };
    let mut found: Vec<Executable> = messages.filter_map(program).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::{Executable, executables};

    #[test]
    fn programs_are_found_in_cargos_messages() {
        let message = |name: &str, executable: &str, is_test: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/k/Cargo.toml\",\"target\":{{\"name\":\"{name}\"}},\
                 \"profile\":{{\"test\":{is_test}}},\"executable\":{executable}}}\n"
            )
        };
        let messages = message("waves", "null", true) + &message("saxpy", "\"/t/saxpy-1\"", true);
        let messages = messages + &message("program", "\"/t/program\"", false) + "not a message\n";
        let found = executables(&(messages + "{\"reason\":\"build-finished\",\"success\":true}\n"));
        assert_eq!(found, [Executable { name: "saxpy".to_owned(), path: "/t/saxpy-1".into(), folder: "/k".into() }]);
    }
}
