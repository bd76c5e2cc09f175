//! Whether frames have the atoms of their topology, in its order and in Å: what readers check in each structure is checked in one frame.

use super::{Frame, Template, Trajectory};
use crate::inputs::InputFailure;
use prism_read::structure::Composition;
use prism_read::{Note, NoteKind, unit_doubt};
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::{Atom, NO_CA};

/// Damaged frames that may come before the one that is checked.
const TRIED: usize = 16;
/// The square of a distance in Å that no bond of a backbone has.
const BOND2: f64 = 2.5 * 2.5;
/// The fewest residues that show something.
const LEAST: usize = 3;

impl Template {
    /// Checks the first frame that is whole. `own` are the topology's atoms; none if it has no positions. Returns a note if frames seem to
    /// be in another unit.
    ///
    /// # Errors
    /// If its atoms are in another order: most residues' N, CA and C are apart.
    pub(super) fn check(&self, run: &Trajectory, own: Option<&[Atom]>) -> Result<Option<Note>, InputFailure> {
        let mut frame = Frame::default();
        let first = (0..run.n_frames().min(TRIED)).find_map(|number| {
            run.read(number, self.atoms_to_read(), &mut frame).ok()?;
            Some((number, self.structure_of(&frame, number as u32).ok()?.0))
        });
        let Some((number, first)) = first else { return Ok(None) };
        let found = bonds2(&self.structure, &first.atoms);
        let own = own.map(|own| bonds2(&self.structure, own));
        if let Some(doubt) = unit_doubt(found.iter().copied()) {
            // Of the topology, its reader has said it.
            let is_known = own.is_some_and(|own| unit_doubt(own.into_iter()).is_some());
            let note = || Note { kind: NoteKind::Scale, text: format!("{}: {doubt}", run.name()) };
            return Ok((!is_known).then(note));
        }
        let bonded = number_bonded(&found);
        let are_apart = |bonds2: &[[f64; 2]]| 2 * number_bonded(bonds2) < bonds2.len();
        if found.len() < LEAST || !are_apart(&found) || own.is_some_and(|own| are_apart(&own)) {
            return Ok(None);
        }
        let (name, residues) = (&self.structure.name, found.len());
        let why = format!(
            "its atoms are not in the order of {name}: in frame {number}, N, CA and C are bonded in {bonded} of {residues} residues; give \
             the topology that it was written with, or write one from it (gmx trjconv -s run.tpr -dump 0 -o top.pdb)"
        );
        Err(InputFailure::new(run.name(), why))
    }
}

/// The squares of the distances of N and CA and of CA and C, of residues that have all three.
fn bonds2(structure: &Composition, atoms: &[Atom]) -> Vec<[f64; 2]> {
    let of_row = |row: usize| {
        let (begin, roles) = (structure.residue_atoms[row], RoleAtoms::of_words(structure.roles[row]));
        let ca = structure.ca_indices[row];
        if ca == NO_CA || roles.n == NO_ATOM || roles.c == NO_ATOM {
            return None;
        }
        let [n, ca, c] = [begin + u32::from(roles.n), ca, begin + u32::from(roles.c)].map(|atom| atoms[atom as usize]);
        let distance2 = |a: Atom, b: Atom| {
            [b.x - a.x, b.y - a.y, b.z - a.z].into_iter().map(|along| f64::from(along).powi(2)).sum::<f64>()
        };
        Some([distance2(n, ca), distance2(ca, c)])
    };
    (0..structure.roles.len()).filter_map(of_row).collect()
}

fn number_bonded(bonds2: &[[f64; 2]]) -> usize {
    bonds2.iter().filter(|bonds2| bonds2.iter().all(|bond2| *bond2 < BOND2)).count()
}
