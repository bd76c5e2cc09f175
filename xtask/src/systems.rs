//! Builds for other systems: what `dist` and `wheels` share.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use cargo_kernel::finish;

/// The tools that build for other systems, from the Python index: cargo with Zig's compiler and C libraries, and the builder of wheels.
/// Their versions are fixed so that builds can be repeated.
const BUILDER: [&str; 3] = ["cargo-zigbuild==0.24.0", "ziglang==0.15.2", "maturin==1.16.0"];

/// For which systems, and where
#[derive(clap::Args)]
pub struct Systems {
    /// Only for this system (repeatable) [default: all that are named above]
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,

    /// Where the files go [default: the command's folder in target]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Install cargo-zigbuild, maturin and Zig from the Python index into target/zig first, and the targets through rustup
    #[arg(long)]
    install: bool,
}

impl Systems {
    /// All systems, into this folder, after what it takes is installed.
    pub fn all_into(out: PathBuf) -> Self {
        Self { targets: Vec::new(), out: Some(out), install: true }
    }

    /// Installs the tools if that was asked for, and makes the folder, which is `target/FOLDER` if none was named. Returns the
    /// systems, which are `all` if none was named, and the folder.
    pub fn prepare(&self, root: &Path, all: &[&str], folder: &str) -> Result<(Vec<String>, PathBuf)> {
        let all = || all.iter().map(|&target| target.to_owned()).collect();
        let targets = if self.targets.is_empty() { all() } else { self.targets.clone() };
        if self.install {
            install(&tools(root), &targets)?;
        }
        let out = self.out.clone().unwrap_or_else(|| root.join("target").join(folder));
        fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
        Ok((targets, out))
    }
}

/// Runs a tool to its end.
pub fn start(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {:?}; the option --install installs it", command.get_program()))?;
    ensure!(status.success(), "{command:?} gave {status}; `--install` adds targets that are missing");
    Ok(())
}

/// A triple without the version of its C library.
pub fn triple(target: &str) -> &str {
    target.split('.').next().unwrap_or(target)
}

/// The environment of the tools.
fn tools(root: &Path) -> PathBuf {
    root.join("target/zig")
}

/// Installs the tools, and what the toolchain needs for some systems.
fn install(tools: &Path, targets: &[String]) -> Result<()> {
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(tools);
    finish(&mut environment, "make a Python environment (on Debian it takes the package python3-venv)")?;
    let mut pip = Command::new(tools.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(BUILDER);
    finish(&mut pip, "install cargo-zigbuild, Zig and maturin from the Python index")?;
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add"]).args(targets.iter().map(|target| triple(target)));
    finish(&mut rustup, "add the targets to the toolchain")
}

/// Where builds for other systems lie.
pub fn below(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("zigbuild")
}

/// A tool that builds for a system.
pub fn command(root: &Path, tool: &str, target: &str) -> Result<Command> {
    let tools = tools(root);
    let installed = tools.join("bin").join(tool);
    let mut command = Command::new(if installed.is_file() { installed.as_os_str() } else { tool.as_ref() });
    command.current_dir(root).env("CARGO_TARGET_DIR", below(root));
    if target.starts_with("x86_64-") {
        // Zig disables the 512-bit vectors, which a decompressor's C code would choose at run time.
        command.env(format!("CFLAGS_{}", triple(target).replace('-', "_")), "-mevex512");
    }
    if target.contains("-apple-") {
        // Zig has names of macOS's C library alone.
        link_with(&mut command, target, "-Fxtask/link");
    }
    // It takes Zig from the Python that is first on the path.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [tools.join("bin")].into_iter().chain(std::env::split_paths(&path));
    command.env(
        "PATH",
        std::env::join_paths(path).context("a folder of PATH, or the workspace's, has a name that no path takes")?,
    );
    Ok(command)
}

/// Hands the linker an argument. Paths begin at the workspace's root.
pub fn link_with(command: &mut Command, target: &str, argument: &str) {
    let variable = triple(target).replace('-', "_").to_uppercase();
    command.env(format!("CARGO_TARGET_{variable}_RUSTFLAGS"), format!("-C link-arg={argument}"));
}

#[cfg(test)]
mod tests {
    use super::{Systems, triple};

    #[test]
    fn a_version_of_a_c_library_is_no_part_of_a_triple() {
        assert_eq!(triple("x86_64-unknown-linux-gnu.2.28"), "x86_64-unknown-linux-gnu");
    }

    #[test]
    fn systems_are_those_that_are_named_or_all() {
        let folder = tempfile::tempdir().unwrap();
        let of = |targets: &[&str]| {
            let targets = targets.iter().map(|&target| target.to_owned()).collect();
            let arguments = Systems { targets, out: None, install: false };
            arguments.prepare(folder.path(), &["a", "b"], "dist").unwrap()
        };
        let out = folder.path().join("target/dist");
        assert_eq!(of(&[]), (vec!["a".to_owned(), "b".to_owned()], out.clone()));
        assert_eq!(of(&["c"]), (vec!["c".to_owned()], out.clone()));
        assert!(out.is_dir());
    }
}
