//! `cargo kernel`: everything around a crate of kernels.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use cargo_kernel::{build, bundle, debug, doctor, fuzz, new, profile, ptxas, run, sanitize};
use clap::{Parser, Subcommand};
use cuda_builder::{CudaBuilder, NvvmArch};

/// Crates of GPU kernels: create one, build its PTX, measure its kernels, run it, check it with the sanitizer, profile and debug it, bundle
/// its tests for a machine with a GPU, run them under many schedules
#[derive(Parser)]
#[command(bin_name = "cargo kernel", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    New(new::Arguments),
    Build(build::Arguments),
    /// Run clippy and rustdoc on a crate's kernels as the device compiles them; warnings are errors
    Check {
        /// The crate's folder
        #[arg(default_value = ".")]
        directory: PathBuf,

        /// The GPU architecture, on which code may depend (repeatable)
        #[arg(long, value_name = "ARCH", default_value = "sm_75")]
        arch: Vec<NvvmArch>,
    },
    Ptxas(ptxas::Arguments),
    Run(run::Arguments),
    Sanitize(sanitize::Arguments),
    Profile(profile::Arguments),
    Debug(debug::Arguments),
    Bundle(bundle::Arguments),
    Fuzz(fuzz::Arguments),
    /// Report what this machine can build and run, and how to install what is missing; succeeds if it can build PTX
    Doctor {
        /// A crate's folder, which decides the toolchain
        #[arg(default_value = ".")]
        directory: PathBuf,
    },
}

fn main() -> ExitCode {
    // Cargo calls `cargo-kernel kernel ..`; users may call `cargo-kernel ..`.
    let mut arguments: Vec<_> = env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "kernel") {
        arguments.remove(1);
    }
    match perform(Arguments::parse_from(arguments).command) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(command: Command) -> Result<ExitCode> {
    match command {
        Command::New(arguments) => new::run(&arguments),
        Command::Build(arguments) => build::run(&arguments),
        Command::Check { directory, arch } => {
            cargo_kernel::lock(&directory)?;
            for arch in arch {
                CudaBuilder::new(&directory).arch(arch).lint()?;
                println!("{}: no warnings from clippy and rustdoc for {arch}", directory.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Ptxas(arguments) => ptxas::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Sanitize(arguments) => sanitize::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Debug(arguments) => debug::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
        Command::Doctor { directory } => {
            let is_there = doctor::run(&directory, &ptxas::default_directory(&directory), "cargo kernel")?;
            Ok(if is_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
