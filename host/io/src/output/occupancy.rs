//! Contacts of residues over the frames of a trajectory.

use super::ahead::Ahead;
use super::relations::{STRUCTURE, Value, float, int, push, text};
use super::{Cells, EdgesRelation, OutputError, Relation, RelationColumn, StructureRows};
use prism_engine::contacts::{Edge, EdgeKind};
use std::collections::BTreeMap;

/// A line per pair of residues that has an edge in any frame, with the share of frames. Memory grows with the number of such pairs, not
/// with that of frames.
///
/// ```
/// use prism_engine::contacts::{EdgeKind, EdgeRules};
/// use prism_io::output::{EdgesRelation, OccupancyRelation, Relation};
///
/// let occupancy = OccupancyRelation::new(EdgesRelation::new(EdgeRules::default(), vec![EdgeKind::AlphaCarbons], false));
/// assert!(occupancy.columns().iter().any(|column| column.name == "occupancy"));
/// ```
pub struct OccupancyRelation {
    of: EdgesRelation,
    name: String,
    chains: Vec<String>,
    pairs: BTreeMap<(u32, u32, EdgeKind), Pair>,
    frames: usize,
    ahead: Ahead<Vec<Edge>>,
}

/// A pair's contacts so far.
#[derive(Default)]
struct Pair {
    frames: usize,
    sum: f64,
    least: f32,
}

impl OccupancyRelation {
    /// Counts these contacts.
    #[must_use]
    pub fn new(of: EdgesRelation) -> Self {
        let (name, chains, pairs) = (String::new(), Vec::new(), BTreeMap::new());
        Self { of, name, chains, pairs, frames: 0, ahead: Ahead::default() }
    }
}

impl Relation for OccupancyRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                int("row_i", "row of the first residue in its structure, from 0"),
                int("row_j", "row of the second residue, larger than row_i but for knn and hbond_backbone"),
                text("residue_i", "the first residue: chain, number and insertion code (A_120)"),
                text("residue_j", "the second residue"),
                text("kind", "what makes the edge, as in the table of edges"),
                int("frames", "frames in which the two are in contact"),
                float("occupancy", "", "their share of all frames"),
                float("distance_mean", "Å", "mean distance in these frames"),
                float("distance_min", "Å", "smallest distance in these frames"),
            ]
        }
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| self.of.edges(part.structure));
    }

    fn append(&mut self, part: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        if self.frames == 0 {
            self.name.clone_from(&part.structure.name);
            self.chains = (0..part.structure.n_rows()).map(|row| part.residue(row)).collect();
        }
        self.frames += 1;
        for edge in self.ahead.next(|| self.of.edges(part.structure)) {
            let pair = self.pairs.entry((edge.row_i, edge.row_j, edge.kind)).or_default();
            pair.least = if pair.frames == 0 { edge.distance } else { pair.least.min(edge.distance) };
            pair.frames += 1;
            pair.sum += f64::from(edge.distance);
        }
        Ok(())
    }

    fn last(&mut self, cells: &mut [Cells]) -> Result<(), OutputError> {
        for (&(row_i, row_j, kind), pair) in &self.pairs {
            let [i, j] = [row_i, row_j].map(|row| row as usize);
            let residue = |row: usize| self.chains.get(row).map_or("", String::as_str);
            push(
                cells,
                &[
                    Value::Text(&self.name),
                    Value::Int(i),
                    Value::Int(j),
                    Value::Text(residue(i)),
                    Value::Text(residue(j)),
                    Value::Text(kind.name()),
                    Value::Int(pair.frames),
                    Value::Float((pair.frames as f64 / self.frames as f64) as f32),
                    Value::Float((pair.sum / pair.frames as f64) as f32),
                    Value::Float(pair.least),
                ],
            );
        }
        Ok(())
    }
}
