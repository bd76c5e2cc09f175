//! The commands of `cargo kernel`, for this program and for the tools of a workspace.
#![deny(unsafe_op_in_unsafe_fn)]

pub mod build;
pub mod bundle;
pub mod debug;
pub mod doctor;
pub mod fuzz;
pub mod new;
pub mod profile;
pub mod programs;
pub mod ptxas;
pub mod run;
pub mod sanitize;
pub mod tool;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// The cargo that runs this program, or else the one on the path.
#[must_use]
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Updates the lock file of a crate, as a build for the host does: builds for the device do not change it.
pub fn lock(directory: &Path) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--format-version", "1"]).current_dir(directory).stdout(Stdio::null());
    let status = cargo.status().context("cargo does not start")?;
    ensure!(status.success(), "{}: its dependencies cannot be resolved", directory.display());
    Ok(())
}

/// Runs a command that must succeed: it is there to do `what`.
pub fn finish(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot {what}: {command:?} does not start"))?;
    ensure!(status.success(), "cannot {what}: {command:?} gave {status}");
    Ok(())
}
