//! Files that cannot be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Table;

/// A file, directory or program that cannot be read, written or run.
///
/// ```
/// use cuda_builder::CudaBuilder;
///
/// let error = CudaBuilder::new("../tests/kernels").extra_input("no/such.bin").input_digest(Default::default()).unwrap_err();
/// assert_eq!(error.to_string(), "cannot read no/such.bin");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("cannot {attempt} {}", path.display())]
pub struct FileError {
    /// What was tried: `read`, `write` or `run`.
    pub attempt: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

impl FileError {
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        Self::of("read", path)
    }

    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        Self::of("write", path)
    }

    pub(crate) fn run(path: &Path) -> impl Fn(io::Error) -> Self {
        Self::of("run", path)
    }

    fn of(attempt: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self { attempt, path: path.to_owned(), source }
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(FileError::read(path))
}

pub(crate) fn read_toml(path: &Path) -> Result<Table, FileError> {
    let invalid = |error| FileError::read(path)(io::Error::new(io::ErrorKind::InvalidData, error));
    read_text(path)?.parse().map_err(|error: toml::de::Error| invalid(error))
}
