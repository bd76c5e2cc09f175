//! `package`: everything that a release publishes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use cargo_kernel::finish;

use crate::{dist, sbom, wheels, workspace};

/// The published packages, each after those that it needs.
const PACKAGES: [&str; 18] = [
    "cuda_layout_derive",
    "cuda_layout",
    "cuda_std_macros",
    "cuda_std",
    "cuda_ptx",
    "cuda_builder",
    "cargo-kernel",
    "cuda_host",
    "cuda_algorithms",
    "cuda_python",
    "shared-types",
    "kernels-gpu",
    "prism-read",
    "prism-trajectory",
    "prism-engine",
    "prism-complexes",
    "prism-io",
    "prism-host",
];

/// Make a release's files: the crates' archives, built from these archives alone, programs for Linux, the Python wheels, and the
/// list of components
#[derive(clap::Args)]
pub struct Arguments {
    /// Where the files go [default: target/release-VERSION below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Only the crates' archives
    #[arg(long)]
    crates_only: bool,

    /// Take sources that are not committed
    #[arg(long)]
    allow_dirty: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let version = env!("CARGO_PKG_VERSION");
    let out = arguments.out.clone().unwrap_or_else(|| root.join(format!("target/release-{version}")));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    crates(&root, &out, version, arguments.allow_dirty)?;
    if !arguments.crates_only {
        dist::run(&dist::Arguments::all_into(out.clone()))?;
        wheels::run(&wheels::Arguments::all_into(out.clone()))?;
        sbom::run(&sbom::Arguments::into_file(out.join("components.cdx.json")))?;
    }
    println!("{}: all files of version {version}", out.display());
    Ok(ExitCode::SUCCESS)
}

/// Packs the crates, and builds them from their archives: what an archive lacks is found here, and not by its first user.
fn crates(root: &Path, out: &Path, version: &str, allow_dirty: bool) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    // They are verified below, because cargo does not verify packages that need each other and are not published.
    cargo.current_dir(root).args(["package", "--no-verify", "--exclude-lockfile"]);
    cargo.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    cargo.args(allow_dirty.then_some("--allow-dirty"));
    finish(&mut cargo, "pack the crates")?;

    let unpacked = out.join("unpacked");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).with_context(|| format!("cannot remove {}", unpacked.display()))?;
    }
    fs::create_dir_all(&unpacked)?;
    let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n\n[patch.crates-io]\n");
    for package in PACKAGES {
        let name = format!("{package}-{version}");
        let archive = out.join(format!("{name}.crate"));
        let packed = root.join("target/package").join(format!("{name}.crate"));
        fs::copy(&packed, &archive).with_context(|| format!("cannot copy {}", packed.display()))?;
        finish(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&unpacked), "unpack an archive")?;
        writeln!(manifest, "{package} = {{ path = \"{name}\" }}")?;
    }
    fs::write(unpacked.join("Cargo.toml"), manifest)?;
    // The toolchain is that of the workspace, wherever the files go.
    for file in ["Cargo.lock", "rust-toolchain.toml"] {
        fs::copy(root.join(file), unpacked.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    let mut check = Command::new(env!("CARGO"));
    check.current_dir(&unpacked).args(["check", "--workspace", "--lib", "--bins"]);
    check.env("CARGO_TARGET_DIR", root.join("target/package/check"));
    finish(&mut check, "build the crates from their archives")?;
    fs::remove_dir_all(&unpacked)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_package_that_another_needs() -> Result<()> {
        let root = workspace::root()?;
        for package in PACKAGES {
            let output = Command::new(env!("CARGO"))
                .current_dir(&root)
                .args([
                    "tree",
                    "--offline",
                    "--edges",
                    "normal,build",
                    "--depth",
                    "1",
                    "--prefix",
                    "none",
                    "--package",
                    package,
                ])
                .output()?;
            let tree = String::from_utf8(output.stdout)?;
            for line in tree.lines().skip(1).filter(|line| line.contains(&*root.to_string_lossy())) {
                let name = line.split(' ').next().expect("a name");
                let position = |name: &str| PACKAGES.iter().position(|package| *package == name);
                assert!(
                    position(name).is_some_and(|of| Some(of) < position(package)),
                    "{package} needs {name} before it"
                );
            }
        }
        Ok(())
    }
}
