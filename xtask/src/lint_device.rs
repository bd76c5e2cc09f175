//! `lint-device`: clippy and rustdoc over what only the device compiles.

use std::process::ExitCode;

use anyhow::Result;
use cuda_builder::CudaBuilder;

use crate::workspace::{self, KernelCrate};

/// Run clippy and rustdoc over the kernels as the device compiles them; warnings are errors
#[derive(clap::Args)]
pub struct Arguments {
    /// Only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let mut status = ExitCode::SUCCESS;
    for kernels in KernelCrate::chosen(&arguments.crates) {
        match CudaBuilder::new(root.join(kernels.directory())).lint() {
            Ok(()) => println!("{}: clippy and rustdoc find nothing for the device", kernels.directory()),
            Err(error) => {
                eprintln!("error: {}: {:#}", kernels.directory(), anyhow::Error::from(error));
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}
