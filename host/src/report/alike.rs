//! Which two structures have the sequences that are most alike: those that a comparison begins with.

use prism_io::output::StructureRows;
use std::collections::BTreeSet;

/// Residues of a word.
const WORD: usize = 3;
/// Two structures that share fewer of their words are not alike.
const LEAST: f64 = 0.1;

/// The words of the sequences of structures: all runs of three residues, by the standard residues of which they were made.
#[derive(Default)]
pub(super) struct Alike(Vec<(String, BTreeSet<[String; WORD]>)>);

impl Alike {
    pub(super) fn add(&mut self, part: &StructureRows<'_>) {
        let structure = part.structure;
        let rows: Vec<usize> = (0..part.len()).collect();
        let in_chain =
            |rows: &&[usize]| rows.iter().all(|&row| structure.chain_ids[row] == structure.chain_ids[rows[0]]);
        let word =
            |rows: &[usize]| -> [String; WORD] { std::array::from_fn(|at| structure.parent(rows[at]).to_owned()) };
        let words = rows.windows(WORD).filter(in_chain).map(word).collect();
        self.0.push((structure.name.clone(), words));
    }

    /// The names of the two structures that share the largest part of the words that either has, the first of equal ones; `None` if no two
    /// are alike.
    pub(super) fn most(&self) -> Option<[&str; 2]> {
        let mut best = (LEAST, None);
        for (at, (name, words)) in self.0.iter().enumerate() {
            for (other, theirs) in &self.0[at + 1..] {
                let fewest = words.len().min(theirs.len()) as f64 / words.len().max(theirs.len()).max(1) as f64;
                // No more can be shared than the shorter has.
                if fewest <= best.0 {
                    continue;
                }
                let shared = words.intersection(theirs).count();
                let share = shared as f64 / (words.len() + theirs.len() - shared).max(1) as f64;
                if share > best.0 {
                    best = (share, Some([&**name, &**other]));
                }
            }
        }
        best.1
    }
}
