//! Residues that list the same atoms as an earlier residue.
//!
//! Most residues have the atoms of others of their name, in the same order. Their records differ in coordinates, numbers and B
//! factors alone. So the atoms of one residue of each name are remembered. As long as the records of another agree with them, only
//! coordinates are read. Where a record does not agree, the reader goes on record by record, from the same state as if it had read
//! all records so.

use super::options::{Polymers, Residues};
use super::select::{Known, Selection, Taken};
use shared_types::ResidueKind;

/// Most records of a pattern: no amino acid has more, with hydrogens.
const MOST_RECORDS: usize = 48;
/// Places for patterns, by the residues' names.
const PLACES: usize = 256;

/// An atom of a pattern.
#[derive(Clone, Copy)]
pub(super) struct AtomPattern<N> {
    /// What its record has beside coordinates, numbers and B factor.
    pub(super) names: N,
    /// The name of a heavy atom as the selection has it.
    pub(super) name: u64,
    /// The radius of a heavy atom in Å.
    pub(super) radius: Option<f64>,
    /// What is known of the residue after this record.
    pub(super) known: Known,
}

/// The atoms of a residue.
pub(super) struct Pattern<N> {
    /// The residue's name, packed.
    residue: u64,
    pub(super) kind: ResidueKind,
    pub(super) atoms: Vec<AtomPattern<N>>,
}

/// The patterns so far. `N` is what records of the same atom have in common.
pub(super) struct Patterns<N> {
    /// The policy, on which radii depend.
    policy: (Residues, Polymers),
    places: Vec<Pattern<N>>,
    /// The atoms of the current residue, if all records so far can be part of a pattern.
    current: Pattern<N>,
    is_plain: bool,
    /// The place of the pattern that the current residue began with, and the number of its records.
    begun: Option<(usize, usize)>,
}

impl<N: Copy> Patterns<N> {
    /// Those that were kept, if they follow the same policy.
    pub(super) fn of(kept: Option<Box<Self>>, policy: (Residues, Polymers)) -> Box<Self> {
        let kept = kept.filter(|kept| kept.policy == policy);
        let mut patterns = kept.unwrap_or_else(|| Box::new(Self::new(policy)));
        patterns.begin();
        patterns
    }

    fn new(policy: (Residues, Polymers)) -> Self {
        let none = || Pattern { residue: 0, kind: ResidueKind::default(), atoms: Vec::new() };
        let places = std::iter::repeat_with(none).take(PLACES).collect();
        Self { policy, places, current: none(), is_plain: false, begun: None }
    }

    /// Begins another residue.
    pub(super) fn begin(&mut self) {
        if self.is_plain && !self.current.atoms.is_empty() {
            let place = place_of(self.current.residue);
            std::mem::swap(&mut self.places[place], &mut self.current);
        }
        self.current.atoms.clear();
        (self.is_plain, self.begun) = (true, None);
    }

    /// Makes no pattern of the current residue, because it has records from before.
    pub(super) fn go_without(&mut self) {
        self.is_plain = false;
    }

    /// The place of the pattern of residues with this name, if there is one that the selection's records may follow.
    pub(super) fn find(&self, residue: u64, selection: &Selection<'_>) -> Option<usize> {
        let place = place_of(residue);
        let pattern = &self.places[place];
        let is_known = pattern.residue == residue && !pattern.atoms.is_empty();
        (is_known && !selection.averages_b() && !selection.keeps_records() && !selection.is_in_water()).then_some(place)
    }

    /// The pattern at a place.
    pub(super) fn at(&self, place: usize) -> &Pattern<N> {
        &self.places[place]
    }

    /// Begins the current residue with some records of a pattern.
    pub(super) fn begin_with(&mut self, place: usize, records: usize) {
        self.begun = Some((place, records));
    }

    /// The atoms of the pattern that the current residue began with.
    pub(super) fn begun(&self) -> &[AtomPattern<N>] {
        self.begun.map_or(&[], |(place, records)| &self.places[place].atoms[..records])
    }

    /// Takes note of a record of the current residue that was read without a pattern. `names` returns none for an unusual one.
    // A call takes a fifth more instructions.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        residue: u64,
        names: impl FnOnce() -> Option<N>,
        taken: Taken,
        selection: &mut Selection<'_>,
    ) {
        if self.is_plain {
            self.is_plain = self.add(residue, names, taken, selection).is_some();
        }
    }

    #[inline(never)]
    fn add(
        &mut self,
        residue: u64,
        names: impl FnOnce() -> Option<N>,
        taken: Taken,
        selection: &mut Selection<'_>,
    ) -> Option<()> {
        let names = names()?;
        if let Some((place, records)) = self.begun.take() {
            self.current.residue = self.places[place].residue;
            self.current.atoms.extend_from_slice(&self.places[place].atoms[..records]);
        }
        let known = selection.known()?;
        let atoms = &mut self.current.atoms;
        let before = atoms.last().map_or(0, |atom| atom.known.atoms);
        let radius = match (known.atoms.checked_sub(before)?, taken) {
            (0, Taken::Light) => None,
            (1, Taken::Heavy) => Some(selection.atoms().last()?[3]),
            // It repeats a name.
            _ => return None,
        };
        if atoms.len() == MOST_RECORDS || !atoms.is_empty() && self.current.residue != residue {
            return None;
        }
        atoms.push(AtomPattern { names, name: selection.last_name(), radius, known });
        (self.current.residue, self.current.kind) = (residue, selection.kind());
        Some(())
    }
}

/// Where a residue's pattern is. Amino acids, also those of force fields, have places of their own.
#[inline]
fn place_of(residue: u64) -> usize {
    // Three letters are in the lower half; others may share a place.
    ((residue as u32).wrapping_mul(0x9e37_7a3f) >> 24) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::pack;
    use shared_types::{RESIDUES, UNKNOWN};
    use std::collections::HashSet;

    #[test]
    fn amino_acids_have_places_of_their_own() {
        let names = RESIDUES[..usize::from(UNKNOWN)].iter().map(|residue| pack(residue.name.as_bytes()));
        let places: HashSet<_> = names.clone().map(place_of).collect();
        assert_eq!(places.len(), names.count());
    }
}
