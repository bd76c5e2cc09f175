//! The rows of a row group or record batch, read in place.

use super::columnar::Group;
use super::sink::Sink;
use super::{Column, Columns, SharedRows};
use std::ops::Range;

/// Consecutive structures of some batches, until they have as many rows as a group should have.
pub(super) struct GroupRows {
    columns: Vec<Column>,
    /// Structures of each batch.
    batches: Vec<(SharedRows, Range<usize>)>,
    rows: usize,
}

impl GroupRows {
    /// No rows yet.
    pub(super) fn of(columns: &Columns) -> Self {
        Self { columns: columns.as_slice().to_vec(), batches: Vec::new(), rows: 0 }
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
}

impl Group for GroupRows {
    fn rows(&self) -> usize {
        self.rows
    }

    fn give<S: Sink, E>(
        &self,
        column: usize,
        sink: &mut S,
        mut each: impl FnMut(&mut S) -> Result<(), E>,
    ) -> Result<(), E> {
        let structures = self.batches.iter().flat_map(|(batch, range)| range.clone().map(|index| batch.get(index)));
        for structure in structures {
            structure.give(&self.columns[column], sink);
            each(sink)?;
        }
        Ok(())
    }
}
