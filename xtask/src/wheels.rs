//! `wheels`: the Python package for several systems.

use crate::systems::{self, Systems};
use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

/// Systems of most users.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
/// The C library that the wheels need at least, which is that of the programs for glibc.
const COMPATIBILITY: &str = "manylinux_2_28";

/// Build wheels of the Python package, in target/wheels: one for each system (Linux on x86-64 and aarch64), for all versions of CPython
/// that it supports
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
        command.args(["build", "--release", "--locked", "--zig", "--target", target, "--compatibility", COMPATIBILITY]);
        command.args(["--manifest-path", "python/Cargo.toml", "--out"]).arg(&out);
        systems::start(&mut command)?;
    }
    Ok(ExitCode::SUCCESS)
}
