//! Zip archives, as AlphaFold's server sends them. Their list of members stands at the end, so they are not read from pipes.

use super::names::is_structure;
use super::stream::{MOST, read_member};
use super::{InputFailure, InputFile, Item, taken_of_archives};
use prism_read::plural::counted;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

/// Whether a file begins like a zip archive.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
}

/// Passes the members that are structures.
pub(super) fn members(
    input: &InputFile,
    archive: impl Read + Seek,
    take: &mut dyn FnMut(Item) -> bool,
) -> Result<(), String> {
    let damaged = |error: &ZipError| format!("is no zip archive, damaged or cut: {error}; fetch it again");
    let mut archive = ZipArchive::new(BufReader::new(archive)).map_err(|error| damaged(&error))?;
    let (mut found, mut ignored) = (0_usize, 0_usize);
    for at in 0..archive.len() {
        let (path, size, stored, is_read) = {
            let member = archive.by_index_raw(at).map_err(|error| damaged(&error))?;
            let path = member.name().map_err(|error| damaged(&error))?.into_owned();
            if member.is_dir() {
                continue;
            }
            let is_hidden = path.rsplit('/').next().is_some_and(|name| name.starts_with("._"));
            let is_read = member.is_file() && is_structure(Path::new(&path)) && !is_hidden;
            (path, member.size(), member.compressed_size(), is_read)
        };
        if !is_read {
            ignored += 1;
            continue;
        }
        found += 1;
        let name = format!("{}/{path}", input.name);
        let failure = |reason: String| InputFailure::new(&name, reason);
        let read = match archive.by_index(at) {
            _ if size > MOST => Err(failure(format!("has {size} bytes; no structure has more than {MOST}"))),
            Ok(mut member) => read_member(&mut member, size, &name),
            Err(ZipError::UnsupportedArchive(what)) => Err(failure(format!("{what}; unpack the archive"))),
            Err(error) => Err(failure(format!("is damaged: {error}; fetch the archive again"))),
        };
        let item = match read {
            Ok(bytes) => Item::Structure { name, bytes, size: stored },
            Err(failure) => Item::Failed(failure),
        };
        if !take(item) {
            return Ok(());
        }
    }
    if ignored > 0 {
        let members = counted(ignored, "member is", "members are");
        let text = format!("{members} ignored; the formats are {}", taken_of_archives());
        take(Item::Said { name: input.name.clone(), text });
    }
    match found {
        0 => Err(format!("no member is one of {}", taken_of_archives())),
        _ => Ok(()),
    }
}
