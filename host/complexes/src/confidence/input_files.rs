//! Files to read: in folders, in tars, in zip archives.

use prism_read::plural::counted;
use prism_read::{Compression, contents, open};
use std::collections::HashSet;
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
pub(super) struct InputFile {
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

/// An archive, and its plain bytes.
#[derive(Debug)]
struct Archive {
    path: PathBuf,
    /// Those of a compressed tar and of standard input, in a temporary file.
    unpacked: Option<NamedTempFile>,
    /// Whether it ends too early.
    is_cut: bool,
}

impl Archive {
    /// The file with its plain bytes.
    fn plain(&self) -> &Path {
        self.unpacked.as_ref().map_or(&self.path, |file| file.path())
    }
}

/// What an archive has.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub(super) files: Vec<InputFile>,
    /// What is wrong with it, if it ends too early. The members before that are there.
    pub(super) cut: Option<String>,
    /// Members whose names others before them have.
    pub(super) twice: Vec<String>,
    /// What is left out.
    pub(super) notes: Vec<String>,
}

impl InputFile {
    /// A file that is called `path` in messages.
    pub(super) fn new(path: String, at: PathBuf) -> Self {
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
            Inside::Member { archive, .. } => &archive.path,
        }
    }

    /// Whether it is a member of an archive that ends too early.
    pub(super) fn is_of_cut(&self) -> bool {
        matches!(&self.inside, Inside::Member { archive, .. } if archive.is_cut)
    }

    /// What two of the same bytes have in common: the file, and where they begin there.
    pub(super) fn identity(&self) -> (PathBuf, u64) {
        let path = self.on_disk();
        let begin = if let Inside::Member { begin, .. } = self.inside { begin } else { 0 };
        (path.canonicalize().unwrap_or_else(|_| path.to_owned()), begin)
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
                let mut file = open(archive.plain()).map_err(cannot)?;
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

/// The members of a tar, plain or compressed, or of a zip archive; their paths begin with `prefix`.
pub(super) fn members(path: &Path, prefix: &str) -> Result<Opened, String> {
    archived(open(path).map_err(cannot)?, path, None, prefix)
}

/// The members of an archive on standard input. It is kept in a temporary file, since members are read when their turn has come.
pub(super) fn members_of_input(prefix: &str) -> Result<Opened, String> {
    let mut kept = temporary()?;
    std::io::copy(&mut std::io::stdin().lock(), &mut kept).map_err(cannot)?;
    kept.flush().map_err(cannot)?;
    let file = kept.reopen().map_err(cannot)?;
    archived(file, Path::new(INPUT), Some(kept), prefix)
}

/// The path of standard input.
pub(super) const INPUT: &str = "-";

fn cannot(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}

fn temporary() -> Result<NamedTempFile, String> {
    NamedTempFile::new().map_err(|error| format!("cannot be unpacked: {error}"))
}

fn archived(mut file: File, path: &Path, kept: Option<NamedTempFile>, prefix: &str) -> Result<Opened, String> {
    let mut head = Vec::new();
    (&mut file).take(Compression::MAGIC as u64).read_to_end(&mut head).map_err(cannot)?;
    file.rewind().map_err(cannot)?;
    if head.is_empty() {
        return Err("is empty; fetch it again".to_owned());
    }
    // The second mark is that of an archive without members.
    if [b"PK\x03\x04", b"PK\x05\x06"].iter().any(|mark| head.starts_with(*mark)) {
        return zipped(file, path, kept, prefix);
    }
    let Some(compression) = Compression::of(&head) else { return tarred(file, path, kept, prefix, None) };
    let corrupt =
        |error: std::io::Error| format!("corrupt or truncated {} data: {error}; fetch it again", compression.name());
    let mut text = compression.decoder(BufReader::new(file)).map_err(corrupt)?;
    let mut unpacked = temporary()?;
    // Members before damaged bytes are whole.
    let cut = std::io::copy(&mut text, &mut unpacked).map_err(corrupt).err();
    unpacked.flush().map_err(cannot)?;
    let file = unpacked.reopen().map_err(cannot)?;
    tarred(file, path, Some(unpacked), prefix, cut)
}

/// Whether a file's name is that of a tar or a zip archive.
pub(super) fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    const ENDS: [&str; 10] =
        [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.bz2", ".tbz", ".tbz2", ".tar.xz", ".txz"];
    name.ends_with(".zip") || ENDS.iter().any(|end| name.ends_with(end))
}

/// The members of a tar. `cut`: what is known to be wrong with its end.
fn tarred(
    mut file: File,
    path: &Path,
    unpacked: Option<NamedTempFile>,
    prefix: &str,
    mut cut: Option<String>,
) -> Result<Opened, String> {
    let damaged = |error: std::io::Error| format!("is no tar, damaged or cut: {error}; fetch it again");
    let length = file.metadata().map_err(damaged)?.len();
    let is_ended = ends_with_zeros(&mut file, length).map_err(damaged)?;
    let mut tar = tar::Archive::new(BufReader::new(file));
    // Read concatenated tars to the end.
    tar.set_ignore_zeros(true);
    let (mut found, mut notes, mut twice) = (Vec::new(), Vec::new(), Vec::new());
    let (mut end, mut known) = (0, HashSet::new());
    for member in tar.entries_with_seek().map_err(damaged)? {
        let member = match member {
            Ok(member) => member,
            Err(error) if found.is_empty() => return Err(cut.unwrap_or_else(|| damaged(error))),
            Err(error) => {
                cut = cut.or_else(|| Some(damaged(error)));
                break;
            }
        };
        let name = String::from_utf8_lossy(&member.path_bytes()).trim_start_matches("./").to_owned();
        let kind = member.header().entry_type();
        end = member.raw_file_position();
        if kind.is_symlink() || kind.is_hard_link() {
            notes.push(format!("{prefix}{name}: is a link in an archive, and left out; unpack that"));
        }
        if !kind.is_file() {
            continue;
        }
        let (begin, size) = (member.raw_file_position(), member.size());
        end = begin.saturating_add(size);
        if end > length {
            cut = cut.or_else(|| Some(format!("is cut inside of its member {name}; fetch it again")));
            break;
        }
        match known.insert(name.clone()) {
            true => found.push((name, begin, size)),
            false => twice.push(format!("{prefix}{name}")),
        }
    }
    if !(is_ended && end + BLOCK <= length) {
        let after = counted(found.len(), "file", "files");
        let reason = format!("ends without a tar's end mark, after {after}: it is cut; fetch it again");
        cut = cut.or(Some(reason));
    }
    let archive = Arc::new(Archive { path: path.to_owned(), unpacked, is_cut: cut.is_some() });
    let mut opened = Opened { cut, notes, twice, ..Opened::default() };
    for (name, begin, length) in found {
        let inside = Inside::Member { archive: Arc::clone(&archive), begin, length, deflated: None };
        opened.push(InputFile { path: format!("{prefix}{name}"), inside });
    }
    Ok(opened)
}

/// Bytes of a tar's blocks.
const BLOCK: u64 = 512;

/// Whether the last block of a file is that of a tar's end. The file is at its begin again after it.
fn ends_with_zeros(file: &mut File, length: u64) -> std::io::Result<bool> {
    let mut last = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(BLOCK)))?;
    file.read_to_end(&mut last)?;
    file.rewind()?;
    Ok(last.iter().all(|byte| *byte == 0))
}

