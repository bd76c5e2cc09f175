//! A file that a thread of its own writes, while others make what comes next.

use std::fs::File;
use std::io::{Error, Result, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// The bytes of a buffer.
const BYTES: usize = 1 << 20;
/// The most buffers: one is filled, and others are written or wait for it.
const BUFFERS: usize = 8;

/// Writes to a file in large pieces. From the first whole piece on, a thread does it: the system takes some tenths of a second for a
/// gigabyte, even if the file is in memory. An error comes with a later piece, or with the flush, which waits for all of them.
pub struct Behind {
    /// Not handed over yet.
    filled: Vec<u8>,
    state: State,
}

enum State {
    /// The caller writes.
    Here(File),
    Begun(Writer),
    /// Writing has failed, and the error was returned.
    Failed,
}

/// The thread, and the ways of buffers to it and back.
struct Writer {
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    /// How many buffers there are.
    buffers: usize,
    thread: JoinHandle<Result<File>>,
}

impl Behind {
    /// Nothing written yet.
    pub(super) fn new(file: File) -> Self {
        Self { filled: Vec::new(), state: State::Here(file) }
    }

    /// Hands the filled buffer over, and takes another one.
    fn hand_over(&mut self) -> Result<()> {
        if let State::Here(file) = &self.state {
            let begun = file.try_clone().and_then(Writer::begin);
            match begun {
                Ok(writer) => self.state = State::Begun(writer),
                Err(error) => {
                    tracing::debug!("no thread to write a file by: {error}");
                    return self.write_here();
                }
            }
        }
        let State::Begun(writer) = &mut self.state else { return Err(failed()) };
        match writer.exchange(std::mem::take(&mut self.filled)) {
            Some(empty) => {
                self.filled = empty;
                Ok(())
            }
            // The thread has ended early.
            None => self.end(),
        }
    }

    fn write_here(&mut self) -> Result<()> {
        let State::Here(file) = &mut self.state else { return Err(failed()) };
        file.write_all(&self.filled)?;
        self.filled.clear();
        Ok(())
    }

    /// Waits until the thread has written everything, and returns its error.
    fn end(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Begun(writer) => {
                drop(writer.full);
                let file = writer.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                self.state = State::Here(file);
            }
            other => self.state = other,
        }
        Ok(())
    }
}

impl Write for Behind {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = bytes.len().min(BYTES - self.filled.len());
        self.filled.extend_from_slice(&bytes[..taken]);
        if self.filled.len() == BYTES {
            self.hand_over()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> Result<()> {
        self.end()?;
        self.write_here()
    }
}

/// Nobody writes to the file after this.
impl Drop for Behind {
    fn drop(&mut self) {
        if let State::Begun(writer) = std::mem::replace(&mut self.state, State::Failed) {
            drop(writer.full);
            let _ = writer.thread.join();
        }
    }
}

impl Writer {
    fn begin(mut file: File) -> Result<Self> {
        let (full, buffers) = sync_channel::<Vec<u8>>(BUFFERS);
        let (give_back, empty) = channel();
        let write = move || {
            for mut buffer in buffers {
                file.write_all(&buffer)?;
                buffer.clear();
                // Nobody takes it at the end.
                let _ = give_back.send(buffer);
            }
            Ok(file)
        };
        let thread = Builder::new().name("write".to_owned()).spawn(write)?;
        Ok(Self { full, empty, buffers: 1, thread })
    }

    /// Gives a filled buffer for an empty one; `None` if the thread has ended.
    fn exchange(&mut self, filled: Vec<u8>) -> Option<Vec<u8>> {
        self.full.send(filled).ok()?;
        if let Ok(empty) = self.empty.try_recv() {
            return Some(empty);
        }
        if self.buffers < BUFFERS {
            self.buffers += 1;
            return Some(Vec::with_capacity(BYTES));
        }
        self.empty.recv().ok()
    }
}

fn failed() -> Error {
    Error::other("an earlier part of the file could not be written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek};

    #[test]
    fn a_file_has_what_was_written_in_order() {
        for length in [0, 1, BYTES - 1, BYTES, 3 * BYTES, 2 * BUFFERS * BYTES + 17] {
            let mut file = tempfile::tempfile().unwrap();
            let bytes: Vec<u8> = (0..length).map(|place| ((place * place) >> 7) as u8).collect();
            let mut behind = Behind::new(file.try_clone().unwrap());
            let (first, second) = bytes.split_at(length / 3);
            behind.write_all(first).unwrap();
            behind.flush().unwrap();
            assert_eq!(file.metadata().unwrap().len(), first.len() as u64, "everything was written by the flush");
            second.chunks(70_001).for_each(|piece| behind.write_all(piece).unwrap());
            behind.flush().unwrap();
            drop(behind);
            let mut found = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut found).unwrap();
            assert!(found == bytes, "{length} bytes");
        }
    }

    #[test]
    fn the_systems_error_comes_with_a_later_piece_or_with_the_flush() {
        // A file that is open for reading takes nothing.
        let named = tempfile::NamedTempFile::new().unwrap();
        let read_only = || Behind::new(File::open(named.path()).unwrap());
        let mut little = read_only();
        little.write_all(b"some").unwrap();
        let expected = little.flush().unwrap_err();
        let piece = vec![7; BYTES];
        for pieces in [1, 100] {
            let mut behind = read_only();
            let written = (0..pieces).try_for_each(|_| behind.write_all(&piece));
            let error = written.and_then(|()| behind.flush()).unwrap_err();
            assert_eq!((error.kind(), error.raw_os_error()), (expected.kind(), expected.raw_os_error()));
            assert!(behind.write_all(&piece).is_err() && behind.flush().is_err(), "it does not go on after an error");
        }
    }
}
