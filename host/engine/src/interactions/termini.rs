//! Which amino acids begin their chains, so that their N is charged: often the first one with atoms does not, because others before it
//! were not observed.

use super::chemistry::{Charge, Chemistry, Hydrogens};
use super::elements::N;
use super::model::{Class, Entity, Residue, System};
use std::collections::HashMap;

/// Residues of a sequence that are compared with those that begin a chain.
const COMPARED: usize = 3;

/// What a PDB file says of its chains besides their atoms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sequences {
    /// The first names of `SEQRES`.
    names: HashMap<Box<str>, Vec<Box<str>>>,
    /// The least number of a residue that was not observed, by `REMARK 465`.
    unobserved: HashMap<Box<str>, i32>,
}

impl Sequences {
    pub(super) fn add(&mut self, chain: Box<str>, name: Box<str>) {
        let names = self.names.entry(chain).or_default();
        if names.len() < COMPARED {
            names.push(name);
        }
    }

    pub(super) fn add_unobserved(&mut self, chain: Box<str>, number: i32) {
        let least = self.unobserved.entry(chain).or_insert(number);
        *least = number.min(*least);
    }

    /// Whether the first amino acid of a chain with atoms is the first one of its molecule. The file's sequence decides. Without one, its
    /// number does: it is 1 or less, as in Reduce (Word et al. 1999), or follows that of the chain before.
    fn begin_with(&self, residues: &[Residue], index: usize) -> bool {
        let first = &residues[index];
        if self.unobserved.get(&*first.chain).is_some_and(|&number| number < first.number) {
            return false;
        }
        let own =
            residues[index..].iter().take_while(|residue| residue.chain == first.chain).map(|residue| &residue.name);
        match self.names.get(&*first.chain) {
            Some(names) => own.zip(names).all(|(own, name)| **own == **name),
            None => first.number <= 1 || index > 0 && residues[index - 1].number.checked_add(1) == Some(first.number),
        }
    }
}

/// The charged N of a chain's first amino acid; elsewhere an N without the residue before it is an amide's.
pub(super) fn amino_end(system: &System, index: usize, atoms: &mut [Chemistry], charges: &mut Vec<Charge>) {
    let residue = &system.residues[index];
    if residue.class != Class::AminoAcid {
        return;
    }
    let Some(n) = residue.range().find(|&atom| &*system.atoms[atom].name == "N" && system.atoms[atom].element == N)
    else {
        return;
    };
    let inside = |end: u32| residue.range().contains(&(end as usize));
    let ends = system.bonds.of(n as u32);
    if ends.iter().any(|&(end, _)| !inside(end)) {
        return;
    }
    let before = index.checked_sub(1).map(|before| &system.residues[before]);
    let is_at_start = before.is_none_or(|before| before.chain != residue.chain || before.class != Class::AminoAcid);
    let is_charged = match (system.hydrogens_of(n as u32).len(), residue.in_sequence) {
        _ if residue.entity == Entity::Ligand => true,
        (0, Some(number)) => number == 1,
        (0, None) => is_at_start && system.sequences.begin_with(&system.residues, index),
        // The file's hydrogens say it.
        (hydrogens, _) => hydrogens + ends.len() >= 4,
    };
    let bonds: usize = if is_charged { 4 } else { 2 };
    let count = bonds.saturating_sub(ends.len()) as u8;
    let hydrogens = Hydrogens { count, is_planar: false };
    atoms[n] = Chemistry { hydrogens, donates: count > 0, accepts: false, ..atoms[n] };
    if is_charged {
        charges.push(Charge { is_positive: true, atoms: vec![n as u32] });
    }
}
