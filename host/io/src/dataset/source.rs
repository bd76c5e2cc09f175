//! The source of a data set's bytes.

use super::{DatasetError, MAGIC};
use bytes::Bytes;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// A file with random access, or bytes in memory. Readers get copies, so a process that writes to the file later cannot
/// change checked data.
#[derive(Debug)]
pub(super) enum Source {
    File { file: File, len: u64 },
    Memory(Bytes),
}

impl Source {
    pub fn open(path: &Path) -> std::result::Result<Self, DatasetError> {
        // Checked before it is opened: opening a pipe waits for a writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(DatasetError::NotArrow);
        }
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self::File { file, len })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File { len, .. } => *len,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    pub(super) fn begins_with_magic(&self) -> std::result::Result<bool, DatasetError> {
        Ok(self.len() >= MAGIC.len() as u64 && self.read(0, MAGIC.len())? == *MAGIC)
    }

    /// A copy of `len` bytes from `begin`. Memory is allocated only if the file was long enough when it was opened.
    pub fn read(&self, begin: u64, len: usize) -> std::result::Result<Vec<u8>, DatasetError> {
        if begin.checked_add(len as u64).is_none_or(|end| end > self.len()) {
            return Err(DatasetError::Truncated);
        }
        match self {
            Self::Memory(bytes) => Ok(bytes[begin as usize..][..len].to_vec()),
            Self::File { file, .. } => {
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(len).map_err(|_| Error::from(ErrorKind::OutOfMemory))?;
                bytes.resize(len, 0);
                read_exact_at(file, &mut bytes, begin).map_err(|error| match error.kind() {
                    // The file has been cut since.
                    ErrorKind::UnexpectedEof => DatasetError::Truncated,
                    _ => DatasetError::Io(error),
                })?;
                Ok(bytes)
            }
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], begin: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, begin)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut begin: u64) -> Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, begin)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                begin += read as u64;
            }
        }
    }
    Ok(())
}
