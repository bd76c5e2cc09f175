//! `bundle`: a crate's tests and programs as executables for a GPU machine without Rust.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};

use crate::programs::{Fallback, Options};

/// Gather the executables of a crate's tests in one folder, with a run.sh that runs them and requires a GPU
///
/// They contain the kernels' PTX, and need only NVIDIA's driver. `run.sh sanitize`, `profile`, `debug`, `fuzz` and `run` do there what
/// `cargo kernel` does with the same word and options. `cargo kernel bundle --line-info -- --tests --bin waves` also gathers the program
/// `waves`, and kernels that build scripts compile have line information for the profiler and the debugger.
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's folder
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// The folder; its content is replaced [default: target/cuda-bundle in the crate's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Include line information for profilers and debuggers
    #[arg(long)]
    line_info: bool,

    /// Cargo's options, which choose the executables (`--tests`, `--test NAME`, `--bin NAME`, `--example NAME`) [default: --lib --tests]
    #[arg(last = true)]
    arguments: Vec<String>,
}

const SCRIPT_NAME: &str = "run.sh";
const SCRIPT: &str = "#!/bin/sh
# Runs every executable here on this machine's GPU; a test that finds none fails.
#
#     ./run.sh [COMMAND [OPTIONS] [-- [--test NAME]... [-- ARGUMENTS]]]
#
# COMMAND is run, sanitize, profile, debug or fuzz of `cargo kernel` (`./run.sh COMMAND --help`). `--test NAME`, or `--bin NAME`, takes only
# the executable bin/NAME.
cd \"$(dirname \"$0\")\" || exit 1
command=${1:-run}
[ $# -eq 0 ] || shift
exec ./cargo-kernel \"$command\" --bundle . \"$@\"
";
/// The file in a bundle that is this program, for `run.sh`.
const PROGRAM: &str = "cargo-kernel";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let out = arguments.out.clone().unwrap_or_else(|| arguments.directory.join("target/cuda-bundle"));
    let default = ["--lib".to_owned(), "--tests".to_owned()];
    let given = if arguments.arguments.is_empty() { &default[..] } else { &arguments.arguments };
    let options = Options::parse(given).with("--release");
    let executables = options.build(&arguments.directory, Fallback::Tests, arguments.line_info)?;
    let bin = begin(&out)?;
    let mut names = BTreeSet::new();
    for executable in &executables {
        // A library and a program of it may have one name.
        let mut name = executable.name.clone();
        while !names.insert(name.clone()) {
            name.push('_');
        }
        copy(&executable.path, &bin.join(name))?;
    }
    copy(&env::current_exe().context("this program has no path")?, &out.join(PROGRAM))?;
    finish(&out, SCRIPT)?;
    println!("{}: {} executables; copy it and call {SCRIPT_NAME}", out.display(), executables.len());
    Ok(ExitCode::SUCCESS)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    make_executable(to)
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
