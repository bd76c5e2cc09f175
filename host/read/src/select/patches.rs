//! What the atoms of a residue say that its name does not: that it is a chain's first one, carries a phosphate, or is something else than
//! its name says; and whether they have one value in the B column.

use super::{Fate, Run, Selection};
use crate::atoms::{may_be_drude, own_atoms};
use crate::components::{is_amide, other_element, parent_of_other};
use crate::draft::Draft;
use crate::elements::is_called_cap;
use crate::word::{pack, text_of, trim_zeros};
use shared_types::residue::{GLYCINE, modified_kind, parent_of};
use shared_types::{RESIDUES, UNKNOWN};

/// What CHARMM calls the phosphorus of phosphotyrosine; it is `P` in other phosphates.
const PHOSPHORUS_OF_TYROSINE: u64 = u16::from_le_bytes(*b"P1") as u64;

impl Selection<'_> {
    /// Takes note of a hydrogen of a chain's first residue, and of the proton of a phosphate.
    #[inline]
    pub(super) fn see_proton(&mut self, name: u64) {
        /// The second hydrogen at N, which only a first residue has.
        const SECOND: [u64; 4] = [
            u64::from_le_bytes(*b"H2\0\0\0\0\0\0"),
            u64::from_le_bytes(*b"HT2\0\0\0\0\0"),
            u64::from_le_bytes(*b"2H\0\0\0\0\0\0"),
            u64::from_le_bytes(*b"2HT\0\0\0\0\0"),
        ];
        /// Its names in CHARMM and AMBER.
        const PROTONS: [&str; 6] = ["HT", "H1P", "H2P", "H3P", "HOP2", "HOP3"];
        if let Some(has_proton) = &mut self.run.phosphate {
            // CHARMM calls that of phosphotyrosine as the second hydrogen at N.
            let is_second = name == SECOND[0] && self.names.has(PHOSPHORUS_OF_TYROSINE);
            *has_proton |= is_second || PROTONS.iter().any(|own| pack(own.as_bytes()) == name);
            if is_second {
                return;
            }
        }
        self.run.is_start |= SECOND.contains(&name);
    }

    /// Takes note of a Drude particle, which is a pseudo-atom, or of a hydrogen whose name may be one's: it is if the residue has others.
    #[inline]
    pub(super) fn see_drude(&mut self, name: u64, is_pseudo: bool) {
        if name as u8 != b'D' || !may_be_drude(name) {
            return;
        }
        if is_pseudo {
            self.run.has_drude = true;
        } else {
            self.run.maybe_drude = true;
        }
        if self.run.has_drude && std::mem::take(&mut self.run.maybe_drude) {
            self.count_pseudo_atom();
        }
    }

    /// Gives the current residue another type if it has heavy atoms that its name does not state: that of its phosphate, that of what the
    /// dictionary calls so, or that of a modification without charge, hydropathy and volume.
    pub(super) fn see_other_atoms(&mut self) {
        if self.names.all().is_empty() && self.kept_names.is_empty() && !self.run.has_cap {
            // It has the atoms of an earlier residue, which are its own.
            return;
        }
        let (kind, name) = (self.run.kind, self.run.residue.unwrap_or_default());
        let Some(parent) = parent_of(kind).filter(|_| kind < UNKNOWN) else { return };
        let own = own_atoms(parent);
        let is_other = |atom: &u64| !own.contains(atom) && other_element(name, *atom).is_none();
        let names = self.names.all().iter().map(|(atom, _)| *atom);
        let others: Vec<u64> = match self.kept_names.is_empty() {
            true => names.filter(is_other).collect(),
            false => self.kept_names.iter().copied().filter(is_other).collect(),
        };
        if others.is_empty() && !(self.run.has_cap && is_amide(name)) {
            return;
        }
        if let Some(has_proton) = self.run.phosphate
            && self.name_phosphate(&others, has_proton)
        {
            return;
        }
        // A bead may stand for a side chain, or for the residue.
        let is_bead = others.len() == 1 && parent != GLYCINE && !self.names.has(u64::from(u16::from_le_bytes(*b"CB")));
        if self.draft.has_backbone().bonded && !is_bead {
            self.run.kind = modified_kind(b"", parent_of_other(name).unwrap_or(parent));
            self.draft.retype_last(name, self.run.kind);
            self.draft.tally.with_others += 1;
        }
    }

    /// Gives the current residue the type of its phosphate, which some programs write under the amino acid's name. Returns whether the
    /// atoms beside the amino acid's are one.
    #[cold]
    fn name_phosphate(&mut self, others: &[u64], has_proton: bool) -> bool {
        /// The amino acids with their phosphates, without a proton and with one.
        const PHOSPHATES: [(&str, [&[u8]; 2]); 3] =
            [("SER", [b"SEP", b"S1P"]), ("THR", [b"TPO", b"T1P"]), ("TYR", [b"PTR", b"Y1P"])];
        let begins = |letter: u8| others.iter().filter(|name| **name as u8 == letter).count();
        let (phosphorus, oxygens) = (begins(b'P'), begins(b'O'));
        let (kind, name) = (self.run.kind, self.run.residue.unwrap_or_default());
        let own = PHOSPHATES.iter().find(|(parent, _)| RESIDUES[usize::from(kind)].name == *parent);
        let own = own.filter(|_| phosphorus == 1 && oxygens <= 3 && others.len() == phosphorus + oxygens);
        if let Some((_, phosphates)) = own {
            self.run.kind = modified_kind(phosphates[usize::from(has_proton)], kind);
            self.draft.retype_last(name, self.run.kind);
            self.draft.tally.phosphates += 1;
        }
        own.is_some()
    }

    /// Takes note of what the current residue has, if it has a row.
    pub(super) fn see_row(&mut self) {
        let Run { begin, kind, .. } = self.run;
        if self.draft.structure.residue_atoms.last() != Some(&(begin as u32)) {
            return;
        }
        if self.run.b_differs {
            // Predictors give each atom of modified residues a confidence of its own.
            match Draft::shows_b(kind) {
                true => self.draft.b_differs = true,
                false => self.draft.b_differs_in_others = true,
            }
        }
        if self.run.is_start {
            self.draft.starts.push(self.draft.structure.n_residues() - 1);
        }
    }

    /// Takes note of a cap, which is a residue without a row: what comes next is the first residue of its chain.
    #[inline]
    pub(super) fn see_cap(&mut self) {
        let structure = &self.draft.structure;
        let has_row = || structure.residue_atoms.last() == Some(&(self.run.begin as u32));
        let is_cap = |name: u64| is_called_cap(&text_of(trim_zeros(&name.to_le_bytes())));
        let may_be_cap = matches!(self.run.fate, Fate::IfPolymer | Fate::Cover) && !has_row();
        if may_be_cap && self.run.residue.is_some_and(is_cap) {
            self.draft.starts.push(structure.n_residues());
        }
    }
}
