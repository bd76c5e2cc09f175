//! `lint-device`: clippy and rustdoc for code that only the device compiles.

use std::process::ExitCode;

use anyhow::Result;
use cuda_builder::CudaBuilder;

use crate::workspace::{self, KernelCrate};

/// Run clippy and rustdoc on the kernels as the device compiles them; warnings are errors
#[derive(clap::Args)]
pub struct Arguments {
    /// Check only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let mut status = ExitCode::SUCCESS;
    for kernels in KernelCrate::chosen(&arguments.crates) {
        match CudaBuilder::new(root.join(kernels.directory())).lint() {
            Ok(()) => println!("{}: no warnings from clippy and rustdoc for the device", kernels.directory()),
            Err(error) => {
                eprintln!("error: {}: {:#}", kernels.directory(), anyhow::Error::from(error));
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}
