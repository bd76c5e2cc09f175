//! Indices of frames that are kept in a folder, so that a long trajectory is walked through once.
//!
//! An index belongs to a path, and is used while the file there has the size, the time of its last change, and the first and last bytes
//! that it had. Damaged files are walked through each time: what is missing may come.

use crate::error::Fault;
use crate::source::Source;
use crate::{Entry, Format, Index};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// An index of fewer frames is made as quickly as it is read.
const FEWEST: usize = 1000;
/// Indices in a folder. Beyond, the oldest ones are removed.
const MOST: usize = 256;
/// Bytes at either end of a trajectory that are compared.
const SAMPLE: u64 = 1 << 16;
/// The beginning of an index, with the version of its layout.
const MAGIC: &[u8; 16] = b"prism frames  1\n";
const ENDING: &str = "frames";

/// A folder of indices.
///
/// ```
/// use prism_trajectory::{IndexFolder, Trajectory};
///
/// # let folder = tempfile::tempdir()?;
/// let indices = IndexFolder::new(folder.path());
/// let run = Trajectory::open_indexed("tests/data/small.xtc", Some(&indices))?;
/// assert_eq!(run.n_frames(), 6); // so few that nothing is kept
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexFolder {
    path: PathBuf,
}

impl IndexFolder {
    /// This folder. It is made when something is to be kept.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The folder of the user: that which the environment variable `PRISM_CACHE` names (nothing is kept if it is empty), or else `prism`
    /// in the system's folder for caches. `None` if there is none.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let full = |name: &str| set(name).filter(|path| path.is_absolute());
        let caches = || {
            if cfg!(windows) {
                full("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                full("HOME").map(|home| home.join("Library/Caches"))
            } else {
                full("XDG_CACHE_HOME").or_else(|| full("HOME").map(|home| home.join(".cache")))
            }
        };
        let path = set("PRISM_CACHE").or_else(|| caches().map(|caches| caches.join("prism")))?;
        (!path.as_os_str().is_empty()).then(|| Self::new(path))
    }

    fn path_of(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{}.{ENDING}", key.name))
    }

    /// The index of a file, if it is kept and the file has not changed.
    pub(crate) fn load(&self, key: &Key) -> Option<(Format, Index)> {
        decoded(&fs::read(self.path_of(key)).ok()?, key)
    }

    /// Keeps an index, if it is worth it.
    pub(crate) fn keep(&self, key: &Key, format: &Format, index: &Index) {
        if index.entries.len() < FEWEST || index.damage.is_some() {
            return;
        }
        let Some(bytes) = encoded(key, format, index) else { return };
        // Where nothing can be written, the next run walks through the file again.
        let _ = self.write(&self.path_of(key), &bytes);
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.path)?;
        // Several processes may open the file at the same time.
        let temporary = path.with_extension(std::process::id().to_string());
        fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })?;
        let mut kept: Vec<(SystemTime, PathBuf)> = fs::read_dir(&self.path)?
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == ENDING))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        kept.sort_unstable();
        kept.iter().take(kept.len().saturating_sub(MOST)).try_for_each(|(_, oldest)| fs::remove_file(oldest))
    }
}

/// What an index belongs to.
pub(crate) struct Key {
    /// A digest of the path.
    name: String,
    /// The file's size, the time of its last change, and a digest of its ends.
    state: [u8; STATE],
}

/// Bytes of a file's state.
const STATE: usize = 8 + 8 + 32;

impl Key {
    /// `None` if the time of its last change cannot be given, as for a file of the far future.
    pub(crate) fn of(path: &Path, source: &Source) -> Option<Self> {
        let full = fs::canonicalize(path).ok()?;
        let name = Sha256::digest(full.as_os_str().as_encoded_bytes());
        let changed = source.modified()?.duration_since(UNIX_EPOCH).ok()?;
        let ends = ends(source).ok()?;
        let mut state = [0; STATE];
        state[..8].copy_from_slice(&source.len().to_le_bytes());
        state[8..16].copy_from_slice(&u64::try_from(changed.as_nanos()).ok()?.to_le_bytes());
        state[16..].copy_from_slice(&ends);
        Some(Self { name: name[..16].iter().map(|byte| format!("{byte:02x}")).collect(), state })
    }
}

/// A digest of a file's first and last bytes, with which another run of the same size differs.
pub(crate) fn ends(source: &Source) -> Result<[u8; 32], Fault> {
    let (length, mut digest, mut buffer) = (source.len(), Sha256::new(), Vec::new());
    for at in [0, length.saturating_sub(SAMPLE)] {
        source.take(at, SAMPLE.min(length), &mut buffer, "its ends")?;
        digest.update(&buffer);
    }
    Ok(digest.finalize().into())
}

/// An index as bytes; `None` if the format needs none, because its header says where frames are.
fn encoded(key: &Key, format: &Format, index: &Index) -> Option<Vec<u8>> {
    let format: u8 = match format {
        Format::Xtc => 0,
        Format::Trr => 1,
        Format::Gro => 2,
        Format::Dcd(_) | Format::NetCdf(_) => return None,
    };
    let mut bytes = [&MAGIC[..], &key.state, &[format]].concat();
    let numbers = [index.atoms, index.without_positions, index.entries.len()].map(|number| number as u64);
    let frames = index.entries.iter().flat_map(|entry| [entry.at, entry.time.to_bits()]);
    bytes.extend(numbers.into_iter().chain(frames).flat_map(u64::to_le_bytes));
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Some(bytes)
}

/// The format and the index of a file in this state, unless the bytes are damaged or of another state.
fn decoded(bytes: &[u8], key: &Key) -> Option<(Format, Index)> {
    let (body, digest) = bytes.split_last_chunk::<32>()?;
    if Sha256::digest(body)[..] != digest[..] {
        return None;
    }
    let (format, rest) = body.strip_prefix(MAGIC)?.strip_prefix(&key.state)?.split_first()?;
    let format = match format {
        0 => Format::Xtc,
        1 => Format::Trr,
        2 => Format::Gro,
        _ => return None,
    };
    let (numbers, []) = rest.as_chunks::<8>() else { return None };
    let mut numbers = numbers.iter().map(|eight| u64::from_le_bytes(*eight));
    let mut number = || usize::try_from(numbers.next()?).ok();
    let (atoms, without_positions, count) = (number()?, number()?, number()?);
    let (frames, []) = rest[24..].as_chunks::<16>() else { return None };
    let entry = |frame: &[u8; 16]| {
        let [at, time] = [0, 8].map(|at| u64::from_le_bytes(std::array::from_fn(|byte| frame[at + byte])));
        Entry { at, time: f64::from_bits(time) }
    };
    let entries: Vec<Entry> = frames.iter().map(entry).collect();
    (entries.len() == count).then_some((format, Index { entries, atoms, damage: None, without_positions }))
}
