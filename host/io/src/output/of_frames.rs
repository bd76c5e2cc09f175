//! Relations of the frames of a trajectory.

use super::relations::own;
use super::{CellKind, Cells, Column, FrameColumn, OutputError, Relation, RelationColumn, StructureRows};

/// A relation of every frame, with the frame's number and time after the structure's name.
///
/// ```
/// use prism_engine::contacts::EdgeRules;
/// use prism_io::output::{EdgesRelation, OfFrames, Relation};
///
/// let edges = OfFrames::new(EdgesRelation::new(EdgeRules::default(), Vec::new(), false));
/// let names: Vec<_> = edges.columns().iter().map(|column| column.name).collect();
/// assert_eq!(names[..4], ["structure", "frame", "time_ps", "row_i"]);
/// ```
pub struct OfFrames<R> {
    relation: Box<R>,
    columns: &'static [RelationColumn],
}

impl<R: Relation> OfFrames<R> {
    /// Adds the columns of frames. A relation's columns live as long as the program; there is one of these in a run.
    pub fn new(relation: R) -> Self {
        let mut columns = relation.columns().to_vec();
        let frame = own(Column::Frame(FrameColumn::Number), CellKind::Int);
        columns.splice(1..1, [frame, own(Column::Frame(FrameColumn::Time), CellKind::Float)]);
        Self { relation: Box::new(relation), columns: columns.leak() }
    }
}

impl<R: Relation> Relation for OfFrames<R> {
    fn columns(&self) -> &'static [RelationColumn] {
        self.columns
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.relation.prepare(parts);
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        // The relation's own cells are together.
        cells[..3].rotate_left(1);
        let appended = self.relation.append(part, &mut cells[2..]);
        let lines = cells[2].len();
        if let [Cells::Int(numbers), Cells::Float(times), ..] = cells {
            numbers.resize(lines, part.frame_number().unwrap_or(-1));
            times.resize(lines, part.frame_time());
        }
        cells[..3].rotate_right(1);
        appended
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.relation.finish()
    }
}
