//! `doctor`: what this machine can build and run, and the command for what is missing.

use std::process::ExitCode;

use anyhow::Result;
use cargo_cuda::{doctor, ptxas};

use crate::workspace::{self, KernelCrate};

/// Runs the command. Success means that the PTX can be built here.
pub fn run() -> Result<ExitCode> {
    let root = workspace::root()?;
    let kernels = root.join(KernelCrate::KernelsGpu.directory());
    let is_there = doctor::run(&kernels, &ptxas::default_directory(&root), "cargo xtask")?;
    println!("The committed PTX needs none of it; tests and the CPU backend need the host compiler only.");
    Ok(if is_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
