//! The sizes of a batch, which decide how its kernels are launched.

use super::results::ResultSizes;
use cuda_std::launch::Executor;
use cuda_std::panic::KernelPanic;
use kernels_gpu::{BatchKernel, Blocks};
use shared_types::Steps;
use std::sync::Arc;

/// How much of the buffers a batch takes, what is computed of it, and what the blocks of its kernels work on.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchSizes {
    pub(super) structures: usize,
    pub(super) residues: usize,
    pub(super) atoms: usize,
    pub(super) contact_words: usize,
    pub(super) largest_atoms: u32,
    /// What has to run.
    pub(super) steps: Steps,
    /// Whether there are structures of which one block of few threads sorts the atoms, and others.
    pub(super) few_atoms: bool,
    pub(super) many_atoms: bool,
    /// Whether there are structures that one block computes, and others.
    pub(super) few_residues: bool,
    pub(super) many_residues: bool,
    /// Of each item, its structure.
    pub(super) atom_items: Arc<[u32]>,
    pub(super) residue_items: Arc<[u32]>,
    pub(super) row_items: Arc<[u32]>,
    pub(super) results: ResultSizes,
}

impl BatchSizes {
    /// Launches as many blocks as the kernel says that it has.
    pub(super) fn launch<K: BatchKernel, E: Executor>(
        &self,
        executor: &E,
        args: K::Args<'_, E::Space>,
    ) -> Result<(), E::Error> {
        let blocks = match self.items(K::BLOCKS) {
            Some(items) => items.len(),
            None => self.structures,
        };
        executor.launch::<K>((blocks as u32).into(), args)
    }

    /// The structure that the block worked on in which a kernel panicked, counted in the chunk; `None` where it cannot be
    /// told.
    pub(super) fn structure_of(&self, panic: &KernelPanic) -> Option<usize> {
        let block = panic.block[0] as usize;
        let structure = match self.items(super::kernels::blocks_of(&panic.kernel)?) {
            Some(items) => *items.get(block)? as usize,
            None => block,
        };
        (structure < self.structures).then_some(structure)
    }

    /// The items that blocks have, where they do not have structures.
    fn items(&self, blocks: Blocks) -> Option<&[u32]> {
        match blocks {
            Blocks::Structures => None,
            Blocks::AtomItems => Some(&self.atom_items),
            Blocks::ResidueItems => Some(&self.residue_items),
            Blocks::RowItems => Some(&self.row_items),
        }
    }
}
