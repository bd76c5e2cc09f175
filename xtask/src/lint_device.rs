//! `lint-device`: clippy and rustdoc for code that only the device compiles.

use std::process::ExitCode;

use anyhow::Result;
use cuda_builder::{CudaBuilder, NvvmArch};

use crate::workspace::{self, KernelCrate};

/// Kernels whose PTX is not committed, and the chips on which their code and the toolkit's depends: tensor cores, and those of Hopper's
/// warpgroups.
const ALSO: (&str, [NvvmArch; 2]) = ("toolkit/tests/tensor/kernels", [NvvmArch::Compute80, NvvmArch::Compute90a]);

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
    let chosen = KernelCrate::chosen(&arguments.crates).iter();
    let mut crates: Vec<_> = chosen.map(|kernels| (kernels.directory(), NvvmArch::default())).collect();
    if arguments.crates.is_empty() {
        crates.extend(ALSO.1.map(|arch| (ALSO.0, arch)));
    }
    for (directory, arch) in crates {
        match CudaBuilder::new(root.join(directory)).arch(arch).lint() {
            Ok(()) => println!("{directory}: no warnings from clippy and rustdoc for {arch}"),
            Err(error) => {
                eprintln!("error: {directory} for {arch}: {:#}", anyhow::Error::from(error));
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}
