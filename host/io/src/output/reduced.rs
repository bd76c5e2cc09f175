//! Statistics of features over the frames of a trajectory.

mod statistics;

pub(super) use statistics::Series;
pub use statistics::{Moments, Statistic, Statistics};

use super::relations::{Value, own, push, text};
use super::{CellKind, Cells, Column, Columns, OutputError, Relation, RelationColumn, StructureRows};
use prism_read::structure::{Atoms, StructureInput};
use shared_types::Group;
use shared_types::backbone::SecondaryStructure;
use statistics::{Circle, Numbers};

/// A line per residue with statistics of columns over all frames. Memory does not grow with their number: a value of a residue takes some
/// sums, and at most about a thousand numbers or bins if quantiles
/// are asked for: they are exact up to 1,024 values, and within 0.5% beyond.
///
/// Of a column of numbers there is a column for each statistic (`sasa_mean`). Of dihedral angles there are `mean` and `sd` alone, on the
/// circle. Of a state there is the share of frames in each state (`ss_H`). Values that are undefined in a frame do not count.
pub struct ReducedRelation {
    statistics: Vec<Statistic>,
    columns: &'static [RelationColumn],
    reduced: Vec<Reduced>,
    /// The first frame's structure without its atoms.
    structure: Option<StructureInput>,
    frames: usize,
}

/// A column and the values of its residues so far.
enum Reduced {
    Numbers(Column, Vec<Numbers>),
    Dihedrals(Column, Vec<Circle>),
    /// Frames in each state.
    States(Column, Vec<[u32; STATES.len()]>),
}

/// Names of the states of secondary structure in columns, in the order of their numbers.
const STATES: [&str; 9] = ["loop", "H", "B", "E", "G", "I", "P", "T", "S"];

/// The columns that identify a residue.
const IDENTITY: [RelationColumn; 8] = [
    own(Column::Structure, CellKind::Text),
    own(Column::Row, CellKind::Int),
    own(Column::Chain, CellKind::Text),
    own(Column::Resnum, CellKind::Int),
    own(Column::Icode, CellKind::Text),
    own(Column::Resname, CellKind::Text),
    text("parent", Column::Parent.definition()),
    super::relations::int("frames", "number of frames"),
];

impl ReducedRelation {
    /// Statistics of those of `columns` that are features.
    #[must_use]
    pub fn new(columns: &Columns, statistics: &Statistics) -> Self {
        let statistics = statistics.as_slice();
        let reduced: Vec<Reduced> = columns.as_slice().iter().filter_map(|&column| Reduced::of(column)).collect();
        let mut all = IDENTITY.to_vec();
        for one in &reduced {
            all.extend(one.columns(statistics));
        }
        Self { statistics: statistics.to_vec(), columns: all.leak(), reduced, structure: None, frames: 0 }
    }

    /// What is to be said of columns that lack statistics.
    ///
    /// # Errors
    /// If no column has any of them; the text says which there are.
    pub fn check(columns: &Columns, statistics: &Statistics) -> Result<Vec<String>, String> {
        let is_feature = |column: &&Column| !Column::IDENTITY.contains(column) && !matches!(column, Column::Frame(_));
        let (mut whole, mut angles, mut without) = (0, Vec::new(), Vec::new());
        for column in columns.as_slice().iter().filter(is_feature) {
            match Reduced::of(*column) {
                Some(Reduced::Dihedrals(..)) => angles.push(column.name()),
                Some(_) => whole += 1,
                None => without.push(column.name()),
            }
        }
        let statistics = statistics.as_slice();
        let (on_circle, others): (Vec<&Statistic>, Vec<_>) = statistics.iter().partition(|one| one.is_on_circle());
        if whole == 0 && (angles.is_empty() || on_circle.is_empty()) {
            return Err(match &angles[..] {
                [] => "none of the columns has statistics; name one that is a number, such as sasa".to_owned(),
                _ => format!("dihedral angles ({}) have mean and sd alone; ask for these", angles.join(", ")),
            });
        }
        let mut said: Vec<String> =
            without.iter().map(|name| format!("{name} has no statistics, and is left out")).collect();
        if !angles.is_empty() && !others.is_empty() {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            let (angles, others) = (angles.join(", "), others.join(", "));
            said.push(format!("dihedral angles have mean and sd alone, so there is no {others} of {angles}"));
        }
        Ok(said)
    }
}

