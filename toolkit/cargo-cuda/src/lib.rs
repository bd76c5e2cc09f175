//! The commands of `cargo cuda`, for this program and for the tools of a workspace.
#![deny(unsafe_op_in_unsafe_fn)]

pub mod build;
pub mod bundle;
pub mod doctor;
pub mod new;
pub mod ptxas;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Brings the lock file of a crate up to date, as any build of it would: builds for the device take it as it is.
///
/// # Errors
/// Cargo says why it cannot.
pub fn lock(directory: &Path) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1"]).current_dir(directory).stdout(Stdio::null());
    let status = cargo.status().context("cargo does not start")?;
    ensure!(status.success(), "{}: its dependencies cannot be resolved", directory.display());
    Ok(())
}
