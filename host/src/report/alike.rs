//! Which two structures have the sequences that are most alike: those that a comparison begins with.

use prism_io::output::StructureRows;
use std::collections::HashMap;

/// Residues of a word.
const WORD: usize = 3;
/// Two structures that share fewer of their words are not alike.
const LEAST: f64 = 0.1;

/// The words of the sequences of structures: all runs of three residues, by the standard residues of which they were made.
#[derive(Default)]
pub(super) struct Alike {
    /// The number of each word.
    numbers: HashMap<[String; WORD], u32>,
    /// Structures with the numbers of their words, sorted.
    structures: Vec<(String, Vec<u32>)>,
}

impl Alike {
    pub(super) fn add(&mut self, part: &StructureRows<'_>) {
        let structure = part.structure;
        let rows: Vec<usize> = (0..part.len()).collect();
        let in_chain =
            |rows: &&[usize]| rows.iter().all(|&row| structure.chain_ids[row] == structure.chain_ids[rows[0]]);
        let word =
            |rows: &[usize]| -> [String; WORD] { std::array::from_fn(|at| structure.parent(rows[at]).to_owned()) };
        let mut words: Vec<u32> = Vec::new();
        for word in rows.windows(WORD).filter(in_chain).map(word) {
            let next = self.numbers.len() as u32;
            words.push(*self.numbers.entry(word).or_insert(next));
        }
        words.sort_unstable();
        words.dedup();
        self.structures.push((structure.name.clone(), words));
    }

    /// The names of the two structures that share the largest part of the words that either has, the first of equal ones; `None` if no two
    /// are alike.
    pub(super) fn most(&self) -> Option<[&str; 2]> {
        let mut best = (LEAST, None);
        for (at, (name, words)) in self.structures.iter().enumerate() {
            for (other, theirs) in &self.structures[at + 1..] {
                let fewest = words.len().min(theirs.len()) as f64 / words.len().max(theirs.len()).max(1) as f64;
                // No more can be shared than the shorter has.
                if fewest <= best.0 {
                    continue;
                }
                let shared = shared_of(words, theirs);
                let share = shared as f64 / (words.len() + theirs.len() - shared).max(1) as f64;
                if share > best.0 {
                    best = (share, Some([&**name, &**other]));
                }
            }
        }
        best.1
    }
}

/// How many numbers two sorted lists share.
fn shared_of(mut one: &[u32], mut other: &[u32]) -> usize {
    let mut shared = 0;
    while let (Some(a), Some(b)) = (one.first(), other.first()) {
        shared += usize::from(a == b);
        (one, other) = (&one[usize::from(a <= b)..], &other[usize::from(b <= a)..]);
    }
    shared
}
