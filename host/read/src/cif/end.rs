//! Signs that an mmCIF file was cut between two rows of its atoms.

use super::CATEGORY;
use crate::every_atom::rows;
use crate::lines::lines;
use crate::note::{Note, NoteKind};
use crate::plural::form;
use crate::word::{listed_ids, text_of};
use std::collections::BTreeSet;

/// Chains that are named.
const SHOWN: usize = 20;

/// A note about a file that ends with its atoms, if there is a sign that more of them should follow. Some programs write no `#` after
/// tables, so this alone is no sign.
#[cold]
pub(super) fn note(text: &[u8]) -> Option<Note> {
    let trimmed = text.trim_ascii_end();
    let last_line = memchr::memrchr(b'\n', trimmed).map_or(trimmed, |at| &trimmed[at + 1..]);
    if last_line.starts_with(b"#") {
        return None;
    }
    let said = |text: String| Some(Note { kind: NoteKind::MaybeCut, text });
    // A `#` before the block is a comment.
    let begins = |line: &[u8]| line.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"data_"));
    if lines(text).skip_while(|(_, line)| !begins(line)).any(|(_, line)| line.trim_ascii_end() == b"#") {
        return said(
            "the file ends with its atoms, without a `#` after the last as after tables before: it may be cut"
                .to_owned(),
        );
    }
    let missing = chains_without_atoms(text);
    if missing.is_empty() {
        return None;
    }
    let more = (missing.len() > SHOWN).then_some("…");
    let listed = listed_ids(missing.iter().take(SHOWN).map(String::as_str).chain(more));
    let chains = form(missing.len(), "chain", "chains");
    said(format!(
        "the file ends with its atoms, and has none of {chains} {listed}, which _struct_asym names: it may be cut"
    ))
}

/// The chains that `_struct_asym` names and that have no atoms, if some of them have.
fn chains_without_atoms(text: &[u8]) -> Vec<String> {
    let ids = |category: &[u8], item: &[u8]| {
        let mut ids = BTreeSet::new();
        let found = rows(text, category, [item], &mut |[id]| {
            ids.insert(id);
            Ok(true)
        });
        // Faults of the file are reported where it is read.
        found.map(|_| ids).unwrap_or_default()
    };
    let (named, met) = (ids(b"_struct_asym.", b"id"), ids(CATEGORY, b"label_asym_id"));
    match named.is_disjoint(&met) {
        true => Vec::new(),
        false => named.difference(&met).map(|id| text_of(id)).collect(),
    }
}
