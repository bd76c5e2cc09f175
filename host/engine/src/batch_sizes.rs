//! The sizes of a batch, which decide how its kernels are launched.

use super::results::ResultSizes;
use cuda_std::launch::Executor;
use cuda_std::panic::KernelPanic;
use kernels_gpu::{BatchKernel, Blocks};
use shared_types::Steps;
use std::sync::Arc;

/// How much of the buffers a batch takes, what is computed for it, and what the blocks of its kernels work on.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchSizes {
    pub(super) structures: usize,
    pub(super) residues: usize,
    pub(super) atoms: usize,
    pub(super) contact_words: usize,
    /// Rows of eight numbers for the boxes of large structures.
    pub(super) boxes: usize,
    pub(super) largest_atoms: u32,
    pub(super) largest_residues: u32,
    /// The steps to run.
    pub(super) steps: Steps,
    /// Whether there are structures whose atoms one block of few threads sorts, and whether there are others.
    pub(super) few_atoms: bool,
    pub(super) many_atoms: bool,
    /// Whether there are structures that one block computes, and whether there are others.
    pub(super) few_residues: bool,
    pub(super) many_residues: bool,
    /// Residues of the largest structure whose centrality all blocks compute together, if there is one.
    pub(super) together: Option<u32>,
    /// Residues of structures whose centrality one block computes.
    pub(super) largest_centrality: u32,
    /// The most residues of structures whose `wcn` is computed.
    pub(super) largest_wcn: u32,
    /// The structure of each item.
    pub(super) atom_items: Arc<[u32]>,
    pub(super) residue_items: Arc<[u32]>,
    pub(super) row_items: Arc<[u32]>,
    pub(super) value_items: Arc<[u32]>,
    pub(super) results: ResultSizes,
}

impl BatchSizes {
    /// Launches as many blocks as the kernel asks for.
    pub(super) fn launch<K: BatchKernel, E: Executor>(
        &self,
        executor: &E,
        args: K::Args<'_, E::Space>,
    ) -> Result<(), E::Error> {
        let blocks = match K::BLOCKS {
            Blocks::Together => {
                self.together.unwrap_or(0).div_ceil(K::THREADS).min(executor.most_blocks_that_meet::<K>()?)
            }
            blocks => self.items(blocks).map_or(self.structures, <[u32]>::len) as u32,
        };
        executor.launch::<K>(blocks.into(), args)
    }

    /// The structure on which a kernel's block panicked, counted in the chunk; `None` if that is unknown.
    pub(super) fn structure_of(&self, panic: &KernelPanic) -> Option<usize> {
        let block = panic.block[0] as usize;
        let structure = match super::kernels::blocks_of(&panic.kernel)? {
            // All structures pass through each block, one after another.
            Blocks::Together => (self.structures == 1).then_some(0)?,
            Blocks::Pairs => None?,
            blocks => match self.items(blocks) {
                Some(items) => *items.get(block)? as usize,
                None => block,
            },
        };
        (structure < self.structures).then_some(structure)
    }

    /// The items of blocks that work on items instead of structures.
    fn items(&self, blocks: Blocks) -> Option<&[u32]> {
        match blocks {
            Blocks::Structures | Blocks::Together | Blocks::Pairs => None,
            Blocks::AtomItems => Some(&self.atom_items),
            Blocks::ResidueItems => Some(&self.residue_items),
            Blocks::RowItems => Some(&self.row_items),
            Blocks::ValueItems => Some(&self.value_items),
        }
    }
}
