//! Lineages of a pathogen: how frequent each is, how fast it grows, and how its proteins differ.
//!
//! A table gives the number of samples of each lineage, by country and day, and its substitutions. For each lineage in each
//! country and each position of a protein, these follow:
//!
//! - `gisaid_freq`: the share of samples that have the lineage's residue at this position, over the last [`FREQUENCY_DAYS`]
//!   days. It counts the samples of this lineage and of all other lineages with the same residue.
//! - `gisaid_velocity`: the slope per day of that share's logit over the last [`VELOCITY_DAYS`] days, by weighted least
//!   squares. A day with n of N samples has the logit ln((n + ½) / (N - n + ½)), whose variance is approximately 1 / (n +
//!   ½) + 1 / (N - n + ½); the weight is the reciprocal of this variance. The slope's standard error follows from these
//!   weights. It is multiplied by the root of the residuals' chi² per degree of freedom if that exceeds 1. A position has
//!   no slope if all samples of these days have the same residue.
//!
//! If a table has frequencies without counts, each day counts as [`ASSUMED_SAMPLES`] samples.

mod fit;
mod substitution;
mod table;

pub use crate::csv_table::TableError;
pub use prism_read::structure::Lineage;
pub use substitution::Substitution;
pub use table::Lineages;

use prism_read::plural::counted;
use prism_read::structure::StructureInput;
use prism_read::{Note, NoteKind};
use std::collections::HashMap;

/// The number of days for frequencies. They end with a country's last day.
pub const FREQUENCY_DAYS: i64 = 7;
/// The number of days for velocities. They end with a country's last day.
pub const VELOCITY_DAYS: i64 = 28;
/// The number of samples that a frequency without a count represents.
pub const ASSUMED_SAMPLES: f64 = 100.0;

impl Lineages {
    /// Makes a structure for each lineage that was sampled in a country, in the table's order. They have the same atoms,
    /// except where substitutions remove side chains, and have frequencies and velocities. Notes name substitutions that
    /// could not be applied.
    #[must_use]
    pub fn apply(&self, structure: &StructureInput) -> Vec<(StructureInput, Vec<Note>)> {
        let mut all = Vec::new();
        let positions = self.positions_of(structure);
        for (country_id, country) in self.countries().iter().enumerate() {
            // Positions with the same set of lineages have the same values.
            let mut known: HashMap<Vec<usize>, fit::Estimate> = HashMap::new();
            for &lineage in &country.lineages {
                let mut variant = structure.clone();
                variant.fill_absent();
                let name = self.name(lineage);
                variant.name = format!("{}@{name}", structure.name);
                if self.countries().len() > 1 || !country.name.is_empty() {
                    variant.name.push_str(&format!("/{}", country.name));
                }
                variant.lineage_hash = hash(name);
                variant.country_id = u8::try_from(country_id).unwrap_or(u8::MAX);
                let mut errors = vec![f32::NAN; variant.n_residues()];
                for (position, rows) in &positions {
                    let own = position.residue_of.get(&lineage).copied();
                    let sharing: Vec<usize> = country
                        .lineages
                        .iter()
                        .copied()
                        .filter(|other| position.residue_of.get(other).copied() == own)
                        .collect();
                    let estimate = *known.entry(sharing).or_insert_with_key(|sharing| country.estimate(sharing));
                    for &row in rows {
                        variant.gisaid_freq[row] = estimate.frequency as f32;
                        variant.gisaid_velocity[row] = estimate.velocity as f32;
                        errors[row] = estimate.error as f32;
                    }
                }
                let notes = self.substitute(lineage, &mut variant);
                variant.lineage = Some(Box::new(Lineage {
                    name: name.to_owned(),
                    country: country.name.clone(),
                    velocity_error: errors,
                }));
                all.push((variant, notes));
            }
        }
        all
    }