impl Opened {
    /// Takes a member, unless it is an archive itself.
    fn push(&mut self, member: InputFile) {
        match is_archive(member.name()) {
            true => self.notes.push(format!("{}: is an archive in an archive, and left out; unpack that", member.path)),
            false => self.files.push(member),
        }
    }
}

fn zipped(file: File, path: &Path, unpacked: Option<NamedTempFile>, prefix: &str) -> Result<Opened, String> {
    let damaged = |error: zip::result::ZipError| format!("is no zip archive, damaged or cut: {error}; fetch it again");
    let mut directory = file.try_clone().map_err(cannot)?;
    let archive = Arc::new(Archive { path: path.to_owned(), unpacked, is_cut: false });
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    // A directory that does not reach back to the first byte is that of a member, such as an npz.
    if zip.offset() != 0 {
        return Err(
            "is a zip archive that is cut: its directory of members is not at its end; fetch it again".to_owned()
        );
    }
    let twice = listed_twice(&mut directory, zip.central_directory_start()).map_err(cannot)?;
    if let Some(name) = twice {
        return Err(format!("has two members {name}; leave one of them in it"));
    }
    let mut opened = Opened::default();
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
        opened.push(InputFile { path: format!("{prefix}{name}"), inside });
    }
    Ok(opened)
}

/// The name of a zip archive's member that its directory lists twice. The library knows the last of these alone.
fn listed_twice(file: &mut File, begin: u64) -> std::io::Result<Option<String>> {
    /// An entry's mark, its bytes before the name, and where the lengths of its name and of what follows are.
    const ENTRY: (&[u8], usize, [usize; 3]) = (b"PK\x01\x02", 46, [28, 30, 32]);
    let (mark, fixed, lengths) = ENTRY;
    let (mut directory, mut known) = (Vec::new(), HashSet::new());
    file.seek(SeekFrom::Start(begin))?;
    file.take(MOST).read_to_end(&mut directory)?;
    file.rewind()?;
    let mut rest = &directory[..];
    while rest.starts_with(mark) && rest.len() >= fixed {
        let [name, extra, comment] = lengths.map(|at| usize::from(u16::from_le_bytes([rest[at], rest[at + 1]])));
        let Some(own) = rest.get(fixed..fixed + name) else { break };
        if !known.insert(own) {
            return Ok(Some(String::from_utf8_lossy(own).into_owned()));
        }
        rest = rest.get(fixed + name + extra + comment..).unwrap_or_default();
    }
    Ok(None)
}
