//! Which structure is to blame for a launch that failed.

use super::EngineError;
use super::batch_sizes::BatchSizes;
use super::memory::Memory;
use super::workspace::Workspace;
use crate::pack::BatchChunk;
use cuda_std::{launch::LaunchError, panic::KernelPanic};

impl EngineError {
    /// The error of a batch whose launch failed while it was computed in `work`. A panic names the structure whose block
    /// it was. For backends.
    #[must_use]
    pub fn of_launch<M: Memory>(error: LaunchError, batch: &BatchChunk<'_>, work: &Workspace<M>) -> Self {
        Self::from_launch(error, batch, &work.sizes)
    }

    /// What a launch on `batch` came to; a panic names the structure whose block it was.
    pub(super) fn from_launch(error: LaunchError, batch: &BatchChunk<'_>, sizes: &BatchSizes) -> Self {
        match error {
            LaunchError::Panic(panic) => Self::from_panic(panic, batch, sizes),
            other => Self::Launch(other),
        }
    }

    /// As [`from_launch`](Self::from_launch); the structure's place is that in the batch of which this is a chunk. `sizes`
    /// are those that were launched.
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
