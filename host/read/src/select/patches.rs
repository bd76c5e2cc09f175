//! What the atoms of a residue say that its name does not: that it is a chain's first one, or carries a phosphate; and whether they have one
//! value in the B column.

use super::{Fate, Run, Selection};
use crate::atoms::may_be_drude;
use crate::draft::Draft;
use crate::elements::is_called_cap;
use crate::word::{pack, text_of, trim_zeros};
use shared_types::RESIDUES;
use shared_types::residue::modified_kind;

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
        self.run.is_start |= SECOND.contains(&name);
        /// Its names in CHARMM and AMBER.
        const PROTONS: [&str; 6] = ["HT", "H1P", "H2P", "H3P", "HOP2", "HOP3"];
        if let Some(has_proton) = &mut self.run.phosphate {
            *has_proton |= PROTONS.iter().any(|own| pack(own.as_bytes()) == name);
        }
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

    /// Gives the current residue the type of its phosphate, which some programs write under the amino acid's name.
    #[cold]
    pub(super) fn name_phosphate(&mut self, has_proton: bool) {
        /// The amino acids with their phosphates, without a proton and with one.
        const PHOSPHATES: [(&str, [&[u8]; 2]); 3] =
            [("SER", [b"SEP", b"S1P"]), ("THR", [b"TPO", b"T1P"]), ("TYR", [b"PTR", b"Y1P"])];
        let (kind, name) = (self.run.kind, self.run.residue.unwrap_or_default());
        let own = PHOSPHATES.iter().find(|(parent, _)| RESIDUES[usize::from(kind)].name == *parent);
        if let Some((_, phosphates)) = own {
            self.run.kind = modified_kind(phosphates[usize::from(has_proton)], kind);
            self.draft.retype_last(name, self.run.kind);
            self.draft.tally.phosphates += 1;
        }
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
