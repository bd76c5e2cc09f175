//! `ptxas`: compares the resources of the committed kernels on each chip with their budgets.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use cargo_kernel::ptxas::{self, Judged, Kernels};
use cuda_builder::NvvmArch;

use crate::workspace::{self, KernelCrate, KernelPackage};

/// Assemble the committed PTX and compare registers, stack, spills, shared memory, barriers and checks with budget.toml
#[derive(clap::Args)]
pub struct Arguments {
    /// The chips, separated by commas
    #[arg(long, value_name = "ARCH", value_delimiter = ',', default_value = "sm_75,sm_80,sm_86,sm_90,sm_100,sm_120")]
    arch: Vec<NvvmArch>,

    /// Only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,

    /// The kernel crate in DIR, inside or outside of this workspace (repeatable): it is built, and compared with its
    /// budget.toml if it has one
    #[arg(long = "directory", value_name = "DIR")]
    directories: Vec<PathBuf>,

    /// Write the measured values as the new budget. A spill remains a failure
    #[arg(long)]
    write_budget: bool,

    /// Write spills into the new budget, too, so that they are no failures
    #[arg(long, requires = "write_budget")]
    allow_spills: bool,

    /// Install the assembler from the Python index into DIR first (the workspace's target/ptxas if DIR is left out)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    install: Option<Option<PathBuf>>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let install = arguments.install.as_ref().map(Option::as_deref);
    let assembler = ptxas::find(&root, install, "cargo xtask")?;
    let judged = Judged::by(arguments.write_budget, arguments.allow_spills);
    let mut failures = 0;
    for package in KernelPackage::chosen(&root, &arguments.crates, &arguments.directories) {
        let name = package.name(&root).to_string();
        let kernels = Kernels {
            name: &name,
            directory: &package.directory,
            is_built: package.is_ours,
            needs_budget: package.is_ours,
        };
        match ptxas::measure(&kernels, &assembler, &arguments.arch, judged) {
            Ok(found) => failures += found,
            Err(error) => {
                eprintln!("error: {name}: {error:#}");
                failures += 1;
            }
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
