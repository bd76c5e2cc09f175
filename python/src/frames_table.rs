//! Tables of the frames of a trajectory: with columns of the frame, or of frames that are followed.

use crate::consume::Message;
use crate::options::Options;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use prism_host::engine::Selection;
use prism_host::output::{
    CellKind, Cells, Column, Columns, EdgesRelation, FrameColumn, OccupancyRelation, PocketsRelation, PocketsSummary,
    ReducedRelation, Relation, RelationColumn, SitesRelation, SitesTally, Statistics, StructureRows, relation_batch,
};
use prism_host::sites::SiteLimits;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use pyo3::pyfunction;
use shared_types::FEATURES;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a table of frames has that follows them.
#[derive(Clone)]
pub enum Kind {
    /// Sites of each frame, with the number of the pocket that each is.
    Sites(SiteLimits),
    /// Pockets: sites of several frames.
    Pockets(SiteLimits),
    /// Statistics of columns.
    Reduced(Columns, Statistics),
    /// Pairs of residues that are in contact in some frame.
    Occupancy(EdgesRelation),
}

impl Kind {
    /// Statistics that are asked for.
    pub fn reduced(columns: Columns, options: &Options) -> PyResult<Self> {
        let statistics = Statistics::choose(options.statistics.iter().map(String::as_str))
            .map_err(|problem| PyValueError::new_err(format!("statistics: {problem}")))?;
        ReducedRelation::check(&columns, &statistics)
            .map_err(|problem| PyValueError::new_err(format!("statistics: {problem}")))?;
        Ok(Self::Reduced(columns, statistics))
    }

    /// The features that it needs.
    pub fn selection(&self) -> Selection {
        match self {
            Self::Sites(_) | Self::Pockets(_) => {
                Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true)
            }
            Self::Reduced(columns, _) => columns.selection(),
            Self::Occupancy(_) => Selection::new(std::iter::empty(), false),
        }
    }

    fn relation(&self) -> (Box<dyn Relation + Send>, SitesTally) {
        let sites = match self {
            Self::Sites(limits) | Self::Pockets(limits) => SitesRelation::new(*limits),
            _ => SitesRelation::new(SiteLimits::ALL),
        };
        let tally = sites.tally();
        let relation: Box<dyn Relation + Send> = match self {
            Self::Sites(_) => Box::new(PocketsRelation::new(sites, None)),
            Self::Pockets(_) => Box::new(PocketsSummary::new(sites)),
            Self::Reduced(columns, statistics) => Box::new(ReducedRelation::new(columns, statistics)),
            Self::Occupancy(edges) => Box::new(OccupancyRelation::new(edges.clone())),
        };
        (relation, tally)
    }
}

/// A table that follows the frames of a run.
pub struct Followed {
    kind: Kind,
    /// Whether its rows have the columns of a frame.
    has_frames: bool,
    relation: Mutex<Box<dyn Relation + Send>>,
    tally: SitesTally,
}

impl Followed {
    /// Of no frame yet.
    pub fn new(kind: Kind) -> Self {
        let (relation, tally) = kind.relation();
        Self { kind, has_frames: false, relation: Mutex::new(relation), tally }
    }

    /// The same for another run.
    pub fn again(&self) -> Self {
        Self { has_frames: self.has_frames, ..Self::new(self.kind.clone()) }
    }

    /// The same for frames. Rows that follow the last frame are of none.
    pub fn of_frames(&self) -> Self {
        Self { has_frames: matches!(self.kind, Kind::Sites(_)), ..self.again() }
    }

    /// The same without columns that no input gives.
    pub fn without_annotations(self, given: impl Fn(&str) -> bool) -> Self {
        match self.kind {
            Kind::Reduced(columns, statistics) => {
                Self::new(Kind::Reduced(columns.without_annotations(given), statistics))
            }
            _ => self,
        }
    }

    pub fn selection(&self) -> Selection {
        self.kind.selection()
    }

    /// The rows of frames, and what is odd about them.
    pub fn take(&self, parts: &[StructureRows<'_>]) -> Result<(RecordBatch, Vec<Message>), String> {
        let mut relation = self.relation();
        relation.prepare(parts);
        let columns = relation.columns();
        let batch = |cells: Vec<Cells>| relation_batch(columns, cells).map_err(|error| error.to_string());
        let mut frames = Vec::with_capacity(parts.len());
        for part in parts {
            let mut cells = Cells::of(columns);
            relation.append(part, &mut cells).map_err(|error| error.to_string())?;
            frames.push((*part, batch(cells)?));
        }
        let empty = batch(Cells::of(columns))?;
        let rows = match self.has_frames {
            true => with_frames(&empty, &frames)?,
            false => joined(&empty, &frames)?,
        };
        Ok((rows, self.tally.take_warnings()))
    }

    /// The rows that follow the last frame, if the table has such rows.
    pub fn last(&self) -> Option<Result<RecordBatch, String>> {
        if matches!(self.kind, Kind::Sites(_)) {
            return None;
        }
        let mut relation = self.relation();
        let mut cells = Cells::of(relation.columns());
        let found = relation.last(&mut cells).and_then(|()| relation_batch(relation.columns(), cells));
        Some(found.map_err(|error| error.to_string()))
    }

    fn relation(&self) -> MutexGuard<'_, Box<dyn Relation + Send>> {
        self.relation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Name, unit and definition of the columns of a frame.
#[pyfunction]
pub fn frame_columns() -> Vec<(&'static str, &'static str, &'static str)> {
    FRAME.iter().map(|column| (column.name, column.unit, column.definition)).collect()
}

/// The columns of a frame, as the command has them.
const FRAME: [RelationColumn; 2] = {
    const fn column(of: Column, kind: CellKind) -> RelationColumn {
        RelationColumn::new(of.name(), kind, of.unit(), of.definition())
    }
    [
        column(Column::Frame(FrameColumn::Number), CellKind::Int),
        column(Column::Frame(FrameColumn::Time), CellKind::Float),
    ]
};

/// The rows of frames, one batch for each, as a table with the frame's number and time after the structure's name. `empty` has its
/// columns.
pub fn with_frames(empty: &RecordBatch, frames: &[(StructureRows<'_>, RecordBatch)]) -> Result<RecordBatch, String> {
    let rows = joined(empty, frames)?;
    let (mut numbers, mut times) = (Vec::with_capacity(rows.num_rows()), Vec::with_capacity(rows.num_rows()));
    for (part, batch) in frames {
        let frame = part.structure.frame;
        numbers.resize(numbers.len() + batch.num_rows(), frame.map_or(-1, |frame| frame.number as i32));
        times.resize(times.len() + batch.num_rows(), frame.map_or(f32::NAN, |frame| frame.time));
    }
    let own =
        relation_batch(&FRAME, vec![Cells::Int(numbers), Cells::Float(times)]).map_err(|error| error.to_string())?;
    let (mut fields, mut columns) = (rows.schema().fields().to_vec(), rows.columns().to_vec());
    fields.splice(1..1, own.schema().fields().iter().cloned());
    columns.splice(1..1, own.columns().iter().cloned());
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    RecordBatch::try_new(schema, columns).map_err(|error| error.to_string())
}

fn joined(empty: &RecordBatch, frames: &[(StructureRows<'_>, RecordBatch)]) -> Result<RecordBatch, String> {
    concat_batches(&empty.schema(), frames.iter().map(|(_, batch)| batch)).map_err(|error| error.to_string())
}
