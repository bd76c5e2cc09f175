//! `new-kernel`: a crate for kernels that builds its PTX and tests itself from the first moment on.

mod manifest;
mod name;

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};

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

    /// Make a module of Python too, in the folder `python`: the kernels on arrays of NumPy, PyTorch and CuPy
    #[arg(long)]
    python: bool,
}

/// The name that stands in the templates for the crate's.
const TEMPLATE_NAME: &str = "my_kernels";

/// What both kinds of crate have. The lints are those of this workspace's own kernels.
const FILES: &[(&str, &str)] = &[
    ("build.rs", include_str!("../../toolkit/templates/kernel/build.rs")),
    ("clippy.toml", include_str!("../../toolkit/tests/kernels/clippy.toml")),
    ("src/lib.rs", include_str!("../../toolkit/templates/kernel/src/lib.rs")),
    ("tests/saxpy.rs", include_str!("../../toolkit/templates/kernel/tests/saxpy.rs")),
];

/// What a crate that stands alone has besides: the toolchain whose library sources are looked for, and a style.
const FILES_ALONE: &[(&str, &str)] = &[
    (".gitignore", "/target/\n"),
    ("rust-toolchain.toml", include_str!("../../rust-toolchain.toml")),
    ("rustfmt.toml", include_str!("../../rustfmt.toml")),
];

/// What a module of Python is made of.
const FILES_PYTHON: &[(&str, &str)] = &[
    ("python/pyproject.toml", include_str!("../../toolkit/templates/kernel/python/pyproject.toml")),
    ("python/src/lib.rs", include_str!("../../toolkit/templates/kernel/python/src/lib.rs")),
    ("python/test_saxpy.py", include_str!("../../toolkit/templates/kernel/python/test_saxpy.py")),
];
const PYTHON_IN_WORKSPACE: &str = include_str!("../../toolkit/templates/kernel/python/Cargo.workspace.toml");
const PYTHON_ALONE: &str = include_str!("../../toolkit/templates/kernel/python/Cargo.alone.toml");

const MANIFEST_IN_WORKSPACE: &str = include_str!("../../toolkit/templates/kernel/Cargo.workspace.toml");
const MANIFEST_ALONE: &str = include_str!("../../toolkit/templates/kernel/Cargo.alone.toml");

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
            in_workspace(&root, inside, name, arguments.python)?;
        }
        Err(_) => alone(&root, &directory, arguments, &lock)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A new member of this workspace.
fn in_workspace(root: &Path, inside: &Path, name: &str, python: bool) -> Result<()> {
    let directory = root.join(inside);
    let path = root.join("Cargo.toml");
    let old = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let member = inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    // Before anything is written: what cannot be added should leave nothing behind.
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
    write_files(&directory, name, &files)?;
    fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}: made, and a member of the workspace", directory.display());
    println!("Next: cargo test -p {name}");
    tell_python(python, &directory);
    Ok(())
}

/// A crate of its own, elsewhere.
fn alone(root: &Path, directory: &Path, arguments: &Arguments, lock: &str) -> Result<()> {
    let (name, python) = (arguments.name.as_str(), arguments.python);
    let place = |package: &str| match &arguments.git {
        Some(url) => ("git", url.to_owned()),
        None => ("path", root.join("toolkit").join(package).display().to_string()),
    };
    let mut manifest = manifest::with_toolkit(MANIFEST_ALONE, place);
    if python {
        manifest = manifest.replace("[workspace]\n", "[workspace]\nmembers = [\"python\"]\n");
    }
    let python_manifest = manifest::with_toolkit(PYTHON_ALONE, place);
    // The versions that this workspace is tested with; cargo takes out what this crate does not need.
    let mut files = vec![("Cargo.toml", manifest.as_str()), ("Cargo.lock", lock)];
    files.extend(FILES.iter().chain(FILES_ALONE));
    if python {
        files.push(("python/Cargo.toml", &python_manifest));
        files.extend(FILES_PYTHON);
    }
    write_files(directory, name, &files)?;
    println!("{}: made, a crate of its own", directory.display());
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

/// Writes the files of a template. None of them may be there.
fn write_files(directory: &Path, name: &str, files: &[(&str, &str)]) -> Result<()> {
    for (file, text) in files {
        let path = directory.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        // `create_new`, so that nothing is overwritten that came meanwhile.
        let text = filled(text, name);
        let written = OpenOptions::new().write(true).create_new(true).open(&path);
        written
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}; the crate is not complete", path.display()))?;
    }
    Ok(())
}

/// A template with the crate's name, and without the marks by which documents cite it.
fn filled(text: &str, name: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("// ANCHOR"));
    lines.flat_map(|line| [line, "\n"]).collect::<String>().replace(TEMPLATE_NAME, name)
}

/// The folder that a path means, links on the way to it followed, although it need not exist yet.
fn resolved(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).with_context(|| format!("{} is no path", path.display()))?;
    let mut rest = Vec::new();
    for above in absolute.ancestors() {
        match above.canonicalize() {
            Ok(real) => return Ok(rest.iter().rev().fold(real, |path, part| path.join(part))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot use {}", above.display())),
        }
        match above.components().next_back() {
            Some(Component::Normal(part)) => rest.push(part.to_owned()),
            _ => bail!("{}: a folder before `..` does not exist; name the folder without `..`", path.display()),
        }
    }
    bail!("{}: no part of this path exists", path.display())
}

/// Refuses a folder that holds something.
fn check_vacant(directory: &Path) -> Result<()> {
    let entries = match directory.read_dir() {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be a folder for the crate", directory.display()));
        }
    };
    ensure!(
        !entries,
        "{} is not empty, and nothing is overwritten; name another folder with --dir",
        directory.display()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_hold_the_name_and_no_mark() {
        let text = filled("use my_kernels::PTX;\n    // ANCHOR: part\nlet x = 1;\n// ANCHOR_END: part\n", "waves");
        assert_eq!(text, "use waves::PTX;\nlet x = 1;\n");
        for (file, text) in FILES.iter().chain(FILES_ALONE).chain(FILES_PYTHON) {
            assert!(text.ends_with('\n') && !text.contains('\r'), "{file}");
        }
    }

    #[test]
    fn folders_that_do_not_exist_yet_are_resolved() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(resolved(Path::new("src/../not/there")).unwrap(), here.join("not/there"));
        let error = resolved(Path::new("not/there/../here")).unwrap_err().to_string();
        assert!(error.contains("without `..`"), "{error}");
    }
}
