//! Files that store groups of rows column by column: Arrow and Parquet, of residues and of relations.

use super::in_order::InOrder;
use super::rows::GroupRows;
use super::sink::Sink;
use super::site_ids::WithSiteIds;
use super::value::Kind;
use super::{Column, Columns, OutputError, RelationColumn};
use crate::pipeline::Computed;
use std::sync::Arc;

/// Rows in a group. This is enough to compress well, and few enough that readers can take part of a file and several groups can be
/// encoded at once.
pub(super) const GROUP_ROWS: usize = 1 << 16;
/// The most groups that are encoded at a time. The thread that writes waits while there are this many.
const GROUPS_IN_FLIGHT: usize = 4;

/// A group of rows that threads read column by column.
pub(super) trait Group: Send + Sync + 'static {
    /// How many there are.
    fn rows(&self) -> usize;

    /// Gives `sink` the values of a column, and calls `each` after every part.
    fn give<S: Sink, E>(&self, column: usize, sink: &mut S, each: impl FnMut(&mut S) -> Result<(), E>)
    -> Result<(), E>;
}

/// What a file says about a column.
pub(super) struct Described {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether kernels compute its numbers, which hardly repeat.
    pub(super) is_feature: bool,
    /// Names and texts: unit, definition, source.
    pub(super) about: Vec<(&'static str, &'static str)>,
}

impl From<&Column> for Described {
    fn from(column: &Column) -> Self {
        let about = [("unit", column.unit()), ("definition", column.definition()), ("source", column.source())];
        let is_feature = matches!(column, Column::Feature(_));
        Self { name: column.name(), kind: column.kind(), is_feature, about: about.into() }
    }
}

impl From<&RelationColumn> for Described {
    fn from(column: &RelationColumn) -> Self {
        let about = [("unit", column.unit), ("definition", column.definition)];
        Self { name: column.name, kind: column.kind.into(), is_feature: false, about: about.into() }
    }
}

/// All columns of a table.
pub(super) fn described<'c, C>(columns: &'c [C]) -> Vec<Described>
where
    Described: From<&'c C>,
{
    columns.iter().map(Described::from).collect()
}

/// A file of such a format.
pub(super) trait ColumnFile {
    /// What encoding a column takes.
    type Column: Clone + Send + 'static;
    /// An encoded column of a group.
    type Encoded: Send + 'static;

    /// Its columns.
    fn columns(&self) -> Vec<Self::Column>;

    /// Encodes a column of a group, on any thread.
    fn encode(column: &Self::Column, index: usize, group: &impl Group) -> Self::Encoded;

    /// Writes a group.
    fn write(&mut self, group: Vec<Self::Encoded>) -> Result<(), OutputError>;

    /// Ends the file.
    fn finish(self) -> Result<(), OutputError>;
}

/// A file whose columns rayon's threads encode.
pub(super) struct Grouped<F: ColumnFile> {
    file: F,
    columns: Vec<F::Column>,
    /// Group by group, column by column.
    in_flight: InOrder<F::Encoded>,
    /// The columns of the next group in the file.
    encoded: Vec<F::Encoded>,
}

impl<F: ColumnFile> Grouped<F> {
    pub(super) fn new(file: F) -> Self {
        Self { columns: file.columns(), file, in_flight: InOrder::default(), encoded: Vec::new() }
    }

    /// Passes the columns of a group to rayon's threads, and writes the groups that are ready.
    pub(super) fn write(&mut self, group: impl Group) -> Result<(), OutputError> {
        if group.rows() == 0 {
            return Ok(());
        }
        let group = Arc::new(group);
        let encode = |(index, column): (usize, &F::Column)| {
            let (group, column) = (Arc::clone(&group), column.clone());
            move || F::encode(&column, index, &*group)
        };
        self.in_flight.begin(self.columns.iter().enumerate().map(encode).collect());
        drop(group);
        self.write_ready(GROUPS_IN_FLIGHT)
    }

    /// Writes the groups that are ready. Waits for others while more than `most` are in flight.
    fn write_ready(&mut self, most: usize) -> Result<(), OutputError> {
        while let Some(encoded) = self.in_flight.next(most * self.columns.len()) {
            self.encoded.push(encoded.map_err(std::io::Error::from)?);
            if self.encoded.len() == self.columns.len() {
                self.file.write(std::mem::take(&mut self.encoded))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), OutputError> {
        self.write_ready(0)?;
        self.file.finish()
    }
}

/// A table of residues in such a file.
pub(super) struct ResidueGroups<F: ColumnFile> {
    file: Grouped<F>,
    columns: Columns,
    /// The group that is not full yet.
    group: GroupRows,
}

impl<F: ColumnFile> ResidueGroups<F> {
    pub(super) fn new(file: F, columns: Columns) -> Self {
        Self { file: Grouped::new(file), group: GroupRows::of(&columns), columns }
    }

    pub(super) fn write(&mut self, computed: &Arc<Computed>) -> Result<(), OutputError> {
        computed.derive(&self.columns);
        let (batch, mut next) = (WithSiteIds::begin(computed, &self.columns), 0);
        while next < computed.results.len() {
            next = self.group.fill(&batch, next, GROUP_ROWS);
            if self.group.rows() >= GROUP_ROWS {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), OutputError> {
        self.file.write(std::mem::replace(&mut self.group, GroupRows::of(&self.columns)))
    }

    pub(super) fn finish(mut self) -> Result<(), OutputError> {
        self.end_group()?;
        self.file.finish()
    }
}
