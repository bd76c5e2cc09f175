//! `wheels`: the Python package for several systems.

use crate::{dist, workspace};
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Systems of most users.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
/// The C library that the wheels need at least, which is that of the programs for glibc.
const COMPATIBILITY: &str = "manylinux_2_28";

/// Build wheels of the Python package: one for each system, for all versions of CPython that it supports
#[derive(clap::Args)]
pub struct Arguments {
    /// Only for this system (repeatable)
    #[arg(long = "target", value_name = "TRIPLE", default_values = TARGETS)]
    targets: Vec<String>,

    /// Where the wheels go [default: target/wheels below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Install maturin and Zig from the Python index into target/zig first, and the targets through rustup
    #[arg(long)]
    install: bool,
}

impl Arguments {
    /// Every wheel, into this folder, by tools that are installed.
    pub fn all_into(out: PathBuf) -> Self {
        Arguments { targets: TARGETS.map(str::to_owned).to_vec(), out: Some(out), install: false }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let tools = dist::tools(&root);
    if arguments.install {
        dist::install(&tools, &arguments.targets)?;
    }
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/wheels"));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    for target in &arguments.targets {
        build(&root, &tools, target, &out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn build(root: &Path, tools: &Path, target: &str, out: &Path) -> Result<()> {
    let mut command = dist::command(root, tools, "maturin", target)?;
    command.args(["build", "--release", "--locked", "--zig", "--target", target, "--compatibility", COMPATIBILITY]);
    command.args(["--manifest-path", "python/Cargo.toml", "--out"]).arg(out);
    start(&mut command)
}

fn start(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| {
        format!("cannot start {:?}; `cargo xtask wheels --install` installs it", command.get_program())
    })?;
    ensure!(status.success(), "{command:?} gave {status}; `--install` adds targets that are missing");
    Ok(())
}
