//! The frames of a trajectory: values of residues over time, and positions for a slider.

use super::atoms::deltas;
use super::packed_bytes;
use prism_io::output::{Column, Moments, StructureRows, Value as Cell};
use serde_json::{Map, Value, json};
use shared_types::Atom;

/// Most frames of the heat map and the slider. Of more, every n-th is taken.
const MOST: usize = 200;
/// Most positions of the slider, of all frames together.
const MOST_POSITIONS: usize = 1_500_000;
/// The columns with a heat map.
const MAPPED: [&str; 8] = ["rsa", "sasa", "depth", "contact_number", "site_score", "wcn", "phi", "psi"];
/// Steps of an Å.
const STEPS: f32 = 20.0;
/// Steps between the lowest and the highest value of a heat map; the next byte stands for no value.
const LEVELS: f32 = 254.0;

/// What is known of the frames so far.
#[derive(Default)]
pub(super) struct Frames {
    seen: usize,
    /// Numbers and times of the first, the second and the last frame.
    ends: [Option<(u32, f32)>; 3],
    /// Each column's moments, row by row.
    moments: Vec<(Column, Vec<Moments>)>,
    kept: Vec<Kept>,
    /// n - 1, if every n-th frame is kept.
    skipped: usize,
    /// The atoms that chains are drawn through.
    atoms: Vec<usize>,
}

/// A frame of the heat map and the slider.
struct Kept {
    number: u32,
    time: f32,
    values: Vec<Vec<f32>>,
    positions: Vec<Atom>,
}

impl Frames {
    pub(super) fn len(&self) -> usize {
        self.seen
    }

    /// Numbers and times in ps of the first, the second and the last frame, which say how long the trajectory is and which frames were taken.
    pub(super) fn times(&self) -> Vec<Value> {
        let known = self.ends.iter().flatten();
        known.map(|&(number, time)| json!({ "number": number, "time": time.is_finite().then_some(time) })).collect()
    }

    /// Adds a frame. All have the same residues.
    pub(super) fn add(&mut self, part: &StructureRows<'_>) {
        let rows = 0..part.len();
        let own = part.structure.frame.map(|frame| (frame.number, frame.time));
        self.ends[self.seen.min(2)] = own;
        if self.seen == 0 {
            self.atoms = drawn(part);
            let is_number = |column: &Column| matches!(column, Column::Feature(feature) if !feature.is_state() && !matches!(feature.name, "ca_x" | "ca_y" | "ca_z"));
            self.moments = Column::every()
                .filter(is_number)
                .map(|column| (column, vec![Moments::of(&column); part.len()]))
                .collect();
        }
        let value = |row: usize, column: &Column| match part.value(row, column) {
            Cell::Float(value) => value,
            _ => f32::NAN,
        };
        for (column, moments) in &mut self.moments {
            moments.iter_mut().enumerate().for_each(|(row, moments)| moments.add(value(row, column)));
        }
        if self.seen.is_multiple_of(self.skipped + 1) {
            let mapped = self.moments.iter().filter(|(column, _)| MAPPED.contains(&column.name()));
            let values = mapped.map(|(column, _)| rows.clone().map(|row| value(row, column)).collect()).collect();
            let positions = self.atoms.iter().map(|&atom| part.structure.atoms[atom]).collect();
            let (number, time) = own.unwrap_or((0, f32::NAN));
            self.kept.push(Kept { number, time, values, positions });
            if self.kept.len() > 1 && (self.kept.len() > MOST || self.kept.len() * self.atoms.len() > MOST_POSITIONS) {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.skipped = 2 * self.skipped + 1;
            }
        }
        self.seen += 1;
    }

    /// Means and standard deviations by column and residue; the kept frames' numbers, times, values and positions.
    pub(super) fn json(&self) -> Value {
        let three = |value: f32| value.is_finite().then(|| (f64::from(value) * 1e3).round() / 1e3);
        let mut columns = Map::new();
        for (column, moments) in
            self.moments.iter().filter(|(_, moments)| moments.iter().any(|own| own.mean().is_finite()))
        {
            let mean = moments.iter().map(|own| three(own.mean())).collect::<Vec<_>>();
            let deviation = moments.iter().map(|own| three(own.sd())).collect::<Vec<_>>();
            columns.insert(column.name().to_owned(), json!({ "mean": mean, "deviation": deviation }));
        }
        let mapped = self.moments.iter().filter(|(column, _)| MAPPED.contains(&column.name())).enumerate();
        let maps: Map<String, Value> = mapped
            .filter_map(|(index, (column, _))| {
                let values = || self.kept.iter().flat_map(move |frame| &frame.values[index]);
                let defined = || values().filter(|value| value.is_finite());
                let (low, high) = defined()
                    .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
                // The colours of angles go round the circle.
                let (low, high) = if column.is_dihedral() && low <= high { (-180.0, 180.0) } else { (low, high) };
                let level = |&value: &f32| {
                    if value.is_finite() {
                        ((value - low) / (high - low).max(f32::MIN_POSITIVE) * LEVELS).round() as u8
                    } else {
                        u8::MAX
                    }
                };
                let bytes: Vec<u8> = values().map(level).collect();
                (low <= high).then(|| {
                    (column.name().to_owned(), json!({ "low": low, "high": high, "levels": packed_bytes(&bytes) }))
                })
            })
            .collect();
        let positions = self.kept.iter().map(|frame| deltas(&frame.positions.iter().collect::<Vec<_>>(), STEPS));
        json!({
            "frames": self.seen,
            "numbers": self.kept.iter().map(|frame| frame.number).collect::<Vec<_>>(),
            "times": self.kept.iter().map(|frame| frame.time.is_finite().then_some(frame.time)).collect::<Vec<_>>(),
            "columns": columns,
            "maps": maps,
            "atoms": self.atoms,
            "steps": STEPS,
            "positions": positions.collect::<Vec<_>>(),
        })
    }
}

/// All atoms of a small structure; of others those that chains are drawn through: alpha carbons and carbonyls of amino acids, all atoms
/// of other residues.
fn drawn(part: &StructureRows<'_>) -> Vec<usize> {
    let structure = part.structure;
    let all = structure.residue_atoms[part.len()] as usize;
    if all <= MOST_POSITIONS / MOST {
        return (0..all).collect();
    }
    let of_row = |row: usize| {
        let own = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        let alpha = structure.ca_indices.get(row).map(|&atom| atom as usize).filter(|atom| own.contains(atom));
        let is_drawn = move |atom: &usize| {
            let name = structure.atom_labels.get(*atom).map_or("", |label| label.name());
            alpha.is_none_or(|alpha| *atom == alpha || matches!(name, "C" | "O"))
        };
        own.filter(is_drawn)
    };
    (0..part.len()).flat_map(of_row).collect()
}
