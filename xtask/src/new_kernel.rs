//! `new-kernel`: a crate for kernels that builds its PTX and tests itself from the first moment on.

mod manifest;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use cargo_cuda::new::{FILES, MANIFEST_ALONE, check_vacant, name, resolved, with_toolkit, write_files};

use crate::workspace;

/// Make a crate with a first kernel, its tests, and a build script that compiles it to PTX
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's name, in snake case
    name: String,

    /// Its folder, in place of kernels/NAME in this workspace. Outside of the workspace the crate stands alone
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,

    /// Where a crate that stands alone takes the toolkit from: this repository, in place of the folder of this workspace
    #[arg(long, value_name = "URL", requires = "dir")]
    git: Option<String>,
}

/// What a crate that stands alone has besides: the toolchain whose library sources are looked for, and a style.
const FILES_ALONE: &[(&str, &str)] = &[
    (".gitignore", "/target/\n"),
    ("rust-toolchain.toml", include_str!("../../rust-toolchain.toml")),
    ("rustfmt.toml", include_str!("../../rustfmt.toml")),
];

const MANIFEST_IN_WORKSPACE: &str = include_str!("../../toolkit/templates/kernel/Cargo.workspace.toml");

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let name = arguments.name.as_str();
    let lock_path = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock_path)
        .with_context(|| format!("cannot read {}; `cargo generate-lockfile` makes it", lock_path.display()))?;
    name::check(name)?;
    name::check_free(name, &lock).with_context(|| format!("`{name}` cannot be the crate's name"))?;

    let wanted = arguments.dir.clone().unwrap_or_else(|| root.join("kernels").join(name));
    let directory = resolved(&wanted)?;
    check_vacant(&directory)?;
    match directory.strip_prefix(&root) {
        Ok(inside) => {
            ensure!(
                arguments.git.is_none(),
                "{} is in this workspace, where --git has no meaning; leave it out, or choose a folder outside of {}",
                directory.display(),
                root.display()
            );
            in_workspace(&root, inside, name)?;
        }
        Err(_) => alone(&root, &directory, name, arguments.git.as_deref(), &lock)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A new member of this workspace.
fn in_workspace(root: &Path, inside: &Path, name: &str) -> Result<()> {
    let directory = root.join(inside);
    let path = root.join("Cargo.toml");
    let old = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let member = inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    // Before anything is written: what cannot be added should leave nothing behind.
    let new = manifest::with_member(&old, &member, name)
        .with_context(|| format!("{}: cannot add the member `{member}`", path.display()))?;
    let manifest = [("Cargo.toml", MANIFEST_IN_WORKSPACE)];
    write_files(&directory, name, manifest.iter().chain(FILES))?;
    fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}: made, and a member of the workspace", directory.display());
    println!("Next: cargo test -p {name}");
    Ok(())
}

/// A crate of its own, elsewhere.
fn alone(root: &Path, directory: &Path, name: &str, git: Option<&str>, lock: &str) -> Result<()> {
    let manifest = with_toolkit(MANIFEST_ALONE, |package| match git {
        Some(url) => ("git", url.to_owned()),
        None => ("path", root.join("toolkit").join(package).display().to_string()),
    });
    // The versions that this workspace is tested with; cargo takes out what this crate does not need.
    let own = [("Cargo.toml", manifest.as_str()), ("Cargo.lock", lock)];
    write_files(directory, name, own.iter().chain(FILES).chain(FILES_ALONE))?;
    println!("{}: made, a crate of its own", directory.display());
    println!("Next: cd {} && cargo test", directory.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_besides_is_text() {
        for (file, text) in FILES_ALONE {
            assert!(text.ends_with('\n') && !text.contains('\r'), "{file}");
        }
    }
}
