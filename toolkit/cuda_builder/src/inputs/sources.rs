//! The source files of the local packages.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::graph::{LocalPackage, PackageGraph};
use crate::file::FileError;

/// One source file.
///
/// ```
/// use cuda_builder::inputs::{graph::PackageGraph, sources::{source_roots, sources}};
///
/// let graph = PackageGraph::load("../tests/kernels".as_ref()).unwrap();
/// assert!(source_roots(&graph.kernels)[0].ends_with("src"));
/// let files = sources(&graph, &[])?;
/// let library = files.iter().find(|file| file.label == "test-kernels/src/lib.rs").unwrap();
/// assert_eq!(std::fs::read(&library.path).ok().as_ref(), Some(&library.bytes));
/// # Ok::<(), cuda_builder::FileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// `PACKAGE/PATH`, with the path relative to the package's manifest and `/` as separator; independent of the
    /// workspace's location.
    pub label: String,
    /// Where the file is.
    pub path: PathBuf,
    /// Its bytes, with unchanged line endings.
    pub bytes: Vec<u8>,
}

/// All files that the packages' libraries and build scripts may use, ordered by label: all files in the directory of the
/// library's root file, and `build.rs`. `extra` are further files or directories.
///
/// # Errors
/// If a file or directory cannot be read.
pub fn sources(graph: &PackageGraph, extra: &[PathBuf]) -> Result<Vec<Source>, FileError> {
    let mut found = Vec::new();
    for package in &graph.local {
        for top in source_roots(package) {
            read_below(&top, &package.directory, &package.name, &mut found)?;
        }
    }
    for top in extra {
        let top = top.canonicalize().map_err(FileError::read(top))?;
        read_below(&top, &graph.root, "extra", &mut found)?;
    }
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup_by(|a, b| a.label == b.label);
    Ok(found)
}

/// The directories and files of a package that count.
pub fn source_roots(package: &LocalPackage) -> Vec<PathBuf> {
    let library = package.directory.join(&package.library);
    // A library's root file beside the manifest would include everything else in that directory.
    let library = match library.parent() {
        Some(parent) if parent != package.directory => parent.to_owned(),
        _ => library,
    };
    let build_script = package.directory.join("build.rs");
    let mut roots = vec![library];
    if build_script.is_file() {
        roots.push(build_script);
    }
    roots
}

fn read_below(top: &Path, base: &Path, package: &str, found: &mut Vec<Source>) -> Result<(), FileError> {
    for entry in WalkDir::new(top).follow_links(true) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(top).to_owned();
            FileError::read(&path)(error.into())
        })?;
        // Editors leave hidden files and backups beside the edited file.
        let name = entry.file_name().to_string_lossy();
        if !entry.file_type().is_file() || name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        let path = entry.into_path();
        let bytes = fs::read(&path).map_err(FileError::read(&path))?;
        let relative = path.strip_prefix(base).unwrap_or(&path);
        let relative: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        found.push(Source { label: format!("{package}/{}", relative.join("/")), path, bytes });
    }
    Ok(())
}
