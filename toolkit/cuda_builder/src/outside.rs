//! Checks that the digest covers what the compiler read.

use std::path::{Path, PathBuf};

use crate::file::{FileError, read_text};
use crate::flags::PROFILE;
use crate::inputs::cfg_expr::DEVICE_TARGET;
use crate::inputs::graph::PackageGraph;
use crate::inputs::sources::Source;

/// The first file that the compiler read and the digest does not cover: `include_str!` and similar macros can read any
/// file. Cargo lists what local packages read; files in the target directory are products.
///
/// # Errors
/// If the list cannot be read.
pub fn inputs_outside(target: &Path, graph: &PackageGraph, sources: &[Source]) -> Result<Option<PathBuf>, FileError> {
    let path = target.join(DEVICE_TARGET).join(PROFILE).join(format!("lib{}.d", graph.kernels.crate_name));
    let list = read_text(&path)?;
    let mut read = list.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, files)| unescaped(files));
    Ok(read.find(|path| {
        let known = sources.iter().any(|source| source.path == *path);
        !known && !path.starts_with(target) && !path.canonicalize().is_ok_and(|path| is_known(&path, sources))
    }))
}

fn is_known(path: &Path, sources: &[Source]) -> bool {
    sources.iter().any(|source| source.path.canonicalize().is_ok_and(|source| source == path))
}

/// Splits a list in which `\ ` in a name stands for a space.
fn unescaped(files: &str) -> Vec<PathBuf> {
    let mut names = vec![String::new()];
    let mut chars = files.chars().peekable();
    while let Some(c) = chars.next() {
        let last = names.len() - 1;
        match c {
            '\\' if chars.next_if_eq(&' ').is_some() => names[last].push(' '),
            ' ' => names.push(String::new()),
            _ => names[last].push(c),
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn names_with_spaces_stay_whole() {
        let names = unescaped("/a/b.rs /my\\ files/c.rs");
        assert_eq!(names, ["/a/b.rs", "/my files/c.rs"].map(std::path::PathBuf::from));
    }
}
