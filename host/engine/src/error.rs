//! Why there are no features.

use super::ShapeDifference;
use crate::pack::PackError;
use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;
use prism_read::plural::counted;
use prism_read::structure::StructureInput;
use thiserror::Error;

/// Why an engine could not be created, or why a run gave no features.
///
/// ```
/// use prism_engine::{Backend, Engine, EngineError};
/// use prism_read::StructureInput;
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
        /// The structure's index in the input.
        index: usize,
        /// The structure.
        structure: String,
        /// Where and why.
        panic: Box<KernelPanic>,
    },
    /// A kernel panicked, but the structure is unknown.
    #[error("{0}; which structure it worked on is not known: please report it with the input")]
    UnattributedPanic(Box<KernelPanic>),
    /// A launch was refused.
    #[error(transparent)]
    Launch(LaunchError),
    /// CUDA was requested but cannot be used.
    #[error("CUDA cannot be used: {0}")]
    NoCuda(DeviceError),
    /// A device failed.
    #[error(transparent)]
    Device(DeviceError),
    /// There is too little memory for a structure.
    #[error(
        "structure {structure:?} ({}, {}) does not fit in memory, not even alone: {source}",
        counted(*atoms, "atom", "atoms"),
        counted(*residues, "residue", "residues")
    )]
    OutOfMemory {
        /// The structure's index in the input.
        index: usize,
        /// The structure.
        structure: String,
        /// Its heavy atoms.
        atoms: usize,
        /// Its residues.
        residues: usize,
        /// What did not fit.
        source: Box<EngineError>,
    },
    /// The host has too little memory for a batch.
    #[error("the system has no {bytes} bytes of memory for a batch")]
    OutOfHostMemory {
        /// The size of the buffer that could not be allocated, in bytes.
        bytes: usize,
    },
    /// A batch does not have the shape of the recorded one.
    #[error("the batch is not of the shape that was recorded: {0}; record it anew")]
    OtherShape(ShapeDifference),
    /// Devices were given for a backend that has none.
    #[error("devices were named, and the CPU backend has none; leave them out or choose CUDA")]
    DevicesWithoutCuda,
    /// An invalid configuration.
    #[error("`{field}` is {value}; it must be {needed}")]
    Config {
        /// The field of [`shared_types::MegaFusedConfig`].
        field: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        needed: String,
    },
}

/// The kinds of failures that a device reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceErrorKind {
    /// There was too little memory. A smaller batch may fit.
    OutOfMemory,
    /// There is no such device or no driver, or both are too old.
    Unavailable,
    /// The device or its driver failed and must not be used any more.
    Lost,
    /// The batch or the program is at fault. The error would be the same on any device.
    Other,
}

/// Why a device failed. A backend states the kind of its error and describes it in its own words.
///
/// ```
/// use prism_engine::{DeviceError, DeviceErrorKind};
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

    /// An error after which the device must not be used any more.
    #[must_use]
    pub fn lost(message: impl std::fmt::Display) -> Self {
        Self::new(DeviceErrorKind::Lost, message)
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> DeviceErrorKind {
        self.kind
    }

    /// Whether there is no usable device.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.kind == DeviceErrorKind::Unavailable
    }

    /// Whether the device itself failed. All other errors belong to the batch or the program, and would be the same on any
    /// device.
    pub(super) fn is_the_workers(&self) -> bool {
        matches!(self.kind, DeviceErrorKind::Lost | DeviceErrorKind::Unavailable)
    }
}

impl EngineError {
    /// The index in the input of the structure that caused the error, if one did.
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

    /// Whether there was too little memory, so that a smaller batch may fit.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Device(error) => error.kind() == DeviceErrorKind::OutOfMemory,
            Self::Pack(PackError::OutOfMemory { .. }) | Self::OutOfMemory { .. } | Self::OutOfHostMemory { .. } => true,
            _ => false,
        }
    }

    /// The same error for a larger input, in which this one begins at index `by`.
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
