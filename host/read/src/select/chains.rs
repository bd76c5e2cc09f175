//! The chains of the records: which are selected, and where one ends.

use super::Selection;
use crate::molecules::{as_read, author_chain};
use crate::word::text_of;
use std::collections::HashSet;

/// The ids by which a file has the requested chains. Molecules of a chain (`A~2`) are told apart when all of it is read.
pub(super) fn wanted(ids: &[String]) -> HashSet<String> {
    ids.iter().flat_map(|id| [as_read(id), author_chain(id)]).map(str::to_owned).collect()
}

impl<'a> Selection<'a> {
    /// Ends the chain of the records so far, although records of a chain with its name may follow.
    pub(crate) fn end_chain(&mut self) {
        let rows = self.draft.structure.n_residues();
        if self.draft.ends.last() != Some(&rows) {
            self.draft.ends.push(rows);
        }
    }

    /// Takes note of the chain that a model begins with which is not read.
    pub(crate) fn see_unread(&mut self, chain: &[u8]) {
        self.draft.lacks_chains |= !self.draft.structure.chains.contains(&text_of(chain));
    }

    /// Sets what the file calls the molecule of the residues that follow, packed; 0 for nothing.
    pub(crate) fn segment(&mut self, segment: u64) {
        self.segment = segment;
    }

    /// Sets the polymer of the residues that follow, packed; 0 if the file names none.
    pub(crate) fn polymer(&mut self, asym: u64) {
        self.segment = asym;
        self.draft.segments_are_polymers |= asym != 0;
    }

    /// Sets whether the file calls the residues that follow water.
    pub(crate) fn set_water(&mut self, is_water: bool) {
        self.is_water = is_water;
    }

    /// Parses the residue numbers that follow by another rule.
    pub(crate) fn number_by(&mut self, residue_number: fn(&[u8]) -> Option<i32>) {
        self.syntax.residue_number = residue_number;
    }

    /// Whether a chain is selected.
    pub(super) fn is_wanted(&mut self, chain: &'a [u8]) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        match self.entered {
            Some((entered, is_wanted)) if entered == chain => is_wanted,
            _ => {
                if self.met_before.insert(chain) {
                    self.met.push(chain);
                }
                let is_wanted = wanted.contains(&text_of(chain));
                self.entered = Some((chain, is_wanted));
                is_wanted
            }
        }
    }

    /// Whether a chain is selected, of which the file may have no record.
    pub(crate) fn wants(&self, chain: &[u8]) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&text_of(chain)))
    }

    /// The index of a chain, which is new if no residue had it.
    pub(super) fn index_of_chain(&mut self, chain: &'a [u8]) -> u32 {
        let chains = &mut self.draft.structure.chains;
        let index = *self.chain_index.entry(chain).or_insert_with(|| {
            chains.push(text_of(chain));
            chains.len() as u32 - 1
        });
        self.last_chain = Some((chain, index));
        index
    }
}
