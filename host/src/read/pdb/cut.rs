//! Signs that a PDB file was cut between two records.

use super::header::Header;
use super::hetatm_in_any_case;
use crate::read::note::{Note, NoteKind};
use memchr::memchr_iter;
use std::collections::BTreeSet;

/// A note about a file without `END` that lacks the atoms of chains which its header names. Some programs write no `END`, so this alone
/// is no sign.
#[cold]
pub(super) fn note(text: &[u8], header: &Header) -> Option<Note> {
    /// Chains that are named.
    const SHOWN: usize = 20;
    let mut missing: BTreeSet<u8> = header.chains().collect();
    let mut begin = 0;
    for end in memchr_iter(b'\n', text).chain([text.len()]) {
        if missing.is_empty() {
            return None;
        }
        let line = &text[begin..end];
        begin = end + 1;
        if let Some(chain) = line.get(21).filter(|_| hetatm_in_any_case(line).is_some()) {
            missing.remove(chain);
        }
    }
    let more = if missing.len() > SHOWN { ", …" } else { "" };
    let named: Vec<String> = missing.iter().take(SHOWN).map(|&chain| char::from(chain).to_string()).collect();
    let chains = if missing.len() == 1 { "chain" } else { "chains" };
    let text = format!(
        "the file has no END, and no atoms of {chains} {}{more}, which SEQRES names: it may be cut",
        named.join(", ")
    );
    (!missing.is_empty()).then_some(Note { kind: NoteKind::MaybeCut, text })
}
