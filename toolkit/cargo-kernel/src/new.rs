//! `new`: makes a crate for kernels that builds its PTX and has tests.

pub mod name;

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use toml_edit::Value;

/// Make a crate with a first kernel, tests, and a build script that compiles it to PTX
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's name, in snake case
    name: String,

    /// Its folder, instead of NAME in the current one
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,

    /// Take the toolkit from this repository
    #[arg(long, value_name = "URL", conflicts_with = "toolkit")]
    git: Option<String>,

    /// Take the toolkit from this folder, instead of the one that this program was built from
    #[arg(long, value_name = "PATH")]
    toolkit: Option<PathBuf>,
}

/// The placeholder for the crate's name in the templates.
const TEMPLATE_NAME: &str = "my_kernels";

/// The files of every new crate, by path and text.
pub const FILES: &[(&str, &str)] = &[
    ("build.rs", include_str!("../templates/kernel/build.rs")),
    ("clippy.toml", include_str!("../templates/kernel/clippy.toml")),
    ("src/lib.rs", include_str!("../templates/kernel/src/lib.rs")),
    ("tests/saxpy.rs", include_str!("../templates/kernel/tests/saxpy.rs")),
];

/// The manifest of a separate crate, before the location of its toolkit is known: see [`with_toolkit`].
pub const MANIFEST_ALONE: &str = include_str!("../templates/kernel/Cargo.alone.toml");

/// The toolchain that the toolkit is tested with, and the components that builds for GPUs need.
pub const TOOLCHAIN: &str = include_str!("../templates/kernel/rust-toolchain.toml");

/// Runs the command.
///
/// # Errors
/// If the name or the folder is unsuitable, or the toolkit is not found.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let name = arguments.name.as_str();
    name::check(name)?;
    let directory = resolved(arguments.dir.as_deref().unwrap_or(Path::new(name)))?;
    check_vacant(&directory)?;
    let manifest = match &arguments.git {
        Some(url) => with_toolkit(MANIFEST_ALONE, |_| ("git", url.clone())),
        None => {
            let built_from = || Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let toolkit = resolved(&arguments.toolkit.clone().unwrap_or_else(built_from))?;
            ensure!(
                toolkit.join("cuda_std/Cargo.toml").is_file(),
                "there is no toolkit at {}; give its location by --toolkit PATH or --git URL",
                toolkit.display()
            );
            with_toolkit(MANIFEST_ALONE, |package| ("path", toolkit.join(package).display().to_string()))
        }
    };
    let own = [("Cargo.toml", manifest.as_str()), (".gitignore", "/target/\n"), ("rust-toolchain.toml", TOOLCHAIN)];
    write_files(&directory, name, own.iter().chain(FILES))?;
    println!("{}: made, a separate crate", directory.display());
    println!("Next: cd {} && cargo test", directory.display());
    Ok(ExitCode::SUCCESS)
}

/// A crate's manifest with `toolkit = "PACKAGE"` replaced by the package's location: `path = "..."` or `git = "..."`.
pub fn with_toolkit(template: &str, source: impl Fn(&str) -> (&'static str, String)) -> String {
    let mut manifest = template.to_owned();
    for package in ["cuda_std", "cuda_builder", "cuda_host", "cuda_python"] {
        let (key, value) = source(package);
        manifest = manifest.replace(&format!("toolkit = \"{package}\""), &format!("{key} = {}", Value::from(value)));
    }
    manifest
}

/// Writes the files of a template. None of them may exist.
pub fn write_files<'a>(
    directory: &Path,
    name: &str,
    files: impl Iterator<Item = &'a (&'a str, &'a str)>,
) -> Result<()> {
    for (file, text) in files {
        let path = directory.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        // `create_new`, so that a file created in the meantime is not overwritten.
        let text = filled(text, name);
        let written = OpenOptions::new().write(true).create_new(true).open(&path);
        written
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}; the crate is not complete", path.display()))?;
    }
    Ok(())
}

/// A template with the crate's name, and without the marks for citations in documents.
fn filled(text: &str, name: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("// ANCHOR"));
    lines.flat_map(|line| [line, "\n"]).collect::<String>().replace(TEMPLATE_NAME, name)
}

/// The folder of a path after following links; it need not exist yet.
///
/// # Errors
/// If a folder before `..` does not exist.
pub fn resolved(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).with_context(|| format!("{} is not a path", path.display()))?;
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

/// Refuses a folder that is not empty.
pub fn check_vacant(directory: &Path) -> Result<()> {
    let entries = match directory.read_dir() {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be a folder for the crate", directory.display()));
        }
    };
    ensure!(
        !entries,
        "{} is not empty; nothing was overwritten; choose another folder with --dir",
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
        for (file, text) in FILES {
            assert!(text.ends_with('\n') && !text.contains('\r'), "{file}");
        }
    }

    #[test]
    fn places_are_written_as_toml_text() {
        let text =
            with_toolkit("a = { toolkit = \"cuda_std\" }\n", |package| ("path", format!("C:\\\"dir\"\\{package}")));
        let document: toml_edit::DocumentMut = text.parse().unwrap();
        assert_eq!(document["a"]["path"].as_str(), Some("C:\\\"dir\"\\cuda_std"));
    }

    #[test]
    fn folders_that_do_not_exist_yet_are_resolved() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(resolved(Path::new("src/../not/there")).unwrap(), here.join("not/there"));
        let error = resolved(Path::new("not/there/../here")).unwrap_err().to_string();
        assert!(error.contains("without `..`"), "{error}");
    }
}
