//! `fuzz-bundle`: builds the fuzz targets with coverage instrumentation, and gathers them with their corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::gpu_bundle::{copy_folder, size};
use crate::workspace;
use cargo_kernel::bundle;

/// Build the fuzz targets, and gather them with corpus, dictionaries and a run.sh in one folder
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder; its content is replaced [default: target/fuzz-bundle below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Makes the compiler count the code that is reached, and report comparisons to the fuzzer. The stable compiler has these
/// flags, too.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg=fuzzing -Cstrip=debuginfo";

/// In the workspace's Cargo.toml.
const PROFILE: &str = "fuzz";

const SCRIPT: &str = include_str!("../bundle/fuzz.sh");

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/fuzz-bundle"));
    let package = root.join("fuzz");
    let built = build(&root)?;
    let bin = bundle::begin(&out)?;
    let targets = targets(&package)?;
    for target in &targets {
        let (from, to) = (built.join(target), bin.join(target));
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        bundle::make_executable(&to)?;
    }
    for folder in ["corpus", "dictionaries"] {
        copy_folder(&package.join(folder), &out.join(folder))?;
    }
    bundle::finish(&out, SCRIPT)?;
    let mib = size(&out)? as f64 / f64::from(1 << 20);
    println!("{}: {} targets, {mib:.1} MiB", out.display(), targets.len());
    Ok(ExitCode::SUCCESS)
}

/// The names of all targets.
fn targets(package: &Path) -> Result<Vec<String>> {
    let folder = package.join("fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds all targets. Returns their folder.
fn build(root: &Path) -> Result<PathBuf> {
    let rustc = Command::new("rustc").arg("-vV").output().context("cannot ask rustc for its host")?;
    let version = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc reports no host")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz");
    let mut command = cargo_kernel::cargo();
    // With an explicit target, build scripts are built without the flags.
    command.current_dir(root).args(["build", "--profile", PROFILE, "--locked", "--package", "prism-fuzz", "--bins"]);
    command.args(["--features", "libfuzzer", "--target", host]);
    command.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", &target);
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} gave {status}; libFuzzer needs a C++ compiler");
    Ok(target.join(host).join(PROFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_declared_and_has_something_to_begin_from() {
        let package = workspace::root().unwrap().join("fuzz");
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let targets = targets(&package).unwrap();
        assert!(targets.len() >= 18, "{targets:?}");
        for target in targets {
            assert!(
                manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")),
                "{target} is not in Cargo.toml"
            );
            let corpus = package.join("corpus").join(&target);
            assert!(
                fs::read_dir(&corpus).is_ok_and(|mut files| files.next().is_some()),
                "{} is empty",
                corpus.display()
            );
        }
    }
}
