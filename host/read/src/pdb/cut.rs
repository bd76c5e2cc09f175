//! Signs that a PDB file was cut between two records.

use super::header::Header;
use super::hetatm_in_any_case;
use crate::lines::lines;
use crate::note::{Note, NoteKind};
use crate::plural::form;
use crate::word::{listed_ids, text_of};
use std::collections::BTreeSet;

/// A note about a file without `END` that lacks the atoms of chains which its header names. Some programs write no `END`, so this alone
/// is no sign. A file with records that follow all atoms was not cut among these.
#[cold]
pub(super) fn note(text: &[u8], header: &Header) -> Option<Note> {
    /// Chains that are named.
    const SHOWN: usize = 20;
    let mut missing: BTreeSet<u8> = header.chains().collect();
    for (_, line) in lines(text) {
        if missing.is_empty() {
            return None;
        }
        if line.starts_with(b"CONECT") || line.starts_with(b"MASTER") {
            return None;
        }
        if let Some(chain) = line.get(21).filter(|_| hetatm_in_any_case(line).is_some()) {
            missing.remove(chain);
        }
    }
    let named: Vec<String> = missing.iter().take(SHOWN).map(|&chain| text_of(&[chain])).collect();
    let more = (missing.len() > SHOWN).then_some("…");
    let listed = listed_ids(named.iter().map(String::as_str).chain(more));
    let chains = form(missing.len(), "chain", "chains");
    let text = format!("the file has no END, and no atoms of {chains} {listed}, which SEQRES names: it may be cut");
    (!missing.is_empty()).then_some(Note { kind: NoteKind::MaybeCut, text })
}
