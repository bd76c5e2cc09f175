//! Inputs that are read as streams: tars, zip archives, databases, and standard input. Memory holds one member at a time.

use super::names::{as_text, is_structure};
use super::{InputFailure, InputFile, Item, Source, database, taken_of_archives, zipped};
use prism_read::plural::counted;
use prism_read::{Compression, Unfolding, open};
use std::collections::HashSet;
use std::io::{BufReader, Cursor, Error, Read, stdin};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most bytes of a member.
pub(super) const MOST: u64 = 4 << 30;
/// Block size of a tar in bytes.
const BLOCK: usize = 512;
/// Bytes per read of files and pipes.
const BUFFER: usize = 1 << 18;

/// Passes all items of an archive or standard input to `take` until it returns `false`.
pub(crate) fn unpack(input: &InputFile, take: &mut dyn FnMut(Item) -> bool) {
    let unpacked = match input.source {
        Source::Database => database::entries(input, take),
        _ => try_unpack(input, take),
    };
    if let Err(reason) = unpacked {
        take(Item::Failed(InputFailure::new(&input.name, reason)));
    }
}

fn try_unpack(input: &InputFile, take: &mut dyn FnMut(Item) -> bool) -> Result<(), String> {
    let cannot = |error: Error| format!("cannot be read: {error}");
    let source: Box<dyn Read + Send> = match &input.source {
        Source::StandardInput => Box::new(stdin()),
        Source::MemoryArchive(bytes) => Box::new(Cursor::new(bytes.clone())),
        _ => Box::new(open(&input.path).map_err(cannot)?),
    };
    let (head, source) = peek(source, Compression::MAGIC).map_err(cannot)?;
    if zipped::is_zip(&head) {
        return match &input.source {
            Source::MemoryArchive(bytes) => zipped::members(input, Cursor::new(bytes), take),
            Source::Archive => zipped::members(input, open(&input.path).map_err(cannot)?, take),
            _ => Err("is a zip archive, whose list of members stands at its end; give the file itself".to_owned()),
        };
    }
    let read = Arc::new(AtomicU64::new(0));
    let source = BufReader::with_capacity(BUFFER, Counted { inner: source, bytes: Arc::clone(&read) });
    let unpacked: Box<dyn Read + Send> = match Compression::of(&head) {
        None => Box::new(source),
        Some(compression) => {
            let corrupt = |error| format!("corrupt or truncated {} data: {error}; fetch it again", compression.name());
            let text = compression.decoder(source).map_err(corrupt)?;
            Box::new(Unfolding::new(text, Arc::clone(&read)))
        }
    };
    let (head, unpacked) = peek(unpacked, BLOCK).map_err(|error| damaged(&error))?;
    if is_tar(&head) {
        return members(input, unpacked, take);
    }
    if matches!(input.source, Source::Archive | Source::MemoryArchive(_)) {
        return Err(if head.is_empty() {
            "the file is empty"
        } else {
            "is neither a tar nor a zip archive, although its name says so"
        }
        .to_owned());
    }
    let mut bytes = Vec::new();
    let length = unpacked.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))? as u64;
    if length > MOST {
        return Err(format!("has more than {MOST} bytes and is not a tar; is it a pipe without an end?"));
    }
    take(Item::Structure { name: input.name.clone(), bytes, size: read.load(Ordering::Relaxed) });
    Ok(())
}

fn damaged(error: &Error) -> String {
    format!("is damaged or cut: {error}; fetch it again")
}