    /// Applies a lineage's substitutions. Returns notes on dropped atoms and on substitutions that do not match.
    fn substitute(&self, lineage: usize, structure: &mut StructureInput) -> Vec<Note> {
        let (mut dropped, mut applied, mut missing) = (0, Vec::new(), Vec::new());
        let (mut outside, mut no_chain) = (0, Vec::new());
        for one in self.substitutions(lineage) {
            let rows: Vec<usize> = (0..structure.n_rows()).filter(|&row| one.is_at(structure, row)).collect();
            let fitting: Vec<usize> = rows.iter().copied().filter(|&row| one.fits(structure, row)).collect();
            if fitting.is_empty() {
                if !rows.is_empty() {
                    missing.push(one.to_string());
                } else if !one.has_chain(structure) {
                    no_chain.push(one.to_string());
                } else {
                    outside += 1;
                }
                continue;
            }
            dropped += substitution::apply(structure, &fitting, one.to);
            applied.push(one.to_string());
        }
        let mut notes = Vec::new();
        if !applied.is_empty() {
            let left_out = counted(dropped, "side-chain atom beyond CB is", "side-chain atoms beyond CB are");
            let text = format!("{} applied; {left_out} left out", applied.join(", "));
            notes.push(Note { kind: NoteKind::Substitutions, text });
        }
        if !no_chain.is_empty() {
            let chains = structure.chains.join(",");
            let text = format!("{}: the structure has no such chain, only {chains}", no_chain.join(", "));
            notes.push(Note { kind: NoteKind::NotSubstituted, text });
        }
        if applied.is_empty() && outside > 0 && no_chain.is_empty() && missing.is_empty() {
            // A part of a protein lacks positions of others; that it has none is worth a word.
            let text = match outside {
                1 => "the only substitution lies outside the structure".to_owned(),
                _ => format!("all {outside} substitutions lie outside the structure"),
            };
            notes.push(Note { kind: NoteKind::NotSubstituted, text });
        }
        let others = self.others(lineage);
        if !others.is_empty() {
            let text =
                format!("{}: deletions, insertions, stops and unknown residues are not applied", others.join(", "));
            notes.push(Note { kind: NoteKind::NotSubstituted, text });
        }
        if !missing.is_empty() {
            let text = format!("{}: the structure has another residue there", missing.join(", "));
            notes.push(Note { kind: NoteKind::NotSubstituted, text });
        }
        notes
    }

    /// The positions of a structure that have substitutions, each with the lineages' residues and its rows.
    fn positions_of(&self, structure: &StructureInput) -> Vec<(Position, Vec<usize>)> {
        let mut positions: Vec<(Position, Vec<usize>)> = Vec::new();
        let mut index: HashMap<Vec<(usize, u8)>, usize> = HashMap::new();
        for row in 0..structure.n_rows() {
            let mut residue_of: Vec<(usize, u8)> = Vec::new();
            for lineage in 0..self.len() {
                let own = self
                    .substitutions(lineage)
                    .iter()
                    .find(|one| one.is_at(structure, row) && one.fits(structure, row));
                residue_of.extend(own.map(|one| (lineage, one.to)));
            }
            let position = *index.entry(residue_of).or_insert_with_key(|key| {
                positions.push((Position { residue_of: key.iter().copied().collect() }, Vec::new()));
                positions.len() - 1
            });
            positions[position].1.push(row);
        }
        positions
    }
}

/// A position, identified by the lineages' residues.
struct Position {
    /// The residue type of each lineage that has a substitution at this position.
    residue_of: HashMap<usize, u8>,
}

