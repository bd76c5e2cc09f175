//! Short texts: names as words that compare like them, and ids as text.

use std::borrow::Cow;

/// Packs up to eight bytes into a word that compares like the text. Longer texts, which are never standard names, are
/// truncated.
#[inline]
pub(crate) fn pack(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n = text.len().min(8);
    bytes[..n].copy_from_slice(&text[..n]);
    u64::from_le_bytes(bytes)
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
