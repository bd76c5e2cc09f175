//! `debug`: a program under cuda-gdb.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::{programs, tool};

/// Start a crate's program, or a test, in cuda-gdb
///
/// Build scripts compile the kernels with line information, so the debugger shows the line of a kernel at which a thread stops. Variables
/// of kernels are not there, since kernels are optimised. `cargo kernel debug --kernel saxpy -- --test saxpy -- gpu` stops where the kernel `saxpy`
/// begins.
#[derive(clap::Args)]
pub struct Arguments {
    /// Stop where this kernel begins (repeatable)
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,

    /// Run this command of the debugger first (repeatable), before others
    #[arg(long = "command", value_name = "COMMAND")]
    commands: Vec<String>,

    /// Run the commands and the program, and end: for scripts
    #[arg(long)]
    batch: bool,

    #[command(flatten)]
    programs: programs::Selection,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let debugger = tool::DEBUGGER.find()?;
    let chosen = arguments.programs.choose(programs::Fallback::Programs, true)?;
    let (executable, own) = chosen.only()?;
    let command = tool::command(Some((&debugger, &options(arguments))), &executable, &own);
    replaced_by(command)
}

/// The debugger's options.
fn options(arguments: &Arguments) -> Vec<String> {
    let mut options = Vec::new();
    if arguments.batch {
        options.push("-batch".to_owned());
    }
    let mut run = |command: String| options.extend(["-ex".to_owned(), command]);
    arguments.commands.iter().cloned().for_each(&mut run);
    if !arguments.kernel.is_empty() {
        // Kernels are loaded while the program runs.
        run("set breakpoint pending on".to_owned());
    }
    arguments.kernel.iter().map(|kernel| format!("break {kernel}")).for_each(&mut run);
    if arguments.batch {
        run("run".to_owned());
    }
    options.push("--args".to_owned());
    options
}

/// Runs a command in place of this program, so that it alone gets the terminal's signals.
#[cfg(unix)]
fn replaced_by(mut command: Command) -> Result<ExitCode> {
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    Err(error).with_context(|| format!("{command:?} does not start"))
}

#[cfg(not(unix))]
fn replaced_by(mut command: Command) -> Result<ExitCode> {
    let code = tool::code(&mut command)?;
    Ok(if code == Some(0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
