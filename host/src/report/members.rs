//! Interactions of an archive's members. An archive is read from its beginning to its end, so they are looked for when all structures are
//! known, and follow the structures in the report.

use super::detail::packed_json;
use super::relations::{InteractionFiles, view_indices};
use prism_io::output::StructureRows;
use rayon::prelude::*;
use std::collections::HashMap;

/// Members that are searched side by side.
const TOGETHER: usize = 32;

/// The members of archives that have a view: its number, and the indices of residues in it, by the structure's name.
#[derive(Default)]
pub(super) struct Members(HashMap<String, Member>);

struct Member {
    detail: usize,
    view_indices: HashMap<String, usize>,
}

impl Members {
    pub(super) fn add(&mut self, part: &StructureRows<'_>, detail: usize) {
        self.0.insert(part.structure.name.clone(), Member { detail, view_indices: view_indices(part) });
    }

    /// Calls `write` with the number of each one's view, and its interactions, packed.
    ///
    /// # Errors
    /// Those of `write`. Members that cannot be read have failed before, and have no view.
    pub(super) fn search(
        mut self,
        from: &InteractionFiles,
        write: &mut dyn FnMut(usize, &str) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut waiting: Vec<(Member, String, Vec<u8>)> = Vec::new();
        let mut search = |waiting: &mut Vec<(Member, String, Vec<u8>)>| {
            let packed: std::io::Result<Vec<(usize, String)>> = waiting
                .par_iter()
                .map(|(Member { detail, view_indices }, name, bytes)| {
                    Ok((*detail, packed_json(&from.found(name, bytes, view_indices))?))
                })
                .collect();
            waiting.clear();
            packed?.iter().try_for_each(|(detail, text)| write(*detail, text))
        };
        let mut outcome = Ok(());
        for archive in &from.archives {
            archive.each_file(&mut |name, bytes| {
                if let Some(member) = bytes.is_ok().then(|| self.0.remove(name)).flatten() {
                    waiting.push((member, name.to_owned(), bytes.unwrap_or_default().to_vec()));
                }
                if waiting.len() == TOGETHER {
                    outcome = search(&mut waiting);
                }
                outcome.is_ok() && !self.0.is_empty()
            });
        }
        outcome.and_then(|()| search(&mut waiting))
    }
}
