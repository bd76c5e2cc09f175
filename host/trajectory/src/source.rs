//! The bytes of a file at any offset, for several threads at a time.
//!
//! The file is read and not mapped: another program, such as the simulation itself, may be changing it.

use crate::error::{Fault, Problem};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

const STANDARD_INPUT: &str =
    "standard input cannot be a trajectory, because frames are read in any order; write it to a file, and name that";
const NO_FILE: &str = "is a pipe or a device; a trajectory must be a plain file, because its frames are read in any order; write it to one, and name that";

/// A file, or bytes in memory.
#[derive(Debug)]
pub(crate) enum Source {
    /// The file and its length when it was opened.
    File(File, u64),
    Memory(Arc<[u8]>),
}

impl Source {
    /// Opens a plain file. Others have no bytes at any offset.
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let failed = |error: std::io::Error| Fault::from(Problem::Io(error.to_string()));
        // Before it is opened, which waits for the other end of a pipe.
        let metadata = match std::fs::metadata(path) {
            Err(_) if path == Path::new("-") => return Err(Problem::Other(STANDARD_INPUT).into()),
            found => found.map_err(failed)?,
        };
        if metadata.is_dir() {
            return Err(Problem::Other("is a folder and no trajectory; name the files in it").into());
        }
        if !metadata.is_file() {
            return Err(Problem::Other(NO_FILE).into());
        }
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(Self::File(file, length))
    }

    /// When the file was last changed, if that is known.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        match self {
            Self::File(file, _) => file.metadata().ok()?.modified().ok(),
            Self::Memory(_) => None,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Whether so many bytes follow.
    pub(crate) fn has(&self, at: u64, bytes: u64) -> bool {
        at.checked_add(bytes).is_some_and(|end| end <= self.len())
    }

    /// Fills a buffer with the bytes at an offset. `what` they are is for the error.
    pub(crate) fn fill(&self, at: u64, buffer: &mut [u8], what: &'static str) -> Result<(), Fault> {
        if !self.has(at, buffer.len() as u64) {
            return Err(Fault::at(at, Problem::Cut(what)));
        }
        match self {
            Self::Memory(bytes) => {
                let begin = at as usize;
                buffer.copy_from_slice(&bytes[begin..begin + buffer.len()]);
                Ok(())
            }
            Self::File(file, _) => fill_from(file, at, buffer).map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => Fault::at(at, Problem::Cut(what)),
                _ => Fault::at(at, Problem::Io(error.to_string())),
            }),
        }
    }

    /// The bytes at an offset.
    pub(crate) fn array<const N: usize>(&self, at: u64, what: &'static str) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes, what)?;
        Ok(bytes)
    }

    /// Replaces the contents of a buffer by `length` bytes, if the file has them.
    pub(crate) fn take(&self, at: u64, length: u64, buffer: &mut Vec<u8>, what: &'static str) -> Result<(), Fault> {
        // Before anything is allocated: a damaged file may claim any length.
        if !self.has(at, length) {
            return Err(Fault::at(at, Problem::Cut(what)));
        }
        buffer.resize(length as usize, 0);
        self.fill(at, buffer, what)
    }
}

#[cfg(unix)]
fn fill_from(file: &File, at: u64, buffer: &mut [u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn fill_from(file: &File, mut at: u64, mut buffer: &mut [u8]) -> std::io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => {
                at += read as u64;
                buffer = &mut buffer[read..];
            }
        }
    }
    Ok(())
}

/// Big-endian numbers of XDR, which GROMACS writes.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
}

pub(crate) fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

pub(crate) fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_bits(u64::from(u32_at(bytes, at)) << 32 | u64::from(u32_at(bytes, at + 4)))
}
