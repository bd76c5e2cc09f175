//! Short texts: names as words that compare like them, and ids as text.

use std::borrow::Cow;
use std::fmt::Display;

/// Packs up to eight bytes into a word that compares like the text. Longer texts, which are never standard names, are
/// truncated.
// Not a copy of some bytes, which is a call.
#[inline]
pub(crate) fn pack(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    let n = text.len();
    // Bytes that are read twice are the same.
    match (text.first_chunk(), text.last_chunk(), text) {
        (Some(head), Some(tail), _) => {
            let [head, tail] = [head, tail].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            head | tail << (8 * (n - 4))
        }
        (.., [first, .., last]) => {
            u64::from(*first) | u64::from(text[n / 2]) << (8 * (n / 2)) | u64::from(*last) << (8 * (n - 1))
        }
        (.., [only]) => u64::from(*only),
        _ => 0,
    }
}

/// The high bit of each byte that is above the blank (0x20).
fn ink(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(bytes);
    // Added to a byte's low seven bits, this sets its high bit from 0x21 on.
    (((word & (ONES * 0x7f)) + ONES * 0x5f) | word) & (ONES << 7)
}

/// The number of bytes before the first one that is a blank or below.
#[inline]
pub(crate) fn word_length(text: &[u8]) -> usize {
    length(text, |ink| !ink & (u64::MAX / 255) << 7, |c| c <= b' ')
}

/// The number of bytes before the first one that is above the blank.
#[inline]
pub(crate) fn blank_length(text: &[u8]) -> usize {
    length(text, |ink| ink, |c| c > b' ')
}

/// The number of bytes before the first one that is wanted, whose high bit `wanted` leaves of those of [`ink`].
#[inline(always)]
fn length(text: &[u8], wanted: impl Fn(u64) -> u64, is_wanted: impl Fn(u8) -> bool) -> usize {
    let (eights, rest) = text.as_chunks();
    for (at, bytes) in eights.iter().enumerate() {
        let found = wanted(ink(*bytes));
        if found != 0 {
            return 8 * at + found.trailing_zeros() as usize / 8;
        }
    }
    8 * eights.len() + rest.iter().position(|&c| is_wanted(c)).unwrap_or(rest.len())
}

/// A chain id or insertion code as text: UTF-8, or else Latin-1.
pub fn text_of(id: &[u8]) -> String {
    as_text(id).into_owned()
}

/// As [`text_of`], without a copy of what is UTF-8.
pub fn as_text(id: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(id) {
        Ok(text) => text.into(),
        Err(_) => id.iter().map(|&b| char::from(b)).collect(),
    }
}

/// The name of a residue in tables: chain, number and insertion code, as `A_120`; `_120` where the chain is blank.
///
/// ```
/// assert_eq!(prism_read::residue_name("A", 30, "B"), "A_30B");
/// assert_eq!(prism_read::residue_name(" ", 30, ""), "_30");
/// ```
pub fn residue_name(chain: &str, number: impl Display, insertion_code: &str) -> String {
    format!("{}_{number}{insertion_code}", chain.trim())
}

/// Chain ids for a message. A blank one is in quotes.
pub fn listed_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    let shown = |id: &'a str| if id.trim().is_empty() { "\" \"" } else { id };
    ids.into_iter().map(shown).collect::<Vec<_>>().join(",")
}

/// The text in a word that [`pack`] made.
#[inline]
pub(crate) fn trim_zeros(bytes: &[u8; 8]) -> &[u8] {
    let used = 8 - (u64::from_le_bytes(*bytes).leading_zeros() / 8) as usize;
    &bytes[..used]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_packed_from_the_first_byte_on() {
        let text = b"\x81bcdefghij";
        for n in 0..text.len() {
            let plain = text[..n.min(8)].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            assert_eq!(pack(&text[..n]), plain, "{n} bytes");
        }
    }

    #[test]
    fn words_end_at_blanks_and_below() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                for rest in [0, 1, 7, 8, 12] {
                    let text = |filling: u8| {
                        [vec![filling; at], vec![byte; usize::from(rest > 0)], vec![filling; rest]].concat()
                    };
                    let (word, blanks) = (text(b'x'), text(b'\n'));
                    let is_blank = byte <= b' ' && rest > 0;
                    assert_eq!(word_length(&word), if is_blank { at } else { word.len() }, "{byte} at {at}");
                    let is_ink = byte > b' ' && rest > 0;
                    assert_eq!(blank_length(&blanks), if is_ink { at } else { blanks.len() }, "{byte} at {at}");
                }
            }
        }
    }
}
