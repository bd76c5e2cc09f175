//! `new-kernel`: makes a crate for kernels that builds its PTX and has tests.

mod manifest;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use cargo_kernel::new::{FILES, MANIFEST_ALONE, TOOLCHAIN, check_vacant, name, resolved, with_toolkit, write_files};

use crate::workspace;

/// Make a crate with a first kernel, tests, and a build script that compiles it to PTX
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's name, in snake case
    name: String,

    /// Its folder, instead of kernels/NAME in this workspace. Outside of the workspace the crate is separate
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,

    /// The repository from which a separate crate takes the toolkit, instead of this workspace's folder
    #[arg(long, value_name = "URL", requires = "dir")]
    git: Option<String>,

    /// Also make a Python module in the folder `python`: the kernels on arrays of NumPy, PyTorch and CuPy
    #[arg(long)]
    python: bool,
}

/// Further files of a separate crate: the toolchain whose library sources are used, and a style.
const FILES_ALONE: &[(&str, &str)] = &[
    (".gitignore", "/target/\n"),
    ("rust-toolchain.toml", TOOLCHAIN),
    ("rustfmt.toml", include_str!("../../rustfmt.toml")),
];

/// The files of a Python module.
const FILES_PYTHON: &[(&str, &str)] = &[
    ("python/pyproject.toml", include_str!("../../toolkit/cargo-kernel/templates/kernel/python/pyproject.toml")),
    ("python/src/lib.rs", include_str!("../../toolkit/cargo-kernel/templates/kernel/python/src/lib.rs")),
    ("python/test_saxpy.py", include_str!("../../toolkit/cargo-kernel/templates/kernel/python/test_saxpy.py")),
];
const PYTHON_IN_WORKSPACE: &str =
    include_str!("../../toolkit/cargo-kernel/templates/kernel/python/Cargo.workspace.toml");
const PYTHON_ALONE: &str = include_str!("../../toolkit/cargo-kernel/templates/kernel/python/Cargo.alone.toml");

const MANIFEST_IN_WORKSPACE: &str = include_str!("../../toolkit/cargo-kernel/templates/kernel/Cargo.workspace.toml");

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let name = arguments.name.as_str();
    let lock_path = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock_path)
        .with_context(|| format!("cannot read {}; `cargo generate-lockfile` makes it", lock_path.display()))?;
    name::check(name)?;
    name::check_free(name, &lock).with_context(|| format!("`{name}` cannot be used as the crate's name"))?;

    let wanted = arguments.dir.clone().unwrap_or_else(|| root.join("kernels").join(name));
    let directory = resolved(&wanted)?;
    check_vacant(&directory)?;
    match directory.strip_prefix(&root) {
        Ok(inside) => {
            ensure!(
                arguments.git.is_none(),
                "{} is in this workspace, where --git has no effect; leave it out, or choose a folder outside of {}",
                directory.display(),
                root.display()
            );
            in_workspace(&root, inside, name, arguments.python)?;
        }
        Err(_) => alone(&root, &directory, arguments, &lock)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds a member to this workspace.
fn in_workspace(root: &Path, inside: &Path, name: &str, python: bool) -> Result<()> {
    let directory = root.join(inside);
    let path = root.join("Cargo.toml");
    let old = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let member = inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    // Checked before anything is written, so that a failure leaves nothing behind.
    let mut new = manifest::with_member(&old, &member, name)
        .with_context(|| format!("{}: cannot add the member `{member}`", path.display()))?;
    let mut files = vec![("Cargo.toml", MANIFEST_IN_WORKSPACE)];
    files.extend(FILES);
    if python {
        new = manifest::with_member(&new, &format!("{member}/python"), &format!("{name}-python"))
            .with_context(|| format!("{}: cannot add the member `{member}/python`", path.display()))?;
        files.push(("python/Cargo.toml", PYTHON_IN_WORKSPACE));
        files.extend(FILES_PYTHON);
    }
    write_files(&directory, name, files.iter())?;
    fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}: made, and a member of the workspace", directory.display());
    println!("Next: cargo test -p {name}");
    tell_python(python, &directory);
    Ok(())
}

/// Makes a separate crate elsewhere.
fn alone(root: &Path, directory: &Path, arguments: &Arguments, lock: &str) -> Result<()> {
    let (name, python) = (arguments.name.as_str(), arguments.python);
    let source = |package: &str| match &arguments.git {
        Some(url) => ("git", url.to_owned()),
        None => ("path", root.join("toolkit").join(package).display().to_string()),
    };
    let mut manifest = with_toolkit(MANIFEST_ALONE, source);
    if python {
        manifest = manifest.replace("[workspace]\n", "[workspace]\nmembers = [\"python\"]\n");
    }
    let python_manifest = with_toolkit(PYTHON_ALONE, source);
    // The versions that this workspace is tested with; cargo removes what this crate does not need.
    let mut files = vec![("Cargo.toml", manifest.as_str()), ("Cargo.lock", lock)];
    files.extend(FILES.iter().chain(FILES_ALONE));
    if python {
        files.push(("python/Cargo.toml", &python_manifest));
        files.extend(FILES_PYTHON);
    }
    write_files(directory, name, files.iter())?;
    println!("{}: made, a separate crate", directory.display());
    println!("Next: cd {} && cargo test", directory.display());
    tell_python(python, directory);
    Ok(())
}

fn tell_python(python: bool, directory: &Path) {
    if python {
        let folder = directory.join("python");
        println!("In Python: pip install {0} && python {0}/test_saxpy.py", folder.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_besides_is_text() {
        for (file, text) in FILES_ALONE.iter().chain(FILES_PYTHON) {
            assert!(text.ends_with('\n') && !text.contains('\r'), "{file}");
        }
    }
}