/// The 32-bit FNV-1a hash.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod twins;

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::{ReadOptions, read_path};

    fn rbd() -> StructureInput {
        read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure
    }

    /// Alpha decreases and Omicron increases. N501Y is in both, E484K in neither, and E484A only in Omicron.
    const TABLE: &str = "\
lineage,country,date,count,total,substitutions
Alpha,UK,2021-12-01,80,100,N501Y
Omicron,UK,2021-12-01,10,100,N501Y E484A N999Q
Other,UK,2021-12-01,10,100,
Alpha,UK,2021-12-02,50,100,
Omicron,UK,2021-12-02,40,100,
Other,UK,2021-12-02,10,100,
";

    #[test]
    fn a_structure_is_made_for_each_lineage() {
        let lineages = Lineages::from_reader(TABLE.as_bytes(), "t.csv").unwrap();
        let wild = rbd();
        let all = lineages.apply(&wild);
        let names: Vec<&str> = all.iter().map(|(one, _)| one.name.as_str()).collect();
        assert_eq!(names, ["rbd@Alpha/UK", "rbd@Omicron/UK", "rbd@Other/UK"]);
        let row = |number: i32| wild.residue_numbers.iter().position(|own| *own == number).unwrap();
        let (n501, e484, other) = (row(501), row(484), row(400));
        let omicron = &all[1].0;
        omicron.validate().unwrap();
        assert_eq!([n501, e484, other].map(|row| omicron.parent(row)), ["TYR", "ALA", "PHE"]);
        assert_eq!([n501, e484].map(|row| wild.parent(row)), ["ASN", "GLU"]);
        // N501 has three atoms beyond CB, E484 has four.
        assert_eq!(omicron.n_atoms() + 3 + 4, wild.n_atoms());
        assert_eq!(all[1].1[0].text, "N501Y, E484A applied; 7 side-chain atoms beyond CB are left out");
        assert_eq!(all[1].1.len(), 1, "residue 999 does not exist, and there is no note about it");
        let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-6;
        // Y501 is in Alpha and Omicron: 180 of 200 samples. A484 is in Omicron: 50. E484 is in the others: 150.
        assert!(near(omicron.gisaid_freq[n501], 0.9) && near(omicron.gisaid_freq[e484], 0.25));
        assert!(near(all[0].0.gisaid_freq[e484], 0.75) && near(all[0].0.gisaid_freq[other], 1.0));
        // With two days, the slope is the difference of the logits.
        let logit = |n: f64| ((n + 0.5) / (100.5 - n)).ln();
        assert!(near(omicron.gisaid_velocity[e484], logit(40.0) - logit(10.0)));
        assert!(near(all[0].0.gisaid_velocity[e484], logit(60.0) - logit(90.0)));
        assert!(omicron.gisaid_velocity[other].is_nan(), "only one residue was ever observed there");
        let error = omicron.lineage.as_ref().unwrap().velocity_error[e484];
        let variance = |n: f64| 1.0 / (n + 0.5) + 1.0 / (100.5 - n);
        assert!(near(error, (variance(10.0) + variance(40.0)).sqrt()), "{error}");
        assert!(omicron.lineage_hash != all[0].0.lineage_hash && omicron.country_id == 0);
        assert_eq!(wild.residue_types, all[2].0.residue_types);
    }

    #[test]
    fn what_does_not_fit_is_noted() {
        let table = TABLE.replace("N501Y E484A N999Q", "Q501Y B:E484A E:E484A");
        let all = Lineages::from_reader(table.as_bytes(), "t.csv").unwrap().apply(&rbd());
        let notes: Vec<String> = all[1].1.iter().map(ToString::to_string).collect();
        assert!(notes[0].starts_with("substitutions: E:E484A applied"), "{notes:?}");
        let expected = "not-substituted: Q501Y: the structure has another residue there";
        assert_eq!(notes.last().map(String::as_str), Some(expected));
    }

    #[test]
    fn what_is_not_applied_is_noted() {
        let notes = |substitutions: &str| -> Vec<String> {
            let table = TABLE.replace("N501Y E484A N999Q", substitutions);
            let all = Lineages::from_reader(table.as_bytes(), "t.csv").unwrap().apply(&rbd());
            assert_eq!(all[1].0.residue_types, all[2].0.residue_types, "{substitutions}");
            all[1].1.iter().map(ToString::to_string).collect()
        };
        // As Nextclade writes them: the gene, not a chain.
        let gene = "not-substituted: S:N501Y, S:E484A: the structure has no such chain, only E";
        assert_eq!(notes("S:N501Y;S:E484A"), [gene]);
        assert_eq!(notes("D614G P681H"), ["not-substituted: all 2 substitutions lie outside the structure"]);
        let kinds = "not-substituted: H69-, N501X, Q498*, Y144del, ins214EPE: deletions, insertions, stops and unknown \
                     residues are not applied";
        assert_eq!(notes("H69- N501X Q498* Y144del ins214EPE"), [kinds]);
    }
}
