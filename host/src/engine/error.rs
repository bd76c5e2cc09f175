//! Why there are no features.

use crate::pack::{PackError, PackedBatch};
use cuda_std::{launch::LaunchError, panic::KernelPanic};
use thiserror::Error;

/// Why an engine could not be made, or a run gave no features.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Structures that cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A kernel panicked on a structure.
    #[error("structure {structure:?}: {panic}; this is a defect of the kernel: please report it with the structure")]
    KernelPanic {
        /// The structure's place in the input.
        index: usize,
        /// The structure.
        structure: String,
        /// Where and why.
        panic: Box<KernelPanic>,
    },
    /// A launch was refused.
    #[error(transparent)]
    Launch(LaunchError),
    /// CUDA was asked for and cannot be used.
    #[error("CUDA cannot be used: {reason}; use the CPU backend")]
    NoCuda {
        /// Why not.
        reason: String,
    },
    /// Devices were named for a backend that has none.
    #[error("devices were named, and the CPU backend has none; leave them out or choose CUDA")]
    DevicesWithoutCuda,
    /// A configuration that makes no sense.
    #[error("`{field}` is {value}; it must be {needed}")]
    Config {
        /// The field of [`shared_types::MegaFusedConfig`].
        field: &'static str,
        /// Its value.
        value: f32,
        /// What it must be.
        needed: &'static str,
    },
}

impl EngineError {
    /// What a launch on `batch` came to; a panic names the structure whose block it was.
    pub(super) fn from_launch(error: LaunchError, batch: &PackedBatch) -> Self {
        match error {
            LaunchError::Panic(panic) => Self::from_panic(panic, batch),
            other => Self::Launch(other),
        }
    }

    pub(super) fn from_panic(panic: KernelPanic, batch: &PackedBatch) -> Self {
        let index = panic.block[0] as usize;
        let structure = batch.names().get(index).cloned().unwrap_or_default();
        Self::KernelPanic { index, structure, panic: Box::new(panic) }
    }

    /// The place in the input of the structure that is to blame, where one is.
    #[must_use]
    pub fn structure_index(&self) -> Option<usize> {
        match self {
            Self::Pack(error) => error.structure_index(),
            Self::KernelPanic { index, .. } => Some(*index),
            _ => None,
        }
    }

    /// The same error of an input in which this one's begins at `by`.
    pub(super) fn shifted(mut self, by: usize) -> Self {
        match &mut self {
            Self::Pack(PackError::Structure { index, .. } | PackError::TooLarge { index, .. })
            | Self::KernelPanic { index, .. } => *index += by,
            _ => {}
        }
        self
    }
}
