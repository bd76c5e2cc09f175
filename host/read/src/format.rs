//! Tells formats apart by their content.

use super::error::Problem;
use super::{bcif, foldcomp, foreign, pqr};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Empty,
    Pdb,
    Pqr,
    /// PQR in the columns of PDB.
    PqrColumns,
    Cif,
    BinaryCif,
    FoldComp,
    /// A format that is not read, with a hint what to do.
    Foreign(&'static str),
}

/// Whether the bytes are a MessagePack map rather than text.
pub(super) fn is_binary(text: &[u8]) -> bool {
    matches!(text.first(), Some(0x80..=0x8f | 0xde | 0xdf))
}

/// The names of a structure and of its file, which structures need not keep.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) structure: &'a str,
    pub(super) file: &'a str,
}

impl<'a> Named<'a> {
    /// Of a file of which no other name is known.
    pub(super) const fn both(name: &'a str) -> Self {
        Self { structure: name, file: name }
    }
}

/// Determines the format from the content; where that does not say whether it is PQR, the file's name does.
pub(super) fn format_of_named(text: &[u8], file: &str) -> Format {
    match format_of(text) {
        Format::Pdb if pqr::is_name(file) => of_records(text, true),
        format => format,
    }
}

fn of_records(text: &[u8], is_named: bool) -> Format {
    match pqr::form_of(text, is_named) {
        Some(pqr::Form::Words) => Format::Pqr,
        Some(pqr::Form::PdbColumns) => Format::PqrColumns,
        None => Format::Pdb,
    }
}

/// Determines the format from the content. mmCIF declares itself in its first word. Everything else goes to the PDB reader,
/// which skips records that it does not know.
pub(super) fn format_of(text: &[u8]) -> Format {
    if text.is_empty() {
        return Format::Empty;
    }
    // BinaryCIF is a MessagePack map of at least these keys, in any order.
    if is_binary(text) {
        let head = &text[..text.len().min(256)];
        let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
        if has(b"mmtfVersion") {
            return Format::Foreign(foreign::MMTF);
        }
        if has(b"\xaadataBlocks") || has(b"\xa7encoder") || has(b"\xa7version") {
            return Format::BinaryCif;
        }
    }
    if text.starts_with(foldcomp::MAGIC) {
        return Format::FoldComp;
    }
    if let Some(what) = foreign::named(text) {
        return Format::Foreign(what);
    }
    let starts =
        |word: &[u8], prefix: &str| word.get(..prefix.len()).is_some_and(|w| w.eq_ignore_ascii_case(prefix.as_bytes()));
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        if rest.first() != Some(&b'#') {
            break;
        }
        rest = memchr::memchr(b'\n', rest).map_or(&[], |end| &rest[end..]);
    }
    if rest.first() == Some(&b'_') || ["data_", "loop_", "global_"].iter().any(|word| starts(rest, word)) {
        Format::Cif
    } else {
        of_records(text, false)
    }
}

/// A text as readers of text take it, and its format: BinaryCIF is mmCIF.
pub(super) fn normal_text<'t>(bytes: &'t [u8], file: &str) -> Result<(Cow<'t, [u8]>, Format), Problem> {
    let text = normal(bytes);
    match format_of_named(&text, file) {
        Format::BinaryCif => Ok((bcif::as_cif(&text)?.into_bytes().into(), Format::Cif)),
        format => Ok((text, format)),
    }
}

/// A text as readers take it: without its byte-order mark, in UTF-8, and with line feeds. Binary formats stay as they are.
pub(super) fn normal(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = foreign::unmarked(bytes);
    if is_binary(&text) || text.starts_with(foldcomp::MAGIC) {
        return text;
    }
    match with_line_feeds(&text) {
        Cow::Owned(changed) => Cow::Owned(changed),
        Cow::Borrowed(_) => text,
    }
}

/// Replaces each carriage return that no line feed follows by one: it ends a line by itself, also where only some lines end so, as in
/// a text that was put together or changed by several programs.
fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    let ends_a_line = |at: &usize| text.get(at + 1) != Some(&b'\n');
    let Some(first) = memchr::memchr_iter(b'\r', text).find(ends_a_line) else { return Cow::Borrowed(text) };
    let mut changed = text.to_vec();
    memchr::memchr_iter(b'\r', &text[first..])
        .map(|at| first + at)
        .filter(ends_a_line)
        .for_each(|at| changed[at] = b'\n');
    Cow::Owned(changed)
}
