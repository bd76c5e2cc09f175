//! Amino acids under the name of a nucleotide: programs give residues names that the Chemical Component Dictionary gives something else.

use super::{Selection, landmarks};
use crate::components;
use crate::word::trim_zeros;
use shared_types::UNKNOWN;
use shared_types::backbone::RoleAtoms;
use shared_types::radii::protor_radius;

impl Selection<'_> {
    /// Makes the current residue, which has a nucleotide's name, an amino acid if it has the bonded N, CA and C of one, and no C1'. Returns
    /// whether it is one.
    #[cold]
    pub(super) fn becomes_amino_acid(&mut self) -> bool {
        let Some(name) = self.run.residue.filter(|_| self.polymers.has_protein()) else { return false };
        let names: Vec<u64> = match self.kept_names.is_empty() {
            true => self.names.all().iter().map(|(name, _)| *name).collect(),
            false => self.kept_names.clone(),
        };
        let begin = self.run.begin;
        let place = |name: u64| names.iter().position(|own| *own == name).map(|at| (begin + at) as u32);
        let [anchor, first, last] = landmarks(UNKNOWN);
        let (None, Some(n), Some(ca), Some(c)) =
            (place(landmarks(self.run.kind)[0]), place(first), place(anchor), place(last))
        else {
            return false;
        };
        if !(self.draft.bonded(n, ca) && self.draft.bonded(ca, c)) {
            return false;
        }
        let (before, kind) = (self.run.kind, components::with_backbone(name));
        let mut roles = RoleAtoms::NONE;
        for (offset, name) in names.iter().enumerate() {
            let bytes = name.to_le_bytes();
            let name = trim_zeros(&bytes);
            roles.assign(offset, name);
            // Atoms of other elements keep the radius of theirs.
            if matches!(name.first(), Some(b'C' | b'N' | b'O' | b'S'))
                && self.draft.atoms[begin + offset][3] == f64::from(protor_radius(before, name))
            {
                self.draft.set_radius(begin + offset, f64::from(protor_radius(kind, name)));
            }
        }
        self.run.kind = kind;
        self.draft.rename_last(name, kind, ca, [n, c], roles);
        let s = &mut self.draft.structure;
        if let (Some(b_factor), Some(b), Some(column)) = (self.run.ca_b, s.bfactor.last_mut(), s.b_column.last_mut()) {
            *column = b_factor;
            if !self.averages_b {
                *b = b_factor;
            }
        }
        true
    }
}
