//! The parts of a draft that become structures of their own.

use super::draft::Draft;
use super::error::Fault;
use super::note::{Note, NoteKind};
use super::options::Each;
use crate::grid::Grid;
use crate::plural::{counted, form};
use std::collections::{BTreeSet, HashSet};

/// Atoms of two chains closer than this, in Å, are bonded: less than any contact, more than a disulfide.
const BOND: f64 = 2.2;

impl Draft {
    /// The parts that become structures, with what follows their names. `authors` are the author's chains, by the index of the chain,
    /// where they are others.
    pub(super) fn parts(self, each: Each, authors: &[String]) -> Result<Vec<(String, Self)>, Fault> {
        let groups = match each {
            Each::Model | Each::Assembly => return Ok(vec![(String::new(), self)]),
            Each::Chain => self.chains_with_rows().into_iter().map(|chain| vec![chain]).collect(),
            Each::Molecule => self.molecules_of_chains()?,
        };
        let of_group = |chains: Vec<u32>| {
            let names: Vec<&str> = chains.iter().map(|&chain| self.structure.chains[chain as usize].trim()).collect();
            (format!(":{}", names.join("+")), self.part(&chains, authors))
        };
        Ok(groups.into_iter().map(of_group).collect())
    }

    /// A note of residues without rows that go with no part, because no chain with rows has their chain id.
    pub(super) fn without_part(&self, each: Each, authors: &[String]) -> Option<Note> {
        if !matches!(each, Each::Chain | Each::Molecule) {
            return None;
        }
        let chains = self.chains_with_rows();
        let ids = chains.iter().map(|&chain| chain as usize);
        let ids = ids.flat_map(|chain| [self.structure.chains.get(chain), authors.get(chain)]).flatten();
        let ids: HashSet<&str> = ids.map(String::as_str).collect();
        let keys: BTreeSet<u32> = self.cover_keys.iter().copied().collect();
        let of_none = |key: &&u32| {
            let residue = &self.cover_residues[**key as usize];
            !residue.is_water && !ids.contains(&*residue.chain)
        };
        let count = keys.iter().filter(of_none).count();
        let text = counted(count, "residue without a row has", "residues without rows have");
        let are = form(count, "is", "are");
        (count > 0).then(|| Note {
            kind: NoteKind::WithoutPart,
            text: format!("{text} the chain id of no chain with rows, and {are} in no part (--each)"),
        })
    }

    /// The indices of chains with rows, in the order of their first rows.
    fn chains_with_rows(&self) -> Vec<u32> {
        let mut known = HashSet::new();
        self.structure.chain_ids.iter().copied().filter(|&chain| known.insert(chain)).collect()
    }

    /// The residues of some chains, and what covers them: atoms without rows that have the id of one of them.
    fn part(&self, chains: &[u32], authors: &[String]) -> Self {
        let s = &self.structure;
        let rows: Vec<usize> = (0..s.n_residues()).filter(|&row| chains.contains(&s.chain_ids[row])).collect();
        let mut part = self.rows(&rows);
        let ids = chains.iter().map(|&chain| chain as usize);
        let ids: HashSet<&str> =
            ids.flat_map(|chain| [Some(&s.chains[chain]), authors.get(chain)]).flatten().map(String::as_str).collect();
        let own = |atom: &usize| ids.contains(&*self.cover_residues[self.cover_keys[*atom] as usize].chain);
        let own: Vec<usize> = (0..self.cover.len()).filter(own).collect();
        part.cover = own.iter().map(|&atom| self.cover[atom]).collect();
        part.cover_keys = own.iter().map(|&atom| self.cover_keys[atom]).collect();
        part
    }

    /// Groups of chains that are bonded to each other.
    fn molecules_of_chains(&self) -> Result<Vec<Vec<u32>>, Fault> {
        self.check_spread()?;
        let place = |atom: usize| [0, 1, 2].map(|axis| self.atoms[atom][axis]);
        let grid = Grid::new(BOND, (0..self.atoms.len()).map(place));
        let mut chain_of = vec![0; self.atoms.len()];
        for row in 0..self.structure.n_residues() {
            chain_of[self.atoms_of(row)].fill(self.structure.chain_ids[row]);
        }
        // Of each chain, the first chain of its molecule.
        let mut first: Vec<u32> = (0..self.structure.chains.len() as u32).collect();
        for (atom, chain) in chain_of.iter().enumerate() {
            for (other, distance2) in grid.near(place(atom)) {
                let (a, b) = (first[*chain as usize], first[chain_of[other] as usize]);
                if a != b && distance2 < BOND * BOND {
                    let (from, to) = (a.max(b), a.min(b));
                    first.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
                }
            }
        }
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for chain in self.chains_with_rows() {
            match groups.iter_mut().find(|group| first[group[0] as usize] == first[chain as usize]) {
                Some(group) => group.push(chain),
                None => groups.push(vec![chain]),
            }
        }
        Ok(groups)
    }
}
