//! What makes one residue of a run: two spellings of its name, and the oxygens at its end.

use super::{Fate, Named, Record, Run, Selection, end_oxygen};
use crate::atoms::Atom;
use crate::options::Residues;
use crate::word::pack;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::radii::protor_radius;
use shared_types::residue::{modified_kind, parent_of};
use shared_types::{RESIDUES, STANDARD, UNKNOWN};

impl Selection<'_> {
    /// Whether a record with another name belongs to the current residue: `GLU` and `GLUP` with one number are one glutamate, if
    /// the second name's atoms are not among those of the first.
    pub(super) fn is_one_residue(&self, record: &Record<'_, '_>, named: Named, fate: Fate) -> bool {
        let have_rows = [self.run.fate, fate].iter().all(|fate| matches!(fate, Fate::Row | Fate::IfPolymer));
        if !have_rows || self.residues == Residues::Standard || record.alternate != 0 || !self.alternates.is_empty() {
            return false;
        }
        let parent = parent_of(named.kind);
        if parent.is_none() || parent != parent_of(self.run.kind) {
            return false;
        }
        match named.rules.atom(named.residue, named.kind, record.name, record.element).0 {
            Atom::Heavy { name, .. } | Atom::Cap { name, .. } => !self.names.has(name),
            Atom::Hydrogen | Atom::Pseudo => true,
        }
    }

    /// Goes on with the current residue under another name. The name that states more is the residue's: a protonation state, or
    /// a modification.
    pub(super) fn go_on_as(&mut self, named: Named) {
        self.run.residue = Some(named.residue);
        self.run.record = named;
        if usize::from(self.run.kind) < STANDARD && self.run.kind != named.kind {
            self.run.kind = named.kind;
            if self.run.open {
                self.draft.retype_last(named.residue, named.kind);
            }
        }
    }

    /// Makes an oxygen with another name the carbonyl oxygen of a residue that has none, if it is bonded to the carbon.
    pub(super) fn take_end_oxygen(&mut self) {
        let (Some((_, offset)), Some(&[_, c])) = (self.run.end_oxygen, self.draft.backbone.last()) else { return };
        let at = self.run.begin + offset;
        let is_bonded = self.draft.bonded(c, at as u32);
        if let Some(roles) = self.draft.structure.roles.last_mut() {
            let mut named = RoleAtoms::of_words(*roles);
            if named.o == NO_ATOM && is_bonded {
                named.assign(offset, b"O");
                *roles = named.words();
                self.draft.set_radius(at, f64::from(protor_radius(UNKNOWN, b"O")));
            }
        }
    }
}

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
}

impl Run {
    /// Takes note of an atom that may be the carbonyl oxygen.
    #[inline]
    pub(super) fn see_end_oxygen(&mut self, name: u64, offset: usize) {
        if name as u8 == b'O'
            && let Some(rank) = end_oxygen(name)
            && self.end_oxygen.is_none_or(|(best, _)| rank < best)
        {
            self.end_oxygen = Some((rank, offset));
        }
    }
}
