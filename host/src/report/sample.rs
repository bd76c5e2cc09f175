//! Distributions of values, from a sample of the residues.

use prism_io::output::{Column, StructureRows, Value as Cell};
use serde_json::{Value, json};
use shared_types::backbone::SecondaryStructure;
use shared_types::{FEATURES, Group};
use std::iter::once;

/// Most residues in the sample.
const MOST: usize = 1 << 16;
/// Bars of a histogram.
const BARS: usize = 32;

/// Every n-th residue, with the smallest n that gives at most [`MOST`].
#[derive(Default)]
pub(super) struct Sample {
    seen: u64,
    /// n minus 1.
    skipped: u64,
    /// One row per residue, one value per column.
    rows: Vec<Vec<f32>>,
}

impl Sample {
    pub(super) fn add(&mut self, part: &StructureRows<'_>) {
        for row in 0..part.len() {
            if self.seen.is_multiple_of(self.stride()) {
                let value = |column: Column| match part.value(row, &column) {
                    // A predicted model's B column is in the distribution of confidences.
                    Cell::Float(_) if part.structure.predicted && column.name() == "b_factor" => f32::NAN,
                    Cell::Float(value) => value,
                    _ => f32::NAN,
                };
                self.rows.push(columns().map(value).collect());
                if self.rows.len() >= MOST {
                    let mut index = 0;
                    self.rows.retain(|_| {
                        index += 1;
                        index % 2 == 1
                    });
                    self.skipped = 2 * self.stride() - 1;
                }
            }
            self.seen += 1;
        }
    }

    pub(super) fn stride(&self) -> u64 {
        self.skipped + 1
    }

    pub fn residues(&self) -> u64 {
        self.seen
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Histograms of the columns that are defined for some residue.
    pub fn histograms(&self) -> Vec<Value> {
        // Each structure's coordinates have their own origin, so that a common histogram is meaningless.
        let placeless = |column: &Column| !matches!(column.name(), "ca_x" | "ca_y" | "ca_z");
        let histogram = |(index, column): (usize, Column)| {
            let mut values: Vec<f32> =
                self.rows.iter().map(|row| row[index]).filter(|value| value.is_finite()).collect();
            values.sort_by(f32::total_cmp);
            if FEATURES.get(index).is_some_and(|feature| feature.is_state()) && !values.is_empty() {
                return Some(states(&column, &values));
            }
            let at = |share: f64| values.get(((values.len().max(1) - 1) as f64 * share) as usize).copied();
            // Values outside of this range count in the outer bars.
            let (low, median, high) = (at(0.002)?, at(0.5)?, at(0.998)?);
            // Give each integer its own bar if there is room.
            let whole = values.iter().all(|value| value.fract() == 0.0) && high - low < 2.0 * BARS as f32;
            let (bars, width) = if whole { ((high - low) as usize + 1, 0.0) } else { (BARS, high - low) };
            let mut counts = vec![0_u32; bars];
            for value in &values {
                // Fractions of the width would put some integers into the previous bar.
                let above = f64::from(value - low);
                let bar = if whole { above } else { above / f64::from(width) * bars as f64 };
                // Values below the range, or in a range without width, go to the first bar.
                counts[(bar as usize).min(bars - 1)] += 1;
            }
            Some(json!({ "name": column.name(), "unit": column.unit(), "low": low, "median": median, "high": high,
                "counts": counts }))
        };
        columns().enumerate().filter(|(_, column)| placeless(column)).filter_map(histogram).collect()
    }
}

/// The columns that have a distribution. States are numbers here.
fn columns() -> impl Iterator<Item = Column> {
    let of_proteins = FEATURES.iter().filter(|feature| feature.group != Group::Nucleotide);
    of_proteins.map(Column::Feature).chain(once(Column::Plddt))
}

/// Number of residues in each state.
fn states(column: &Column, values: &[f32]) -> Value {
    let letters: Vec<_> =
        SecondaryStructure::ALL.iter().map(|&state| SecondaryStructure::letter(state as u32 as f32)).collect();
    let of = |letter: &&str| values.iter().filter(|&&value| SecondaryStructure::letter(value) == *letter).count();
    let counts: Vec<_> = letters.iter().map(of).collect();
    json!({ "name": column.name(), "unit": column.unit(), "states": letters, "counts": counts })
}
