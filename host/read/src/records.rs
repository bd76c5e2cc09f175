//! The records of atoms, where it is asked what atoms are.
//!
//! An atom of a draft is three coordinates and a radius, and moves and is dropped as such. A radius is an `f32` in an `f64`, which leaves
//! the lower 29 bits free: the place of the atom's record stands there, so that it goes wherever the atom goes. The radius as `f32` is
//! the same with and without it.

use super::components::{Component, component};
use super::draft::{CoverResidue, Draft};
use super::error::Problem;
use super::word::{text_of, trim_zeros};
use crate::structure::{AtomLabel, Hetero, HeteroResidue, Water};
use shared_types::Atom;

/// The bits of the place of a record, counted from 1. One bit fewer than there are, so that the radius is rounded down.
const PLACE: u64 = (1 << 28) - 1;

/// An atom's radius with the place of its record.
fn with_place(radius: f64, place: usize) -> f64 {
    f64::from_bits(radius.to_bits() & !PLACE | (place as u64 + 1))
}

/// The place of an atom's record.
fn place(radius: f64) -> Option<usize> {
    (radius.to_bits() & PLACE).checked_sub(1).map(|place| place as usize)
}

impl Draft {
    /// Keeps the record of an atom, if records are kept. Returns the atom with it.
    pub(super) fn recorded(
        &mut self,
        [x, y, z, radius]: [f64; 4],
        label: impl FnOnce() -> AtomLabel,
    ) -> Result<[f64; 4], Problem> {
        let Some(records) = &mut self.records else { return Ok([x, y, z, radius]) };
        if records.len() as u64 >= PLACE {
            return Err(Problem::TooManyAtoms(PLACE as u32));
        }
        records.push(label());
        Ok([x, y, z, with_place(radius, records.len() - 1)])
    }

    /// The same atom with another radius.
    pub(super) fn set_radius(&mut self, atom: usize, radius: f64) {
        let old = self.atoms[atom][3];
        self.atoms[atom][3] = place(old).map_or(radius, |place| with_place(radius, place));
    }

    /// Moves the places of another draft's records behind those of this one.
    pub(super) fn append_records(&mut self, mut other: Self) -> Self {
        let (Some(records), Some(more)) = (&mut self.records, other.records.take()) else { return other };
        let before = records.len();
        for atom in other.atoms.iter_mut().chain(&mut other.cover) {
            if let Some(own) = place(atom[3]) {
                atom[3] = with_place(atom[3], before + own);
            }
        }
        records.extend(more);
        other
    }

    /// What each of the atoms is, if records are kept.
    pub(super) fn labels(&self, atoms: &[[f64; 4]]) -> Vec<AtomLabel> {
        let Some(records) = &self.records else { return Vec::new() };
        let label =
            |&[x, y, z, radius]: &[f64; 4]| Some(AtomLabel { position: [x, y, z], ..*records.get(place(radius)?)? });
        atoms.iter().filter_map(label).collect()
    }

    /// Takes water out of what covers others. Returns its atoms and the keys of their residues.
    pub(super) fn take_water(&mut self) -> (Vec<[f64; 4]>, Vec<u32>) {
        let is_water = |residues: &[CoverResidue], key: u32| residues.get(key as usize).is_some_and(|own| own.is_water);
        if self.cover_residues.iter().all(|residue| !residue.is_water) {
            return Default::default();
        }
        let (mut water, mut rest) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
        for (atom, key) in std::mem::take(&mut self.cover).into_iter().zip(std::mem::take(&mut self.cover_keys)) {
            let to = if is_water(&self.cover_residues, key) { &mut water } else { &mut rest };
            to.0.push(atom);
            to.1.push(key);
        }
        (self.cover, self.cover_keys) = rest;
        water
    }

    /// The water that was taken out.
    pub(super) fn waters(&self, center: [f64; 3]) -> Vec<Water> {
        let labels = self.labels(&self.cover);
        let atoms = self.cover.iter().map(|atom| relative(atom, center));
        let of = |((atom, &key), label): ((Atom, &u32), AtomLabel)| {
            let CoverResidue { chain, number, icode, name, .. } = self.cover_residues[key as usize].clone();
            Water { chain, number, icode, name: text_of(trim_zeros(&name.to_le_bytes())).into(), atom, label }
        };
        atoms.zip(&self.cover_keys).zip(labels).map(of).collect()
    }

    /// The residues without rows, before they become the environment.
    pub(super) fn hetero(&self, center: [f64; 3]) -> Hetero {
        let mut begin = 0;
        let residue = |run: &[u32]| {
            let atoms = begin..begin + run.len();
            begin = atoms.end;
            let CoverResidue { chain, number, icode, name, .. } = self.cover_residues[run[0] as usize].clone();
            let known = component(name);
            HeteroResidue {
                chain,
                number,
                icode,
                name: text_of(trim_zeros(&name.to_le_bytes())).into(),
                // Where nucleotides have rows, those without are ligands.
                is_nucleotide: known.nucleotide().is_some() && self.tally.nucleotides > 0,
                is_amino_acid: known.amino_acid().is_some_and(|_| !matches!(known, Component::Shared(_))),
                atoms,
            }
        };
        let residues = self.cover_keys.chunk_by(|a, b| a == b).map(residue).collect();
        let atoms = self.cover.iter().map(|atom| relative(atom, center)).collect();
        let labels = self.labels(&self.cover);
        Hetero { residues, atoms, labels, ..Hetero::default() }
    }
}

/// An atom relative to a structure's centre.
fn relative(&[x, y, z, radius]: &[f64; 4], center: [f64; 3]) -> Atom {
    let [x, y, z] = [x - center[0], y - center[1], z - center[2]].map(|along| along as f32);
    Atom { x, y, z, radius: radius as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_are_the_same_with_a_record() {
        for radius in [0.0_f32, 1.42, 1.7, 1.88, 2.31, 0.1, 3.48] {
            for at in [0, 1, 77, PLACE as usize - 1] {
                let tagged = with_place(f64::from(radius), at);
                assert_eq!((tagged as f32, place(tagged)), (radius, Some(at)));
                assert_eq!(place(with_place(tagged, 5)), Some(5));
            }
            assert_eq!(place(f64::from(radius)), None);
        }
    }
}
