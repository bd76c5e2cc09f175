//! The parts of a draft that become structures of their own.

use super::draft::Draft;
use super::error::Fault;
use super::options::Each;
use std::collections::{HashMap, HashSet};

/// The square of the distance in Å below which atoms of two chains are bonded: less than any contact, more than a disulfide.
const BOND2: f64 = 2.2 * 2.2;

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
        let side = BOND2.sqrt();
        let cell = |atom: usize| [0, 1, 2].map(|axis| (self.atoms[atom][axis] / side).floor() as i64);
        let mut cells: HashMap<[i64; 3], Vec<(usize, u32)>> = HashMap::new();
        for row in 0..self.structure.n_residues() {
            let chain = self.structure.chain_ids[row];
            self.atoms_of(row).for_each(|atom| cells.entry(cell(atom)).or_default().push((atom, chain)));
        }
        // Of each chain, the first chain of its molecule.
        let mut first: Vec<u32> = (0..self.structure.chains.len() as u32).collect();
        for (&[x, y, z], atoms) in &cells {
            let around = (0..27).map(|i| [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]);
            for (other, its_chain) in around.filter_map(|cell| cells.get(&cell)).flatten() {
                for (atom, chain) in atoms {
                    let (a, b) = (first[*chain as usize], first[*its_chain as usize]);
                    let apart = [0, 1, 2].map(|axis| self.atoms[*atom][axis] - self.atoms[*other][axis]);
                    if a != b && apart.iter().map(|along| along * along).sum::<f64>() < BOND2 {
                        let (from, to) = (a.max(b), a.min(b));
                        first.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
                    }
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