impl Reduced {
    /// What is kept of a column, before the first frame; `None` if it has no statistics.
    fn of(column: Column) -> Option<Self> {
        match column {
            Column::State(feature) if feature.group == Group::Backbone => Some(Self::States(column, Vec::new())),
            column if column.is_dihedral() => Some(Self::Dihedrals(column, Vec::new())),
            column if column.is_number() => Some(Self::Numbers(column, Vec::new())),
            _ => None,
        }
    }

    fn columns(&self, statistics: &[Statistic]) -> Vec<RelationColumn> {
        // Columns of a relation live as long as the program.
        let column = |column: &Column, suffix: &str, unit: &'static str, about: String| {
            let name: &'static str = format!("{}_{suffix}", column.name()).leak();
            RelationColumn::new(name, CellKind::Float, unit, about.leak())
        };
        match self {
            Self::Numbers(own, _) => {
                let of = |one: &Statistic| {
                    column(own, &one.to_string(), own.unit(), format!("{} of {} over frames", one.about(), own.name()))
                };
                statistics.iter().map(of).collect()
            }
            Self::Dihedrals(own, _) => {
                let on_circle = statistics.iter().filter(|one| one.is_on_circle());
                let of = |one: &Statistic| {
                    let about = format!("{} of {} over frames, on the circle", one.about(), own.name());
                    column(own, &one.to_string(), own.unit(), about)
                };
                on_circle.map(of).collect()
            }
            Self::States(own, _) => {
                let of = |state: &&str| column(own, state, "", format!("share of frames with the state {state}"));
                STATES.iter().map(of).collect()
            }
        }
    }
}

impl Relation for ReducedRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        self.columns
    }

    fn append(&mut self, part: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        self.frames += 1;
        if self.structure.is_none() {
            self.structure = Some(StructureInput { atoms: Atoms::default(), ..part.structure.clone() });
        }
        let sketches = self.statistics.iter().any(|one| matches!(one, Statistic::Quantile(_)));
        for reduced in &mut self.reduced {
            match reduced {
                Reduced::Numbers(column, all) => {
                    all.resize_with(part.len(), Numbers::default);
                    all.iter_mut().zip(part.numbers(column)).for_each(|(own, value)| own.add(value, sketches));
                }
                Reduced::Dihedrals(column, all) => {
                    all.resize_with(part.len(), Circle::default);
                    all.iter_mut().zip(part.numbers(column)).for_each(|(own, value)| own.add(value));
                }
                Reduced::States(column, all) => {
                    all.resize_with(part.len(), Default::default);
                    for (own, value) in all.iter_mut().zip(part.values_in(column)) {
                        if let Some(state) = SecondaryStructure::of(*value) {
                            own[state as usize] += 1;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn last(&mut self, cells: &mut [Cells]) -> Result<(), OutputError> {
        let Some(structure) = &self.structure else { return Ok(()) };
        for row in 0..structure.n_rows() {
            let chain = structure.chain_ids.get(row).and_then(|&chain| structure.chains.get(chain as usize));
            push(
                &mut cells[..3],
                &[Value::Text(&structure.name), Value::Int(row), Value::Text(chain.map_or("", String::as_str))],
            );
            if let Cells::Int(numbers) = &mut cells[3] {
                numbers.push(structure.residue_numbers[row]);
            }
            push(
                &mut cells[4..8],
                &[
                    Value::Text(&structure.insertion_codes[row]),
                    Value::Text(structure.resname(row)),
                    Value::Text(structure.parent(row)),
                    Value::Int(self.frames),
                ],
            );
            let mut values = Vec::with_capacity(cells.len() - 8);
            for reduced in &self.reduced {
                match reduced {
                    Reduced::Numbers(_, all) => {
                        values.extend(self.statistics.iter().map(|one| all[row].statistic(*one)))
                    }
                    Reduced::Dihedrals(_, all) => {
                        let on_circle = self.statistics.iter().filter(|one| one.is_on_circle());
                        values.extend(on_circle.map(|one| all[row].statistic(*one)));
                    }
                    Reduced::States(_, all) => {
                        // Nucleotides have none of these states.
                        let is_defined = all[row].iter().any(|&count| count > 0);
                        let share = |&count: &_| if is_defined { count as f32 / self.frames as f32 } else { f32::NAN };
                        values.extend(all[row].iter().map(share));
                    }
                }
            }
            for (cells, value) in cells[8..].iter_mut().zip(values) {
                if let Cells::Float(all) = cells {
                    all.push(value);
                }
            }
        }
        Ok(())
    }
}
