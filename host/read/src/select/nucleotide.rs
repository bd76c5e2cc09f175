//! Nucleotides: the atoms that stand for them, and which of them have rows.

use super::{Fate, Selection};
use crate::components;
use crate::word::trim_zeros;
use shared_types::nucleotide::{ABSENT, NucleotideAtoms};
use shared_types::residue::{NUCLEOTIDES, is_nucleotide, kind_of_nucleotide};
use shared_types::{RESIDUES, ResidueKind};

/// A short name, by [`pack`](crate::word::pack).
const fn word(name: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let mut at = 0;
    while at < name.len() {
        bytes[at] = name[at];
        at += 1;
    }
    u64::from_le_bytes(bytes)
}

/// The names of the atom that stands for a residue of a type, and of those that are bound to the residues before and after: CA, N and C,
/// or C1', P and O3' of a nucleotide.
///
/// C1' is in every nucleotide, abasic ones included, and binds the base, whose place it shows. P is missing at most 5' ends.
#[inline]
pub(super) fn landmarks(kind: ResidueKind) -> [u64; 3] {
    const AMINO_ACID: [u64; 3] = [word(b"CA"), word(b"N"), word(b"C")];
    const NUCLEOTIDE: [u64; 3] = [word(b"C1'"), word(b"P"), word(b"O3'")];
    if is_nucleotide(kind) { NUCLEOTIDE } else { AMINO_ACID }
}

impl Selection<'_> {
    /// Keeps or drops the row of the run, which has a nucleotide's name.
    pub(super) fn judge_nucleotide(&mut self) {
        let has_rows = self.polymers.has_nucleic();
        self.draft.tally.nucleotides += usize::from(!has_rows);
        let has_sugar = self.draft.has_backbone().ca;
        if !has_rows || !has_sugar && (self.run.fate == Fate::IfPolymer && self.run.in_chain != Some(true)) {
            self.draft.drop_nucleotide(self.run.begin, self.cover);
            self.key_cover(self.run.residue.unwrap_or_default());
            return;
        }
        self.name_by_sugar();
        self.name_atoms();
        if self.run.hetatm {
            self.draft.hetero.push(self.draft.structure.n_residues() - 1);
            if self.run.in_chain != Some(true) {
                self.draft.pend_nucleotide();
            }
        }
    }

    /// Finds the atoms that define torsions.
    fn name_atoms(&mut self) {
        let names: Vec<u64> = match self.kept_names.is_empty() {
            true => self.names.all().iter().map(|(name, _)| *name).collect(),
            false => self.kept_names.clone(),
        };
        let place = |name: &[u8]| names.iter().position(|own| *own == word(name));
        let byte = |place: Option<usize>| place.and_then(|at| u8::try_from(at).ok()).unwrap_or(ABSENT);
        let mut atoms = NucleotideAtoms::NONE;
        for (at, name) in names.iter().enumerate() {
            if let Some(own) = atoms.of_name(trim_zeros(&name.to_le_bytes())).filter(|own| **own == ABSENT) {
                *own = byte(Some(at));
            }
        }
        // The base is bound by N9, N1 or, in pseudouridine, C5.
        let begin = self.run.begin;
        let anchor = place(b"C1'").map(|at| (begin + at) as u32);
        let is_bound = |at: usize| anchor.is_some_and(|anchor| self.draft.bonded(anchor, (begin + at) as u32));
        let ways: [[&[u8]; 2]; 3] = [[b"N9", b"C4"], [b"N1", b"C2"], [b"C5", b"C4"]];
        if let Some([base, chi]) = ways.into_iter().find(|[base, _]| place(base).is_some_and(is_bound)) {
            (atoms.base, atoms.chi) = (byte(place(base)), byte(place(chi)));
        }
        if let Some(own) = self.draft.structure.nucleotide_atoms.last_mut() {
            *own = atoms.words();
        }
    }

    /// Makes a nucleotide without O2' one of DNA: old files and CHARMM give both kinds the names of RNA.
    fn name_by_sugar(&mut self) {
        let (Some(residue), kind) = (self.run.residue, self.run.kind) else { return };
        let is_ribose =
            NUCLEOTIDES.iter().any(|(name, _)| *name == RESIDUES[usize::from(kind)].name && !name.starts_with('D'));
        if !is_ribose
            || !components::component(residue).is_standard_nucleotide()
            || !self.names.has(word(b"C2'"))
            || self.names.has(word(b"O2'"))
        {
            return;
        }
        let deoxy = kind_of_nucleotide(format!("D{}", RESIDUES[usize::from(kind)].name).as_bytes());
        if let Some(deoxy) = deoxy {
            self.run.kind = deoxy;
            self.draft.retype_last(residue, deoxy);
        }
    }
}
