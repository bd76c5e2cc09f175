//! Molecules that share a chain id. The reader tells them apart, as for other commands.

use super::model::{Kind, Model, Residue};
use prism_read::structure::StructureInput;
use prism_read::{NoteKind, Polymers, ReadOptions, read_bytes};
use shared_types::NO_CA;
use std::collections::{BTreeSet, HashMap};

/// The position of a residue's central atom, and its chain.
type Centre = ([f64; 3], u32);

/// The square of the longest bond between residues in Å.
const BOND2: f64 = 2.0 * 2.0;

impl Model {
    /// Gives molecules that share a chain id a chain each. Returns whether there are some.
    pub(super) fn divide(&mut self, bytes: &[u8], name: &str) -> bool {
        // Most models are not read again.
        if !self.has_ends_within_chains() {
            return false;
        }
        // What the reader has no rows of stays as it is.
        let options = ReadOptions { polymers: Polymers::All, ..ReadOptions::default() };
        let Ok(read) = read_bytes(bytes, name, &options) else { return false };
        let Some(note) = read.notes.into_iter().find(|note| note.kind == NoteKind::Molecules) else { return false };
        let found = self.found_in(&read.structure);
        let mut molecules: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.authors.len()];
        for (residue, molecule) in self.residues.iter().zip(&found) {
            molecules[residue.chain as usize].extend(molecule);
        }
        // Of each chain, its name or those of its molecules, and where they begin.
        let (mut chains, mut authors, mut first) = (Vec::new(), Vec::new(), Vec::new());
        for (chain, own) in molecules.iter().enumerate() {
            first.push(chains.len() as u32);
            match own.len() {
                0 | 1 => chains.push(std::mem::take(&mut self.chains[chain])),
                _ => chains.extend(own.iter().map(|&molecule| read.structure.chains[molecule as usize].clone())),
            }
            authors.resize(chains.len(), self.authors[chain].clone());
        }
        // Residues that the reader has no rows of are of the molecule before them.
        let mut current = vec![0; molecules.len()];
        for (residue, molecule) in self.residues.iter_mut().zip(found) {
            let chain = residue.chain as usize;
            let own = molecule.and_then(|molecule| molecules[chain].iter().position(|known| *known == molecule));
            current[chain] = own.unwrap_or(current[chain]);
            residue.chain = first[chain] + current[chain] as u32;
        }
        (self.chains, self.authors, self.divided) = (chains, authors, Some(note.text));
        true
    }

    /// Whether two residues that follow each other in a chain are not bonded.
    fn has_ends_within_chains(&self) -> bool {
        let mut before: Vec<Option<&Residue>> = vec![None; self.authors.len()];
        let mut polymers = self.residues.iter().filter(|residue| residue.kind != Kind::Ligand);
        polymers.any(|residue| {
            let before = before[residue.chain as usize].replace(residue);
            before.is_some_and(|before| !self.are_bonded(before, residue))
        })
    }

    fn are_bonded(&self, before: &Residue, residue: &Residue) -> bool {
        let end = before.named(&self.atoms, &["C", "O3'", "O3*"]);
        let begin = residue.named(&self.atoms, &["N", "P"]);
        end.zip(begin).is_some_and(|(end, begin)| {
            distance2(self.atoms[end as usize].position, self.atoms[begin as usize].position) < BOND2
        })
    }

    /// The reader's chain of each residue that has a row there: one of the same number whose central atom has the same position.
    fn found_in(&self, structure: &StructureInput) -> Vec<Option<u32>> {
        /// The square of the distance in Å of positions that differ by rounding.
        const SAME_POSITION2: f64 = 0.01 * 0.01;
        let [x, y, z] = structure.center;
        let mut rows: HashMap<(i32, &str), Vec<Centre>> = HashMap::with_capacity(structure.n_rows());
        for row in (0..structure.n_rows()).filter(|row| structure.ca_indices[*row] != NO_CA) {
            let atom = structure.atoms[structure.ca_indices[row] as usize];
            let position = [x + f64::from(atom.x), y + f64::from(atom.y), z + f64::from(atom.z)];
            let residue = (structure.residue_numbers[row], &*structure.insertion_codes[row]);
            rows.entry(residue).or_default().push((position, structure.chain_ids[row]));
        }
        let of = |residue: &Residue| {
            let [centre, _] = residue.centres(&self.atoms);
            let position = self.atoms[centre as usize].position;
            let same = rows.get(&(residue.number, &*residue.icode))?;
            same.iter().find(|(own, _)| distance2(*own, position) < SAME_POSITION2).map(|(_, chain)| *chain)
        };
        self.residues.iter().map(of).collect()
    }
}

fn distance2(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
