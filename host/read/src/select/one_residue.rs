//! What makes one residue of a run: two spellings of its name, and the oxygens at its end.

use super::{Fate, Named, Record, Run, Selection, end_oxygen};
use crate::atoms::Atom;
use crate::options::Residues;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::radii::protor_radius;
use shared_types::residue::parent_of;
use shared_types::{STANDARD, UNKNOWN};

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
