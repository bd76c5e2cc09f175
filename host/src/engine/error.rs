//! Why there are no features.

use super::ShapeDifference;
use crate::pack::PackError;
use crate::structure::StructureInput;
use cuda_std::{launch::LaunchError, panic::KernelPanic};
use thiserror::Error;

/// Why an engine could not be made, or a run gave no features.
///
/// ```
/// use prism_host::{Backend, Engine, EngineError, StructureInput};
/// use shared_types::MegaFusedConfig;
///
/// let config = MegaFusedConfig { contact_threshold: -1.0, ..MegaFusedConfig::default() };
/// let error = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap_err();
/// assert!(matches!(error, EngineError::Config { .. }) && error.structure_index().is_none());
///
/// // Which structure is to blame.
/// let error = Engine::builder().backend(Backend::Cpu).build()?.run(&[StructureInput::default()]).unwrap_err();
/// assert_eq!(error.structure_index(), Some(0));
/// assert!(!error.is_out_of_memory());
/// # Ok::<(), EngineError>(())
/// ```
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
    /// A kernel panicked, and it does not say on which structure.
    #[error("{0}; which structure it worked on is not known: please report it with the input")]
    UnattributedPanic(Box<KernelPanic>),
    /// A launch was refused.
    #[error(transparent)]
    Launch(LaunchError),
    /// CUDA was asked for and cannot be used.
    #[error("CUDA cannot be used: {0}")]
    NoCuda(DeviceError),
    /// A device failed.
    #[error(transparent)]
    Device(DeviceError),
    /// A structure for which there is too little memory.
    #[error(
        "structure {structure:?} ({atoms} atoms, {residues} residues) does not fit in memory, not even alone: {source}"
    )]
    OutOfMemory {
        /// The structure's place in the input.
        index: usize,
        /// The structure.
        structure: String,
        /// Its heavy atoms.
        atoms: usize,
        /// Its residues.
        residues: usize,
        /// What was too much.
        source: Box<EngineError>,
    },
    /// The host has no memory left for a batch.
    #[error("the system has no {bytes} bytes of memory for a batch")]
    OutOfHostMemory {
        /// Bytes of the buffer for which there is none.
        bytes: usize,
    },
    /// A batch of another shape than the one that was recorded.
    #[error("the batch is not of the shape that was recorded: {0}; record it anew")]
    OtherShape(ShapeDifference),
    /// Devices were named for a backend that has none.
    #[error("devices were named, and the CPU backend has none; leave them out or choose CUDA")]
    DevicesWithoutCuda,
    /// A configuration that makes no sense.
    #[error("`{field}` is {value}; it must be {needed}")]
    Config {
        /// The field of [`shared_types::MegaFusedConfig`].
        field: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        needed: String,
    },
}

/// What kind of failure a device has told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceErrorKind {
    /// Memory was too short: a smaller piece of work may fit.
    OutOfMemory,
    /// There is no such device, no driver, or both are too old.
    Unavailable,
    /// The device or its driver failed, and is not to be relied on any more.
    Lost,
    /// The work's or the program's own fault: it would be the same on any device.
    Other,
}

/// Why a device did not do what it was to do. A backend says of its errors which kind they are, and in its words what
/// happened.
///
/// ```
/// use prism_host::engine::{DeviceError, DeviceErrorKind};
///
/// let error = DeviceError::new(DeviceErrorKind::OutOfMemory, "no 64 bytes are left");
/// assert_eq!((error.kind(), error.to_string().as_str()), (DeviceErrorKind::OutOfMemory, "no 64 bytes are left"));
/// assert!(!error.is_unavailable() && DeviceError::lost("it fell off the bus").kind() == DeviceErrorKind::Lost);
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct DeviceError {
    kind: DeviceErrorKind,
    message: String,
}

impl DeviceError {
    /// An error of a kind.
    #[must_use]
    pub fn new(kind: DeviceErrorKind, message: impl std::fmt::Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// An error after which the device is not to be relied on.
    #[must_use]
    pub fn lost(message: impl std::fmt::Display) -> Self {
        Self::new(DeviceErrorKind::Lost, message)
    }

    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> DeviceErrorKind {
        self.kind
    }

    /// Whether there simply is no device that can be used.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.kind == DeviceErrorKind::Unavailable
    }

    /// Whether the device itself failed; all else is the batch's or the program's, and would be the same on any device.
    pub(super) fn is_the_workers(&self) -> bool {
        matches!(self.kind, DeviceErrorKind::Lost | DeviceErrorKind::Unavailable)
    }
}

impl EngineError {
    /// The place in the input of the structure that is to blame, where one is.
    #[must_use]
    pub fn structure_index(&self) -> Option<usize> {
        match self {
            Self::Pack(error) => error.structure_index(),
            Self::KernelPanic { index, .. } | Self::OutOfMemory { index, .. } => Some(*index),
            _ => None,
        }
    }

    pub(super) fn does_not_fit(index: usize, structure: &StructureInput, source: Self) -> Self {
        Self::OutOfMemory {
            index,
            structure: structure.name.clone(),
            atoms: structure.n_atoms(),
            residues: structure.n_residues(),
            source: Box::new(source),
        }
    }

    /// Whether memory was too short: a smaller batch may fit.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Device(error) => error.kind() == DeviceErrorKind::OutOfMemory,
            Self::Pack(PackError::OutOfMemory { .. }) | Self::OutOfMemory { .. } | Self::OutOfHostMemory { .. } => true,
            _ => false,
        }
    }

    /// The same error of an input in which this one's begins at `by`.
    pub(super) fn shifted(mut self, by: usize) -> Self {
        match &mut self {
            Self::Pack(PackError::Structure { index, .. } | PackError::TooLarge { index, .. })
            | Self::KernelPanic { index, .. }
            | Self::OutOfMemory { index, .. } => *index += by,
            _ => {}
        }
        self
    }
}
