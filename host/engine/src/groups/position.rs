//! The positions of residues in their file, and its B column.

use super::{GroupWorkspace, Shared, take_columns};
use crate::batch_inputs::BatchInputs;
use crate::batch_sizes::BatchSizes;
use crate::memory::Memory;
use cuda_std::launch::Executor;
use kernels_gpu::residue_positions as positions;
use shared_types::{Group, PositionRow, Steps};

/// Its rows.
pub(crate) struct PositionWorkspace<M: Memory> {
    rows: M::Buffer<PositionRow>,
}

impl<M: Memory> GroupWorkspace<M> for PositionWorkspace<M> {
    const GROUP: Group = Group::Position;
    const STEPS: Steps = Steps::POSITION;

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
        let args = positions::Args {
            output: M::segments(&mut self.rows, &shared.residue_items.offsets),
            items: shared.residue_items.view(),
            atoms: given.atoms,
            ca_indices: given.ca_indices,
            descriptors: given.descriptors,
            centers: given.centers,
            b_column: given.b_column,
        };
        shared.sizes.launch::<positions::Kernel, _>(executor, args)?;
        take_columns!(position_columns, executor, inputs, &self.rows, shared)
    }
}
