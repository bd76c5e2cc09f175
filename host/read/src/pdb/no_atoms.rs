//! Why a text has no atoms.

use memchr::memchr;

#[cold]
pub(super) fn why_no_atoms(text: &[u8]) -> &'static str {
    let is_record = |line: &[u8]| line.starts_with(b"ATOM") || line.starts_with(b"HETATM");
    let mut lines = text.split(|&b| b == b'\n');
    if memchr(0, text).is_some() {
        "the file holds NUL bytes; it is not a text file"
    } else if lines.any(|line| !is_record(line) && is_record(line.trim_ascii_start())) {
        "ATOM records do not begin in column 1; the lines are shifted"
    } else if text.trim_ascii().is_empty() {
        "the file is blank"
    } else {
        "no ATOM or HETATM record; is this a PDB or mmCIF file?"
    }
}
