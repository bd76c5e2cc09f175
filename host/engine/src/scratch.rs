//! Scratch buffers that several kernels take as a group.

use super::memory::Memory;
use kernels_gpu::groups::{GatheredArgs, MadeCellsArgs, OwnedAtomsArgs, SortedAtomsArgs};
use kernels_gpu::scratch::{AlphaCarbon, CellWords, Frame, Traits};
use shared_types::Atom;

/// Heavy atoms sorted into cells, of as much of the buffers as a batch needs.
pub(super) struct Cells<M: Memory> {
    structures: usize,
    atoms: usize,
    frames: M::Buffer<Frame>,
    sorted: M::Buffer<Atom>,
    words: M::Buffer<CellWords>,
    owners: M::Buffer<u32>,
}

impl<M: Memory> Cells<M> {
    pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self {
            structures: 0,
            atoms: 0,
            frames: memory.empty()?,
            sorted: memory.empty()?,
            words: memory.empty()?,
            owners: memory.empty()?,
        })
    }

    pub(super) fn reserve(&mut self, memory: &M, structures: usize, atoms: usize) -> Result<(), M::Error> {
        (self.structures, self.atoms) = (structures, atoms);
        memory.reserve(&mut self.frames, structures)?;
        memory.reserve(&mut self.sorted, atoms)?;
        memory.reserve(&mut self.words, atoms)?;
        memory.reserve(&mut self.owners, atoms)
    }

    /// For the kernels that make them.
    pub(super) fn made<'b>(
        &'b mut self,
        structures: &'b M::Offsets,
        atoms: &'b M::Offsets,
    ) -> MadeCellsArgs<'b, M::Space> {
        MadeCellsArgs {
            frames: M::segments(&mut self.frames, structures),
            sorted: M::segments(&mut self.sorted, atoms),
            cells: M::segments(&mut self.words, atoms),
            owners: M::segments(&mut self.owners, atoms),
        }
    }

    pub(super) fn sorted(&self) -> SortedAtomsArgs<'_, M::Space> {
        let OwnedAtomsArgs { sorted, cells, frames, .. } = self.owned();
        SortedAtomsArgs { sorted, cells, frames }
    }

    pub(super) fn owned(&self) -> OwnedAtomsArgs<'_, M::Space> {
        OwnedAtomsArgs {
            sorted: M::view(&self.sorted, self.atoms),
            cells: M::view(&self.words, self.atoms),
            owners: M::view(&self.owners, self.atoms),
            frames: M::view(&self.frames, self.structures),
        }
    }
}

/// What is gathered of each residue first.
pub(super) struct GatheredRows<M: Memory> {
    pub(super) alpha_carbons: M::Buffer<AlphaCarbon>,
    pub(super) traits: M::Buffer<Traits>,
    pub(super) bfactor_z: M::Buffer<f32>,
}

impl<M: Memory> GatheredRows<M> {
    pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self { alpha_carbons: memory.empty()?, traits: memory.empty()?, bfactor_z: memory.empty()? })
    }

    pub(super) fn reserve(&mut self, memory: &M, residues: usize) -> Result<(), M::Error> {
        memory.reserve(&mut self.alpha_carbons, residues)?;
        memory.reserve(&mut self.traits, residues)?;
        memory.reserve(&mut self.bfactor_z, residues)
    }

    pub(super) fn segments<'b>(&'b mut self, residues: &'b M::Offsets) -> GatheredArgs<'b, M::Space> {
        GatheredArgs {
            alpha_carbons: M::segments(&mut self.alpha_carbons, residues),
            traits: M::segments(&mut self.traits, residues),
            bfactor_z: M::segments(&mut self.bfactor_z, residues),
        }
    }
}
