//! The kinds of records, by the beginning of their lines.

use super::columns::{has_coordinates, segment};
use super::{ATOM_LINE, NEEDED};
use crate::error::{Problem, bad_field};
use crate::lines::lines;
use crate::word::pack;
use memchr::memmem;

/// `END` followed only by blanks.
pub(crate) fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"END") && line[3..].iter().all(u8::is_ascii_whitespace)
}

/// `TER`, perhaps with a serial number and the residue before it.
#[inline]
pub(crate) fn is_ter(line: &[u8]) -> bool {
    line.starts_with(b"TER") && !line.get(3).is_some_and(|c| c.is_ascii_alphanumeric())
}

/// `MODEL`, perhaps with a number.
pub(crate) fn is_model(line: &[u8]) -> bool {
    line.starts_with(b"MODEL") && !line.get(5).is_some_and(u8::is_ascii_alphanumeric)
}

/// What is wrong with a line that has the coordinates of an atom and nearly the name of its record.
#[inline]
pub(crate) fn misspelt(line: &[u8]) -> Option<Problem> {
    // Only lines with the dots of coordinates need a closer look.
    if has_dots(line) { is_misspelt(line) } else { None }
}

#[cold]
fn is_misspelt(line: &[u8]) -> Option<Problem> {
    let head = &line[..6];
    let like = |record: &[u8]| head.iter().zip(record).filter(|(a, b)| !a.eq_ignore_ascii_case(b)).count();
    if like(b"ATOM  ").min(like(b"HETATM")) > 1 || !has_coordinates(line) {
        return None;
    }
    let wrong = "is not a record name; is ATOM or HETATM meant?";
    Some(bad_field("record name (columns 1-6)", head.trim_ascii(), wrong))
}

/// `ATOM`, then blanks or a serial number that is too wide (and not read). The columns refuse a tab later.
pub(crate) fn is_atom(line: &[u8]) -> bool {
    matches!(line.get(4), None | Some(b' ' | b'\t' | b'*' | b'0'..=b'9'))
}

/// Whether an atom's line is a `HETATM` record; `None` if the line is not an atom's.
pub(crate) fn hetatm(line: &[u8]) -> Option<bool> {
    match line.first_chunk()? {
        b"ATOM" if is_atom(line) => Some(false),
        b"HETA" if line.starts_with(b"HETATM") => Some(true),
        _ => None,
    }
}

/// As [`hetatm`], and of a record name in lower case, which is read as if in upper case.
pub(crate) fn hetatm_in_any_case(line: &[u8]) -> Option<bool> {
    let named = |name: &[u8]| {
        line.get(..6).is_some_and(|head| head.eq_ignore_ascii_case(name)) && has_dots(line) && has_coordinates(line)
    };
    hetatm(line).or_else(|| if named(b"ATOM  ") { Some(false) } else { named(b"HETATM").then_some(true) })
}

/// Whether some atom's record has this segment id.
pub(crate) fn has_segment(text: &[u8], id: &str) -> bool {
    let id = id.as_bytes();
    let is_one = |line: &[u8]| hetatm(line).is_some() && segment(line) == pack(id);
    !id.is_empty() && id.len() <= 4 && lines(text).any(|(_, line)| is_one(line))
}

/// Whether a line has the dots of coordinates.
#[inline]
pub(crate) fn has_dots(line: &[u8]) -> bool {
    line.len() >= NEEDED && line[34] == b'.' && line[42] == b'.' && line[50] == b'.'
}

/// Where another record begins in an atom's line whose line break was lost.
///
/// # Errors
/// If a third one follows: such a text has lost its line ends, rather than one of them.
#[inline]
pub(crate) fn second_record(line: &[u8]) -> Result<Option<usize>, Problem> {
    if line.len() > ATOM_LINE { another_record(line) } else { Ok(None) }
}

#[cold]
fn another_record(line: &[u8]) -> Result<Option<usize>, Problem> {
    let next = |from: usize| {
        let rest = line.get(from + NEEDED..)?;
        let found = |record: &[u8]| memmem::find(rest, record).map(|at| from + NEEDED + at);
        found(b"ATOM  ").into_iter().chain(found(b"HETATM")).min()
    };
    let second = next(0);
    match second.and_then(next) {
        None => Ok(second),
        Some(_) => {
            let wrong = "begins a line of three or more records of atoms: the text has lost its line ends";
            Err(bad_field("record", line[..NEEDED].trim_ascii_end(), wrong))
        }
    }
}
