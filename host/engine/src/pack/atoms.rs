//! The heavy atoms of a batch: where their structures have them, until somebody needs them side by side.

use super::{PackError, reserve};
use crate::pooled::{Pooled, PooledVec};
use prism_read::structure::Atoms;
use shared_types::Atom;
use std::ops::Range;
use std::sync::OnceLock;

/// Atoms of structures. A device's copy gathers them from where they lie; cores need them side by side.
#[derive(Clone, Debug)]
pub(super) struct BatchAtoms {
    /// Those of each structure. None if the batch was made from buffers, in which they may have another order.
    apart: Vec<Atoms>,
    joined: OnceLock<PooledVec<Atom>>,
    /// Number of all atoms.
    len: usize,
    /// Memory for them side by side, which is used again. Without it they get memory of their own.
    memory: Option<Pooled<Atom>>,
}

impl BatchAtoms {
    /// Of structures, in their order.
    pub(super) fn apart(apart: Vec<Atoms>, memory: Option<Pooled<Atom>>) -> Self {
        let len = apart.iter().map(|atoms| atoms.len()).sum();
        Self { apart, joined: OnceLock::new(), len, memory }
    }

    /// Of buffers.
    pub(super) fn joined(atoms: Vec<Atom>) -> Self {
        Self { apart: Vec::new(), len: atoms.len(), joined: OnceLock::from(PooledVec::from(atoms)), memory: None }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts them side by side, if they are not.
    ///
    /// # Errors
    /// [`PackError::OutOfMemory`].
    pub(super) fn join(&self) -> Result<&[Atom], PackError> {
        if let Some(joined) = self.joined.get() {
            return Ok(joined);
        }
        let joined = match &self.memory {
            Some(memory) => {
                let bytes = self.len * size_of::<Atom>();
                let mut joined = memory.take(self.len).map_err(|_| PackError::OutOfMemory { bytes })?;
                let mut rest = &mut joined[..];
                for atoms in &self.apart {
                    let (own, others) = rest.split_at_mut(atoms.len());
                    own.copy_from_slice(atoms);
                    rest = others;
                }
                joined
            }
            None => {
                let mut joined = Vec::new();
                reserve(&mut joined, self.len)?;
                self.apart.iter().for_each(|atoms| joined.extend_from_slice(atoms));
                joined.into()
            }
        };
        // Another thread may have done the same meanwhile.
        Ok(self.joined.get_or_init(|| joined))
    }

    /// Those of some structures, unless all lie side by side.
    pub(super) fn of(&self, structures: Range<usize>) -> Option<&[Atoms]> {
        self.joined.get().is_none().then(|| &self.apart[structures])
    }

    /// All atoms side by side.
    ///
    /// # Panics
    /// If there is no memory for it.
    pub(super) fn as_slice(&self) -> &[Atom] {
        self.join().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The slices that have the atoms of some structures, in their order; `atoms` are the same where all lie side by side.
    pub(super) fn parts(&self, structures: Range<usize>, atoms: Range<usize>) -> Vec<&[Atom]> {
        match self.joined.get() {
            Some(joined) => vec![&joined[atoms]],
            None => self.apart[structures].iter().map(|atoms| &atoms[..]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pack::PackedBatch;
    use crate::synthetic::structure;
    use prism_read::structure::{FrameOf, StructureInput};

    #[test]
    fn atoms_lie_where_structures_have_them_until_somebody_needs_them_side_by_side() {
        let frame = |number| {
            let mut frame = structure("run", 40, 3);
            frame.frame = Some(FrameOf { number, time: 0.0 });
            frame.atoms.iter_mut().for_each(|atom| atom.x += number as f32);
            frame
        };
        let first = frame(0);
        let frames = [&frame(1), &frame(2)].map(|one| StructureInput { atoms: one.atoms.clone(), ..first.clone() });
        let others = [structure("first", 40, 3), structure("second", 25, 1)];
        for mut structures in [frames, others] {
            let batch = PackedBatch::from_inputs(&structures).unwrap();
            let lie_there = |parts: &[&[_]], structures: &[StructureInput]| {
                parts
                    .iter()
                    .zip(structures)
                    .all(|(part, one)| part.as_ptr() == one.atoms.as_ptr() && **part == one.atoms[..])
            };
            let (whole, halves) = (batch.whole(), batch.chunks(2));
            assert!(whole.atom_parts().len() == 2 && lie_there(&whole.atom_parts(), &structures));
            assert!(halves.len() == 2 && lie_there(&halves[1].atom_parts(), &structures[1..]));
            batch.join().unwrap();
            let atoms = [&structures[0].atoms[..], &structures[1].atoms].concat();
            assert!(whole.atom_parts() == [&atoms[..]] && batch.atoms() == atoms);
            assert_eq!(halves[1].atom_parts(), [&structures[1].atoms[..]]);
            // The batch keeps what it was made from.
            let again = PackedBatch::from_inputs(&structures).unwrap();
            structures[0].atoms[0].y = 7.5;
            assert!(again.atoms() == atoms && PackedBatch::from_inputs(&structures).unwrap().atoms()[0].y == 7.5);
        }
    }
}
