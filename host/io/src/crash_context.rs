//! Context of a crash: names the current input in the last message of a process that runs out of memory. Such a process is aborted
//! on the spot, and the message would otherwise not say which input was too large.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The beginning of a name, stored where it can be read without allocating.
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; Self::MOST],
    len: usize,
}

impl Name {
    const MOST: usize = 200;
    const NONE: Self = Self { bytes: [0; Self::MOST], len: 0 };

    fn new(name: &str) -> Self {
        let len = name.floor_char_boundary(Self::MOST);
        let mut bytes = [0; Self::MOST];
        bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
        Self { bytes, len }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

thread_local! {
    static READING: Cell<Name> = const { Cell::new(Name::NONE) };
}
static LARGEST: Mutex<Name> = Mutex::new(Name::NONE);
static LARGEST_ATOMS: AtomicU64 = AtomicU64::new(0);

/// Runs `read` and keeps the input's name until it returns.
///
/// ```
/// use prism_io::crash_context;
///
/// let mut text = Vec::new();
/// crash_context::reading("1crn.pdb", || crash_context::write_to(|part| text.extend_from_slice(part)));
/// assert_eq!(String::from_utf8(text)?, "while reading 1crn.pdb");
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
pub fn reading<T>(name: &str, read: impl FnOnce() -> T) -> T {
    let before = READING.replace(Name::new(name));
    let value = read();
    READING.set(before);
    value
}

/// Records a structure of `atoms` atoms that was read; the message names the largest. See [`write_to`] for an example.
pub fn has_read(name: &str, atoms: usize) {
    let atoms = atoms as u64;
    if atoms > LARGEST_ATOMS.load(Ordering::Relaxed) {
        let mut largest = LARGEST.lock().unwrap_or_else(PoisonError::into_inner);
        if atoms > LARGEST_ATOMS.fetch_max(atoms, Ordering::Relaxed) {
            *largest = Name::new(name);
        }
    }
}

/// Writes what this thread is reading, or else the largest structure so far, piece by piece. It neither allocates nor
/// blocks, so a signal handler may call it.
///
/// ```
/// use prism_io::crash_context;
///
/// crash_context::has_read("capsid.cif", 1_000_000);
/// crash_context::has_read("1crn.pdb", 327);
/// let mut text = Vec::new();
/// crash_context::write_to(|part| text.extend_from_slice(part));
/// assert_eq!(String::from_utf8(text)?, "computing; the largest structure so far is capsid.cif (1000000 atoms)");
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
pub fn write_to(mut write: impl FnMut(&[u8])) {
    let reading = READING.try_with(Cell::get).unwrap_or(Name::NONE);
    if reading.len > 0 {
        write(b"while reading ");
        write(reading.as_bytes());
        return;
    }
    let largest = LARGEST.try_lock().map_or(Name::NONE, |largest| *largest);
    if largest.len == 0 {
        write(b"before any structure was read");
        return;
    }
    write(b"computing; the largest structure so far is ");
    write(largest.as_bytes());
    write(b" (");
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut rest = LARGEST_ATOMS.load(Ordering::Relaxed);
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    write(&digits[first..]);
    write(b" atoms)");
}
