//! The rows of a row group or record batch, read in place.

use super::columnar::Group;
use super::sink::Sink;
use super::site_ids::WithSiteIds;
use super::{Column, Columns};
use std::ops::Range;
use std::sync::Arc;

/// Consecutive structures of some batches, until they have as many rows as a group should have.
pub(super) struct GroupRows {
    columns: Vec<Column>,
    /// Structures of each batch.
    batches: Vec<(Arc<WithSiteIds>, Range<usize>)>,
    rows: usize,
}

impl GroupRows {
    /// No rows yet.
    pub(super) fn of(columns: &Columns) -> Self {
        Self { columns: columns.as_slice().to_vec(), batches: Vec::new(), rows: 0 }
    }

    /// Takes structures of a batch, beginning with `first`, until there are at least `most` rows or no more structures: so groups
    /// end at the same structures for any division of a table into batches. Returns the first structure that was not taken.
    pub(super) fn fill(&mut self, batch: &Arc<WithSiteIds>, first: usize, most: usize) -> usize {
        let (computed, mut end) = (batch.computed(), first);
        while end < computed.results.len() && (end == first || self.rows < most) {
            self.rows += computed.rows_of(end).map_or(0, |rows| rows.len());
            end += 1;
        }
        self.batches.push((Arc::clone(batch), first..end));
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
        let structures = self.batches.iter().flat_map(|(batch, range)| {
            range.clone().filter_map(move |index| Some((batch, index, batch.computed().rows_of(index)?)))
        });
        let column = &self.columns[column];
        for (batch, index, rows) in structures {
            match column {
                Column::SiteId => sink.optionals(batch.site_ids(index, &rows)),
                _ => rows.give(column, sink),
            }
            each(sink)?;
        }
        Ok(())
    }
}
