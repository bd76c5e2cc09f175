//! Frames of one composition: what they have in common is packed once, and each batch gets positions of its own.

use super::check::Totals;
use super::{BatchBuffers, PackError, PackedBatch, descriptor};
use crate::pooled::Pooled;
use prism_read::structure::StructureInput;
use shared_types::Atom;
use std::sync::{Arc, Mutex, PoisonError};

/// What belongs to a composition as long as it lasts.
#[derive(Default)]
struct OfComposition {
    /// Frames without positions, as many as the longest batch had.
    common: Mutex<Arc<BatchBuffers>>,
    /// Memory for the atoms of batches, side by side, which is used again.
    atoms: Pooled<Atom>,
}

impl PackedBatch {
    /// Packs frames that share their composition; `None` if these are others, or the composition is not valid. The batch that
    /// [`PackedBatch::from_inputs`] makes of structure after structure has the same content.
    ///
    /// # Errors
    /// As [`PackedBatch::from_inputs`].
    pub(super) fn from_frames(inputs: &[&StructureInput]) -> Option<Result<Self, PackError>> {
        let first = *inputs.first()?;
        let is_alike = |one: &&StructureInput| {
            let is_same = Arc::ptr_eq(&one.composition, &first.composition) && one.n_atoms() == first.n_atoms();
            is_same && one.frame.is_some()
        };
        if !inputs.iter().all(is_alike) {
            return None;
        }
        let own = first.composition.derived.get_or_init(OfComposition::default);
        let common = match own.common(first, inputs.len()) {
            Err(PackError::Structure { .. }) => return None,
            common => common,
        };
        Some(common.and_then(|common| Self::of_frames(inputs, common, &own.atoms)))
    }

    fn of_frames(
        inputs: &[&StructureInput],
        common: Arc<BatchBuffers>,
        memory: &Pooled<Atom>,
    ) -> Result<Self, PackError> {
        for (index, input) in inputs.iter().enumerate() {
            input.validate_positions().map_err(|source| PackError::Structure { index, source })?;
        }
        Ok(Self { are_frames: true, ..Self::of_inputs(inputs, common, Some(memory.clone())) })
    }
}

impl OfComposition {
    /// At least so many frames like `one`, without positions.
    fn common(&self, one: &StructureInput, count: usize) -> Result<Arc<BatchBuffers>, PackError> {
        let mut known = self.common.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = known.descriptors.first().is_some_and(|frame| frame.n_atoms as usize == one.n_atoms());
        if !fits {
            one.validate().map_err(|source| PackError::Structure { index: 0, source })?;
        }
        if !fits || known.descriptors.len() < count {
            let (mut longer, mut totals) = (BatchBuffers::default(), Totals::default());
            longer.reserve(count, count * one.n_residues())?;
            for index in 0..count {
                let offsets = totals.add(index, &one.name, one.n_atoms(), one.n_residues())?;
                longer.append(one, descriptor(one, offsets));
            }
            *known = Arc::new(longer);
        }
        Ok(Arc::clone(&known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::structure;
    use prism_read::structure::FrameOf;

    /// Some frames of a structure.
    fn frames(of: &StructureInput, count: u32) -> Vec<StructureInput> {
        let frame = |number: u32| {
            let mut one = StructureInput { frame: Some(FrameOf { number, time: 0.0 }), ..of.clone() };
            one.center[0] += f64::from(number);
            one.atoms.iter_mut().for_each(|atom| atom.y += 0.01 * number as f32);
            one
        };
        (0..count).map(frame).collect()
    }

    fn packed(structures: &[StructureInput]) -> Result<PackedBatch, PackError> {
        PackedBatch::from_inputs(structures)
    }

    #[test]
    fn frames_are_packed_like_structures_that_share_nothing() {
        let of = structure("run", 40, 3);
        // Fewer and more than before: what they have in common was packed for another number of them.
        for count in [3, 1, 2, 5, 4] {
            let own = frames(&of, count);
            let apart: Vec<_> = own.iter().map(|one| StructureInput { frame: None, ..one.clone() }).collect();
            let (frames, structures) = (packed(&own).unwrap(), packed(&apart).unwrap());
            assert!(frames.common().is_some() && structures.common().is_none());
            // Names, counts and every buffer but positions, radii and B factors are compared there.
            assert_eq!(crate::shape::difference(&frames, &structures), None);
            assert_eq!((frames.names(), frames.bytes()), (structures.names(), structures.bytes()));
            assert!(frames.atoms() == structures.atoms() && frames.bfactor() == structures.bfactor());
            assert_eq!(frames.atom_offsets().as_slice(), structures.atom_offsets().as_slice());
        }
    }

    #[test]
    fn frames_share_what_they_have_in_common_until_one_differs() {
        let of = structure("run", 40, 3);
        let (first, second) = (packed(&frames(&of, 3)).unwrap(), packed(&frames(&of, 2)).unwrap());
        assert!(Arc::ptr_eq(first.common().unwrap(), second.common().unwrap()));
        let mut changed = frames(&of, 3);
        changed[1].residue_types[7] = (of.residue_types[7] + 1) % 20;
        let batch = packed(&changed).unwrap();
        assert!(batch.common().is_none());
        assert_eq!(batch.residue_types()[40 + 7], changed[1].residue_types[7]);
        assert_eq!(batch.residue_types()[7], of.residue_types[7]);
        // A composition that only one has is changed where it is, and packed anew.
        let mut alone = frames(&of, 1).remove(0);
        alone.chains[0] = "own".to_owned();
        assert_eq!(packed(std::slice::from_ref(&alone)).unwrap().residue_types()[7], of.residue_types[7]);
        alone.residue_types[7] = changed[1].residue_types[7];
        assert_eq!(packed(std::slice::from_ref(&alone)).unwrap().residue_types()[7], alone.residue_types[7]);
    }

    #[test]
    fn a_bad_frame_is_named() {
        let of = structure("run", 40, 3);
        let mut some = frames(&of, 3);
        packed(&some).unwrap();
        some[2].atoms[5].z = f32::NAN;
        let error = packed(&some).unwrap_err();
        assert!(error.structure_index() == Some(2) && error.to_string().contains("`atoms`"), "{error}");
        // Another number of atoms than the residues have.
        let mut short = frames(&of, 2);
        short.iter_mut().for_each(|one| one.atoms.to_mut().truncate(5));
        assert_eq!(packed(&short).unwrap_err().structure_index(), Some(0));
        let mut broken = of.clone();
        broken.ca_indices.clear();
        let error = packed(&frames(&broken, 2)).unwrap_err();
        assert!(error.structure_index() == Some(0) && error.to_string().contains("`ca_indices`"), "{error}");
    }
}
