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
