//! `wheels`: the Python package for several systems.

use crate::systems::{self, Systems};
use crate::workspace;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Systems of most users.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
/// The C library that the wheels need at least, which is that of the programs for glibc.
const COMPATIBILITY: &str = "manylinux_2_28";
/// Whose stable interface later ones have, too.
const OLDEST: &str = "python3.10";
/// Without the global lock. There is no stable interface between it and other versions of its kind.
const FREE_THREADED: &str = "python3.14t";

/// Build wheels of the Python package, in target/wheels: for each system (Linux on x86-64 and aarch64) one for all versions of CPython
/// that it supports, and on Linux one for CPython 3.14 without the global lock. Systems that are not among the usual ones:
/// x86_64-pc-windows-gnu, aarch64-apple-darwin, x86_64-apple-darwin
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    systems: Systems,
}

impl Arguments {
    /// Every wheel, into this folder.
    pub fn all_into(out: PathBuf) -> Self {
        Self { systems: Systems::all_into(out) }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let (targets, out) = arguments.systems.prepare(&root, &TARGETS, "wheels")?;
    for target in &targets {
        let mut command = systems::command(&root, "maturin", target)?;
        command.args(["build", "--release", "--locked", "--zig", "--target", target, "--interpreter", OLDEST]);
        if target.contains("-linux-") {
            command.args(["--interpreter", FREE_THREADED, "--compatibility", COMPATIBILITY]);
        }
        if target.contains("-windows-") {
            export_entry(&root, &mut command, target)?;
        }
        command.args(["--manifest-path", "python/Cargo.toml", "--out"]).arg(&out);
        systems::start(&mut command)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes Python's entry visible in a library for Windows. Linked by Zig, it exports what a list names. The list that maturin 1.16 writes names
/// the module with its package (`PyInit_prism_features._prism`), which is nowhere. Where it cannot write the list, it warns and goes on
/// without.
fn export_entry(root: &Path, command: &mut Command, target: &str) -> Result<()> {
    let in_its_place = systems::below(root).join("maturin/prism_features._prism.def");
    if in_its_place.is_file() {
        fs::remove_file(&in_its_place).with_context(|| format!("cannot remove {}", in_its_place.display()))?;
    }
    fs::create_dir_all(&in_its_place).with_context(|| format!("cannot make {}", in_its_place.display()))?;
    systems::link_with(command, target, "xtask/link/module.def");
    Ok(())
}
