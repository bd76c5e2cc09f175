//! Where files lie: in folders, in tars, in zip archives.

use prism_read::{Compression, contents, open};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::NamedTempFile;
use zip::{CompressionMethod, ZipArchive};

/// Most bytes of a member of an archive.
const MOST: u64 = 4 << 30;

/// A file, or a member of an archive. It is read when its turn has come.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The path in the folder or archive, with `/`.
    pub(super) path: String,
    inside: Inside,
}

#[derive(Clone, Debug)]
enum Inside {
    File(PathBuf),
    Member { archive: Arc<Archive>, begin: u64, length: u64, deflated: Option<Deflated> },
}

/// How a member of a zip archive is compressed.
#[derive(Clone, Copy, Debug)]
struct Deflated {
    length: u64,
    checksum: u32,
}

/// The plain bytes of an archive.
#[derive(Debug)]
enum Archive {
    /// As they are.
    Plain(PathBuf),
    /// Those of a compressed tar, in a temporary file.
    Unpacked(NamedTempFile),
}

impl Archive {
    fn path(&self) -> &Path {
        match self {
            Self::Plain(path) => path,
            Self::Unpacked(file) => file.path(),
        }
    }
}

impl Place {
    /// A file that is called `path` in messages.
    pub(super) fn file(path: String, at: PathBuf) -> Self {
        Self { path, inside: Inside::File(at) }
    }

    /// The file's name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Its folder.
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The path of the file on disk that has it.
    pub(super) fn on_disk(&self) -> &Path {
        match &self.inside {
            Inside::File(path) => path,
            Inside::Member { archive, .. } => archive.path(),
        }
    }

    /// The number of its bytes, compressed as they lie there; 0 if it cannot be found.
    pub(super) fn size(&self) -> u64 {
        match &self.inside {
            Inside::File(path) => path.metadata().map_or(0, |metadata| metadata.len()),
            Inside::Member { length, .. } => *length,
        }
    }

    /// Its bytes.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        match &self.inside {
            Inside::File(path) => contents(path).map_err(|problem| problem.to_string()),
            Inside::Member { archive, begin, length, deflated } => {
                let cannot =
                    |error: std::io::Error| format!("cannot be read from its archive: {error}; fetch that again");
                let mut file = open(archive.path()).map_err(cannot)?;
                file.seek(SeekFrom::Start(*begin)).map_err(cannot)?;
                let mut bytes = Vec::with_capacity((*length).min(1 << 26) as usize);
                let stored = file.take(*length);
                match deflated {
                    None => stored.take(MOST).read_to_end(&mut bytes).map_err(cannot)?,
                    Some(_) => {
                        flate2::read::DeflateDecoder::new(stored).take(MOST).read_to_end(&mut bytes).map_err(cannot)?
                    }
                };
                let expected = deflated.map_or(*length, |deflated| deflated.length);
                let is_same = deflated.is_none_or(|deflated| crc32fast::hash(&bytes) == deflated.checksum);
                match bytes.len() as u64 == expected && is_same {
                    true => Ok(bytes),
                    false => Err("is damaged in its archive; fetch that again".to_owned()),
                }
            }
        }
    }
}

/// The members of a tar, plain or compressed, or of a zip archive; their paths begin with `prefix`. `None` if it is neither.
pub(super) fn members(path: &Path, prefix: &str) -> Result<Option<Vec<Place>>, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let mut file = open(path).map_err(cannot)?;
    let mut head = Vec::new();
    (&mut file).take(Compression::MAGIC as u64).read_to_end(&mut head).map_err(cannot)?;
    file.rewind().map_err(cannot)?;
    if head.starts_with(b"PK\x03\x04") {
        return zipped(file, path, prefix).map(Some);
    }
    match Compression::of(&head) {
        None => tarred(file, Archive::Plain(path.to_owned()), prefix),
        Some(compression) => {
            let corrupt = |error: std::io::Error| {
                format!("corrupt or truncated {} data: {error}; fetch it again", compression.name())
            };
            let mut text = compression.decoder(BufReader::new(file)).map_err(corrupt)?;
            let mut unpacked = NamedTempFile::new().map_err(|error| format!("cannot be unpacked: {error}"))?;
            std::io::copy(&mut text, &mut unpacked).map_err(corrupt)?;
            unpacked.flush().map_err(corrupt)?;
            let file = unpacked.reopen().map_err(cannot)?;
            tarred(file, Archive::Unpacked(unpacked), prefix)
        }
    }
}

/// Whether a file's name is that of a tar or a zip archive.
pub(super) fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    const ENDS: [&str; 10] =
        [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.bz2", ".tbz", ".tbz2", ".tar.xz", ".txz"];
    name.ends_with(".zip") || ENDS.iter().any(|end| name.ends_with(end))
}

fn tarred(file: File, archive: Archive, prefix: &str) -> Result<Option<Vec<Place>>, String> {
    let damaged = |error: std::io::Error| format!("is no tar, damaged or cut: {error}; fetch it again");
    let archive = Arc::new(archive);
    let length = file.metadata().map_err(damaged)?.len();
    let mut tar = tar::Archive::new(BufReader::new(file));
    let mut places = Vec::new();
    for member in tar.entries_with_seek().map_err(damaged)? {
        let member = member.map_err(damaged)?;
        if !member.header().entry_type().is_file() {
            continue;
        }
        let path = String::from_utf8_lossy(&member.path_bytes()).trim_start_matches("./").to_owned();
        let (begin, size) = (member.raw_file_position(), member.size());
        if begin.saturating_add(size) > length {
            return Err(format!("is cut inside of its member {path}; fetch it again"));
        }
        let inside = Inside::Member { archive: Arc::clone(&archive), begin, length: size, deflated: None };
        places.push(Place { path: format!("{prefix}{path}"), inside });
    }
    Ok(Some(places))
}

fn zipped(file: File, path: &Path, prefix: &str) -> Result<Vec<Place>, String> {
    let damaged = |error: zip::result::ZipError| format!("is no zip archive, damaged or cut: {error}; fetch it again");
    let archive = Arc::new(Archive::Plain(path.to_owned()));
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut places = Vec::new();
    for at in 0..zip.len() {
        let member = zip.by_index_raw(at).map_err(damaged)?;
        if !member.is_file() {
            continue;
        }
        let name = member.name().map_err(damaged)?.into_owned();
        let deflated = match member.compression() {
            CompressionMethod::Stored => None,
            CompressionMethod::Deflated => Some(Deflated { length: member.size(), checksum: member.crc32() }),
            other => {
                return Err(format!(
                    "its member {name} is compressed by {other}, which is not read; unpack the archive"
                ));
            }
        };
        if member.encrypted() {
            return Err(format!("its member {name} is encrypted; unpack the archive"));
        }
        let Some(begin) = member.data_start() else {
            return Err(format!("its member {name} has no place; fetch it again"));
        };
        let inside =
            Inside::Member { archive: Arc::clone(&archive), begin, length: member.compressed_size(), deflated };
        places.push(Place { path: format!("{prefix}{name}"), inside });
    }
    Ok(places)
}
