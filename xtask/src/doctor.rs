//! `doctor`: what this machine can build and run, and how to install what is missing.

use std::process::ExitCode;

use anyhow::Result;
use cargo_kernel::{doctor, ptxas};

use crate::workspace::{self, KernelCrate};

/// Runs the command. Succeeds if the PTX can be built here.
pub fn run() -> Result<ExitCode> {
    let root = workspace::root()?;
    let kernels = root.join(KernelCrate::KernelsGpu.directory());
    let is_there = doctor::run(&kernels, &ptxas::default_directory(&root), "cargo xtask")?;
    println!("The committed PTX needs none of this; tests and the CPU backend need only the host compiler.");
    Ok(if is_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
