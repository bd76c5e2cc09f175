//! The rows of a row group or record batch, read in place.

use super::{SharedRows, StructureRows};
use std::ops::Range;

/// Consecutive structures of some batches, until they have as many rows as a group should have.
#[derive(Default)]
pub(super) struct GroupRows {
    /// Structures of each batch.
    batches: Vec<(SharedRows, Range<usize>)>,
    rows: usize,
}

impl GroupRows {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Takes structures of a batch, beginning with `first`, until there are at least `most` rows or no more structures: so groups
    /// end at the same structures for any division of a table into batches. Returns the first structure that was not taken.
    pub(super) fn fill(&mut self, batch: &SharedRows, first: usize, most: usize) -> usize {
        let mut end = first;
        while end < batch.len() && (end == first || self.rows < most) {
            self.rows += batch.get(end).len();
            end += 1;
        }
        self.batches.push((batch.clone(), first..end));
        end
    }

    /// The rows of each structure.
    pub(super) fn iter(&self) -> impl Iterator<Item = StructureRows<'_>> {
        self.batches.iter().flat_map(|(batch, range)| range.clone().map(|index| batch.get(index)))
    }
}
