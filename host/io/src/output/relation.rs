//! Relations: tables whose rows are not residues but pairs of residues, pairs of chains, chains, or sites.

mod cells;
mod lines;
mod texts;

pub use cells::{CellKind, Cells, RelationColumn};
pub use lines::{CellTable, LineTable};
pub use texts::Texts;

use super::ahead::steps;
use super::arrow::record_batch;
use super::columnar::described;
use super::{Format, OutputError, Provenance, StructureRows, Table};
use arrow_array::RecordBatch;
use std::io::Write;

/// A table whose rows are not residues.
pub trait Relation {
    /// Its columns.
    fn columns(&self) -> &'static [RelationColumn];

    /// Gets the structures whose lines are appended next, for what can be computed for many at once, by all threads.
    fn prepare(&mut self, _parts: &[StructureRows<'_>]) {}

    /// Appends the lines of a structure to the values of each column.
    ///
    /// # Errors
    /// If the data for the lines cannot be computed.
    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError>;

    /// Appends the lines that follow those of all structures.
    ///
    /// # Errors
    /// If the data for the lines cannot be computed.
    fn last(&mut self, _cells: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }

    /// Finishes other files that it writes.
    ///
    /// # Errors
    /// If one cannot be written.
    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        Ok(())
    }
}

/// A relation as a table.
///
/// ```
/// use prism_io::output::{CellKind, Cells, OutputError, Relation, RelationColumn, RelationTable, StructureRows, Table};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// /// Names of structures, and how long they are.
/// struct Lengths;
///
/// impl Relation for Lengths {
///     fn columns(&self) -> &'static [RelationColumn] {
///         const {
///             &[
///                 RelationColumn::new("structure", CellKind::Text, "", "the structure's name"),
///                 RelationColumn::new("residues", CellKind::Int, "", "how many residues it has"),
///             ]
///         }
///     }
///
///     fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
///         let [Cells::Text(names), Cells::Int(residues)] = cells else { unreachable!() };
///         names.push(&part.structure.name);
///         residues.push(part.structure.n_residues() as i32);
///         Ok(())
///     }
/// }
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let features = &Engine::builder().backend(Backend::Cpu).build()?.run(std::slice::from_ref(&rbd))?[0];
/// let mut text = Vec::new();
/// let mut table = RelationTable::csv(&mut text, Lengths);
/// table.write(&[StructureRows { structure: &rbd, features: features.view() }])?;
/// Box::new(table).finish()?;
/// assert_eq!(text, b"structure,residues\nrbd,194\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RelationTable<W: Write + Send, R> {
    relation: Box<R>,
    lines: CellTable<W>,
}

impl<W: Write + Send, R: Relation> RelationTable<W, R> {
    /// Starts a table as text, formatted like [`CsvTable`](super::CsvTable). The header is written with the first structure, or
    /// at the end.
    pub fn csv(out: W, relation: R) -> Self {
        Self { lines: CellTable::csv(out, relation.columns()), relation: Box::new(relation) }
    }

    /// Starts a table in a format. In Arrow and Parquet, texts and integers are never null, and a number is null for NaN.
    pub(super) fn in_format(
        format: Option<Format>,
        out: W,
        relation: R,
        provenance: &Provenance,
    ) -> Result<Self, OutputError> {
        let lines = CellTable::in_format(format, out, relation.columns(), provenance)?;
        Ok(Self { lines, relation: Box::new(relation) })
    }
}

/// The values of columns as a record batch, with types and descriptions as in files.
///
/// ```
/// use prism_engine::contacts::EdgeRules;
/// use prism_io::output::{Cells, EdgesRelation, Relation, relation_batch};
///
/// let columns = EdgesRelation::new(EdgeRules::default(), Vec::new(), false).columns();
/// let batch = relation_batch(columns, Cells::of(columns))?;
/// assert_eq!(batch.schema().field_with_name("distance")?.metadata()["unit"], "Å");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the texts of a column are too long for Arrow's 32-bit offsets.
pub fn relation_batch(columns: &[RelationColumn], cells: Vec<Cells>) -> Result<RecordBatch, OutputError> {
    record_batch(&described(columns), &cells)
}

impl<W: Write + Send, R: Relation> Table for RelationTable<W, R> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for step in steps(structures) {
            self.relation.prepare(step);
            for part in step {
                self.relation.append(part, self.lines.cells())?;
                self.lines.end_part()?;
            }
        }
        self.lines.end_batch()
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        let Self { mut relation, mut lines } = *self;
        relation.last(lines.cells())?;
        lines.end_part()?;
        lines.write_out()?;
        relation.finish()?;
        lines.finish()
    }
}