/// Passes the members of a tar that are structures.
fn members(input: &InputFile, tar: impl Read, take: &mut dyn FnMut(Item) -> bool) -> Result<(), String> {
    let zeros = Arc::new(AtomicU64::new(0));
    let mut archive = tar::Archive::new(Zeros { inner: tar, zeros: Arc::clone(&zeros) });
    // Read concatenated tars to the end.
    archive.set_ignore_zeros(true);
    let mut known = HashSet::new();
    let (mut found, mut ignored, mut links) = (0_usize, 0_usize, 0_usize);
    for member in archive.entries().map_err(|error| damaged(&error))? {
        let mut member = member.map_err(|error| damaged(&error))?;
        if member.header().entry_type().is_dir() {
            continue;
        }
        let path = as_text(&member.path_bytes());
        let path = path.trim_start_matches("./");
        let kind = member.header().entry_type();
        if !is_structure(Path::new(path)) || path.rsplit('/').next().is_some_and(|n| n.starts_with("._")) {
            ignored += 1;
            continue;
        }
        if kind.is_symlink() || kind.is_hard_link() {
            links += 1;
            continue;
        }
        if !kind.is_file() && !kind.is_contiguous() && !kind.is_gnu_sparse() {
            ignored += 1;
            continue;
        }
        found += 1;
        let name = format!("{}/{path}", input.name);
        let read = match is_pax_sparse(&mut member) {
            false => contents(&mut member, &name),
            true => Err(InputFailure::new(&name, "has holes, in pax's form; make the tar without --sparse".to_owned())),
        };
        let item = match read {
            Ok(_) if !known.insert(path.to_owned()) => {
                let reason = "is a second member of this name; only the first is read".to_owned();
                Item::Failed(InputFailure::new(&name, reason))
            }
            Ok(bytes) => Item::Structure { name, size: bytes.len() as u64, bytes },
            Err(failure) => Item::Failed(failure),
        };
        if !take(item) {
            return Ok(());
        }
    }
    if zeros.load(Ordering::Relaxed) < BLOCK as u64 {
        let after = counted(found, "structure", "structures");
        return Err(format!("ends without a tar's end mark, after {after}: it is cut; fetch it again"));
    }
    if ignored > 0 {
        let members = counted(ignored, "member is", "members are");
        let text = format!("{members} ignored; the formats are {}", taken_of_archives());
        take(Item::Said { name: input.name.clone(), text });
    }
    if links > 0 {
        let links = counted(links, "link is", "links are");
        let text = format!("{links} not followed; what they name is read where it stands in the tar itself");
        take(Item::Said { name: input.name.clone(), text });
    }
    if found == 0 {
        return Err(format!("no member is one of {}", taken_of_archives()));
    }
    Ok(())
}

/// Whether a map of holes stands before a member's bytes, as pax has it; GNU's own form is undone by the library.
fn is_pax_sparse(member: &mut tar::Entry<'_, impl Read>) -> bool {
    let extensions = member.pax_extensions().ok().flatten();
    extensions.is_some_and(|all| all.flatten().any(|one| one.key_bytes().starts_with(b"GNU.sparse.")))
}

/// Reads a member's bytes.
fn contents(member: &mut tar::Entry<'_, impl Read>, name: &str) -> Result<Vec<u8>, InputFailure> {
    let failure = |reason: String| Err(InputFailure::new(name, reason));
    let size = member.size();
    if size > MOST {
        return failure(format!("has {size} bytes; no structure has more than {MOST}"));
    }
    read_member(member, size, name)
}

/// Reads the bytes of a member of this size.
pub(super) fn read_member(member: impl Read, size: u64, name: &str) -> Result<Vec<u8>, InputFailure> {
    let failure = |reason: String| Err(InputFailure::new(name, reason));
    // The size in a header is not trusted to reserve memory.
    let mut bytes = Vec::with_capacity(size.min(1 << 20) as usize);
    match member.take(MOST).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 == size => Ok(bytes),
        Ok(_) => failure(format!("the archive ends after {} of {size} bytes; fetch it again", bytes.len())),
        Err(error) => failure(damaged(&error)),
    }
}

/// Whether the bytes are a tar, plain or compressed, or a zip archive.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    if zipped::is_zip(bytes) {
        return true;
    }
    let Some(compression) = Compression::of(bytes) else { return is_tar(bytes) };
    let mut block = Vec::with_capacity(BLOCK);
    compression.decoder(bytes).and_then(|text| text.take(BLOCK as u64).read_to_end(&mut block)).is_ok()
        && is_tar(&block)
}

/// Whether a block is the header of a tar's first member.
fn is_tar(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<BLOCK>() else { return false };
    let field = block[148..156].trim_ascii();
    let digits = field.split(|c| *c == 0 || *c == b' ').next().unwrap_or_default();
    let stated = digits.iter().try_fold(0_u32, |sum, c| match c {
        b'0'..=b'7' => Some(8 * sum + u32::from(c - b'0')),
        _ => None,
    });
    let sum: u32 =
        block.iter().enumerate().map(|(i, c)| u32::from(if (148..156).contains(&i) { b' ' } else { *c })).sum();
    !digits.is_empty() && stated == Some(sum)
}

/// Reads the first bytes of a reader, and returns a reader that repeats them.
fn peek(mut reader: Box<dyn Read + Send>, bytes: usize) -> std::io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut head = Vec::with_capacity(bytes);
    reader.by_ref().take(bytes as u64).read_to_end(&mut head)?;
    let all = Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(all)))
}

/// Counts the bytes read.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Counts the zero bytes at the end of the bytes read.
struct Zeros<R> {
    inner: R,
    zeros: Arc<AtomicU64>,
}

impl<R: Read> Read for Zeros<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let last = buffer[..read].iter().rev().take_while(|byte| **byte == 0).count();
        if last < read {
            self.zeros.store(0, Ordering::Relaxed);
        }
        self.zeros.fetch_add(last as u64, Ordering::Relaxed);
        Ok(read)
    }
}
