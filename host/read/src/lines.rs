//! The lines of a text.

use memchr::memchr;

/// Each line without its end, a line feed and perhaps a carriage return before it, and where it begins.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = text.get(offset..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let begin = offset;
        offset += length + 1;
        let line = &rest[..length];
        Some((begin, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}
