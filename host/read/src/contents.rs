//! The bytes of a file.

use super::Problem;
use std::cell::Cell;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// Held while a file is open: shared by the threads that read, or by one alone.
static OPEN: RwLock<()> = RwLock::new(());

thread_local! {
    /// Memory for a file's bytes, filled with those of earlier files.
    static KEPT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}
/// More memory than this is not kept.
const MOST_KEPT: usize = 4 << 20;

/// The bytes of a file. From a device or pipe it reads no more than the largest structure has.
///
/// If the process may open no more files, this waits until the other threads have closed theirs, and then reads alone. An
/// error is left only if not even one file can be opened.
pub fn contents(path: &Path) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let length = read(path, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Calls `take` with the bytes of a file, as [`contents`] reads them. The thread keeps their memory for the next file.
pub fn with_contents<T>(path: &Path, take: impl FnOnce(&[u8]) -> T) -> Result<T, Problem> {
    // At the end of a thread nothing is kept.
    let mut bytes = KEPT.try_with(Cell::take).unwrap_or_default();
    let taken = read(path, &mut bytes).map(|length| take(&bytes[..length]));
    if bytes.capacity() <= MOST_KEPT {
        let _ = KEPT.try_with(|kept| kept.set(bytes));
    }
    taken
}

/// Reads a file to the start of `bytes`, which grow as needed. Returns the number of bytes.
fn read(path: &Path, bytes: &mut Vec<u8>) -> Result<usize, Problem> {
    let together = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    match read_now(path, bytes) {
        Err(Problem::Io(error)) if is_out_of_files(&error) => {
            drop(together);
            alone(|| read_now(path, bytes))
        }
        read => read,
    }
}

/// Opens a file that stays open for long, such as an archive. Where the process may open no more files, this waits until the
/// threads that read [`contents`] have closed theirs. They do not wait for this file.
pub fn open(path: &Path) -> std::io::Result<File> {
    patiently(|| File::open(path))
}

fn patiently<T>(mut open: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    match open() {
        Err(error) if is_out_of_files(&error) => alone(open),
        opened => opened,
    }
}

/// Does something while no other thread has a file open that it reads as a whole.
fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _alone = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

fn read_now(path: &Path, bytes: &mut Vec<u8>) -> Result<usize, Problem> {
    let mut file = File::open(path).map_err(Problem::Io)?;
    // Mostly a file fits into the memory of those before it, and its size need not be asked for.
    let length = fill(&mut file, bytes).map_err(Problem::Io)?;
    if length < bytes.len() { Ok(length) } else { read_rest(file, bytes) }
}

/// Reads from a file until its end, or until the buffer is full. Returns the number of bytes.
fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Appends the rest of a file, whose first bytes fill `bytes`. Returns the number of bytes.
#[cold]
fn read_rest(mut file: File, bytes: &mut Vec<u8>) -> Result<usize, Problem> {
    const MOST: u64 = 4 << 30;
    let metadata = file.metadata().map_err(Problem::Io)?;
    if metadata.is_file() {
        // One byte more than the file has, so that its end is reached without growing.
        let room = usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1);
        bytes
            .try_reserve_exact(room.saturating_sub(bytes.len()))
            .map_err(|_| Problem::Io(ErrorKind::OutOfMemory.into()))?;
        file.read_to_end(bytes).map_err(Problem::Io)?;
    } else {
        file.take(MOST + 1 - bytes.len() as u64).read_to_end(bytes).map_err(Problem::Io)?;
        if bytes.len() as u64 > MOST {
            return Err(Problem::Endless { limit: MOST });
        }
    }
    let length = bytes.len();
    // Another file of this size has to end before the buffer does.
    bytes.resize(bytes.capacity().min(length + 1), 0);
    Ok(length)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    #[test]
    fn a_file_for_long_waits_for_those_that_are_read() {
        let reading = OPEN.read().unwrap();
        let (tried, tries) = channel();
        let opening = std::thread::spawn(move || {
            let mut errors = [Errno::MFILE].into_iter();
            patiently(|| {
                tried.send(()).unwrap();
                errors.next().map_or(Ok("open"), |error| Err(error.into()))
            })
        });
        tries.recv().unwrap();
        assert_eq!(tries.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        drop(reading);
        tries.recv().unwrap();
        assert_eq!(opening.join().unwrap().unwrap(), "open");
        // Another error is nothing to wait for.
        let _reading = OPEN.read().unwrap();
        assert!(patiently(|| Err::<(), _>(Errno::ACCESS.into())).is_err());
    }

    #[test]
    fn files_are_whole_whatever_was_read_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for length in [10, 10, 3, 0, 9, 10, 11, 12, 100_000, 1] {
            let text: Vec<u8> = (0..length).map(|i| i as u8).collect();
            std::fs::write(&path, &text).unwrap();
            assert_eq!(with_contents(&path, <[u8]>::to_vec).unwrap(), text);
            assert_eq!(contents(&path).unwrap(), text);
        }
        assert!(matches!(with_contents(folder.path(), <[u8]>::len), Err(Problem::Io(_))));
    }
}
