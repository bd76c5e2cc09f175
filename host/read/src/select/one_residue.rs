//! What makes one residue of a run: two spellings of its name, and the oxygens at its end.

use super::{Fate, Named, Record, Run, Selection, Taken, end_oxygen, landmarks};
use crate::atoms::Atom;
use crate::draft::BOND2;
use crate::error::Problem;
use crate::options::Residues;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::radii::protor_radius;
use shared_types::residue::{is_nucleotide, parent_of};
use shared_types::{STANDARD, UNKNOWN};

impl<'a> Selection<'a> {
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

    /// Takes a record with an atom name that the current residue has already, in the alternate location `first`: it is left out, unless it
    /// begins another residue. Programs that drop insertion codes leave neighbours with one name and number.
    #[cold]
    pub(super) fn known_name(&mut self, record: &Record<'_, 'a>, name: u64, first: u64) -> Result<Taken, Problem> {
        if first == record.alternate {
            if self.is_bonded_behind(record, name) {
                self.end_run()?;
                return self.atom(record);
            }
            self.draft.tally.duplicates += 1;
        }
        Ok(Taken::Nothing)
    }

    /// Whether a record is the first atom of a residue that follows the current one in a chain: N near its C, P near its O3', or an alpha
    /// carbon near another one that is alone.
    fn is_bonded_behind(&self, record: &Record<'_, '_>, name: u64) -> bool {
        /// The least and the largest distance in Å between alpha carbons of neighbours, cis and trans.
        const ALPHA_CARBONS: [f64; 2] = [2.7, 4.2];
        let distance2 = |atom: u32| {
            let atom = self.draft.atoms.get(atom as usize)?;
            Some((0..3).map(|axis| (atom[axis] - record.position[axis]).powi(2)).sum::<f64>())
        };
        let [anchor, begin, _] = landmarks(self.run.kind);
        let (Some(&[_, end]), true) = (self.draft.backbone.last(), self.run.open) else { return false };
        if name == begin {
            return distance2(end).is_some_and(|distance2| distance2 < BOND2);
        }
        let [least, most] = ALPHA_CARBONS.map(|distance| distance * distance);
        let is_alone = self.names.all().len() == 1 && name == anchor && !is_nucleotide(self.run.kind);
        is_alone && distance2(self.run.begin as u32).is_some_and(|distance2| (least..=most).contains(&distance2))
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
