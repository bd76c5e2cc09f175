//! Which structure is to blame for a launch that failed.

use super::EngineError;
use super::batch_sizes::BatchSizes;
use super::memory::Memory;
use super::workspace::Workspace;
use crate::pack::BatchChunk;
use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;

impl EngineError {
    /// The error of a launch for a batch that was computed in `work`. A panic names the structure of its block. For backends.
    #[must_use]
    pub fn of_launch<M: Memory>(error: LaunchError, batch: &BatchChunk<'_>, work: &Workspace<M>) -> Self {
        Self::from_launch(error, batch, &work.sizes)
    }

    /// Converts the result of a launch on `batch`. A panic names the structure of its block.
    pub(super) fn from_launch(error: LaunchError, batch: &BatchChunk<'_>, sizes: &BatchSizes) -> Self {
        match error {
            LaunchError::Panic(panic) => Self::from_panic(panic, batch, sizes),
            other => Self::Launch(other),
        }
    }

    /// As [`from_launch`](Self::from_launch). The structure's index is that in the batch to which this chunk belongs. `sizes` are
    /// those of the launch.
    pub(super) fn from_panic(panic: KernelPanic, batch: &BatchChunk<'_>, sizes: &BatchSizes) -> Self {
        let panic = Box::new(panic);
        match sizes.structure_of(&panic) {
            Some(index) => {
                let structure = batch.names().get(index).cloned().unwrap_or_default();
                Self::KernelPanic { index: batch.structures().start + index, structure, panic }
            }
            None => Self::UnattributedPanic(panic),
        }
    }
}
