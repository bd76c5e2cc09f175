//! Torsions and sugar puckers of nucleotides.

use super::{GroupWorkspace, Shared, take_columns};
use crate::batch_inputs::BatchInputs;
use crate::batch_sizes::BatchSizes;
use crate::memory::Memory;
use cuda_std::launch::Executor;
use kernels_gpu::nucleotide_torsions as torsions;
use shared_types::{Group, NucleotideRow, Steps};

/// Its rows.
pub(crate) struct NucleotideWorkspace<M: Memory> {
    rows: M::Buffer<NucleotideRow>,
}

impl<M: Memory> GroupWorkspace<M> for NucleotideWorkspace<M> {
    const GROUP: Group = Group::Nucleotide;
    const STEPS: Steps = Steps::NUCLEOTIDES;

    fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self { rows: memory.empty()? })
    }

    fn prepare(&mut self, memory: &M, sizes: &BatchSizes) -> Result<(), M::Error> {
        memory.reserve(&mut self.rows, sizes.residues)
    }

    fn launch<E: Executor<Space = M::Space>>(
        &mut self,
        executor: &E,
        inputs: BatchInputs<'_, M::Space>,
        shared: Shared<'_, M>,
    ) -> Result<(), E::Error> {
        let given = inputs.shorter();
        let args = torsions::Args {
            output: M::segments(&mut self.rows, shared.residues),
            atoms: given.atoms,
            ca_indices: given.ca_indices,
            descriptors: given.descriptors,
            chain_ids: given.chain_ids,
            residue_atoms: given.residue_atoms,
            nucleotide_atoms: given.nucleotide_atoms,
        };
        shared.sizes.launch::<torsions::Kernel, _>(executor, args)?;
        take_columns!(nucleotide_columns, executor, inputs, &self.rows, shared)
    }
}
