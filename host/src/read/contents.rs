//! The bytes of a file.

use super::Problem;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// Held while a file is open: shared by the threads that read, or by one alone.
static OPEN: RwLock<()> = RwLock::new(());

/// The bytes of a file. From a device or pipe it reads no more than the largest structure has.
///
/// Where the process may open no more files, this waits until the other threads have closed theirs, and then reads alone. An
/// error is left only if not even one file can be opened.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>, Problem> {
    let together = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    match read(path) {
        Err(Problem::Io(error)) if is_out_of_files(&error) => {
            drop(together);
            let _alone = OPEN.write().unwrap_or_else(PoisonError::into_inner);
            read(path)
        }
        read => read,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    const MOST: u64 = 4 << 30;
    let mut file = File::open(path).map_err(Problem::Io)?;
    let metadata = file.metadata().map_err(Problem::Io)?;
    if metadata.is_file() {
        let mut bytes = Vec::new();
        // One byte more than the file has, so that its end is reached without growing.
        let room = usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1);
        bytes.try_reserve_exact(room).map_err(|_| Problem::Io(ErrorKind::OutOfMemory.into()))?;
        file.read_to_end(&mut bytes).map_err(Problem::Io)?;
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(Problem::Io)?;
    if bytes.len() as u64 > MOST {
        return Err(Problem::Endless { limit: MOST });
    }
    Ok(bytes)
}

/// Whether the process, or the system, has as many files open as it may.
#[cfg(unix)]
fn is_out_of_files(error: &Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
fn is_out_of_files(_: &Error) -> bool {
    false
}
