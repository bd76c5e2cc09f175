//! `run`: programs or tests on a GPU.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::{doctor, programs, tool};

/// Build a crate's program, or the tests that cargo's options choose, and run it on this machine's GPU
///
/// Without a GPU it fails; `--cpu` runs the kernels on CPU cores. `cargo kernel run -- --release --bin waves -- 1000` runs the program
/// `waves` with the argument 1000; `cargo kernel run -- --test sums` the tests in tests/sums.rs.
#[derive(clap::Args)]
pub struct Arguments {
    /// Hide the GPUs from the program: its kernels run on CPU cores
    #[arg(long)]
    cpu: bool,

    #[command(flatten)]
    programs: programs::Selection,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if !arguments.cpu {
        doctor::gpus().map_err(anyhow::Error::msg).context("no GPU can be used; `--cpu` runs kernels on CPU cores")?;
    }
    let chosen = arguments.programs.choose(programs::Fallback::Programs, false)?;
    let mut failed = 0;
    for executable in &chosen.executables {
        let mut command = tool::command(None, executable, &chosen.arguments);
        if arguments.cpu {
            command.env("CUDA_VISIBLE_DEVICES", "-1").env_remove("CUDA_REQUIRE_GPU");
        }
        let code = tool::code(&mut command)?;
        if code != Some(0) {
            failed += 1;
            eprintln!("error: {}: {}", executable.name, tool::ended(code));
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
