//! Why structures could not be packed.

use prism_read::structure::StructureError;
use thiserror::Error;

/// Why a batch was refused before any launch.
///
/// ```
/// use prism_engine::{PackError, PackedBatch};
/// use prism_read::StructureInput;
///
/// let error = PackedBatch::from_inputs([&StructureInput::default()]).unwrap_err();
/// assert!(matches!(error, PackError::Structure { .. }));
/// assert_eq!(error.structure_index(), Some(0));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PackError {
    /// A structure is invalid.
    #[error("{source}")]
    Structure {
        /// Its index in the input.
        index: usize,
        /// The problem.
        source: StructureError,
    },
    /// The batch exceeds 32-bit indices.
    #[error(
        "structure {structure:?}: with it the batch has {count} {what}, more than the limit of {limit}; make batches smaller"
    )]
    TooLarge {
        /// Its index in the input.
        index: usize,
        /// The structure that makes the batch exceed the limit.
        structure: String,
        /// `atoms` or `residues`.
        what: &'static str,
        /// Their number with this structure.
        count: u64,
        /// The largest allowed number.
        limit: u64,
    },
    /// The host has no memory for the batch.
    #[error("packing: out of memory, cannot allocate {bytes} bytes; make batches smaller")]
    OutOfMemory {
        /// Size in bytes of the buffer that was not allocated.
        bytes: usize,
    },
    /// Two descriptors claim the same atoms or rows.
    #[error("structures {first:?} and {second:?} overlap: both have {what} {shared}")]
    Overlap {
        /// The structure whose range begins first.
        first: String,
        /// The other structure.
        second: String,
        /// `atom` or `residue`.
        what: &'static str,
        /// The first shared index.
        shared: u32,
    },
    /// A descriptor exceeds its buffer.
    #[error("structure {structure:?}: its {what} end at {end}, but there are {len}")]
    OutOfRange {
        /// The structure.
        structure: String,
        /// `atoms` or `residues`.
        what: &'static str,
        /// End of its range.
        end: u64,
        /// Number of elements in the buffer.
        len: usize,
    },
    /// Rows that no descriptor covers, or that have another order than the descriptors.
    #[error(
        "structure {structure:?}: its residues begin at {begin}, and those before it end at {expected}; \
             give descriptors in the order of their residues, without gaps"
    )]
    Gap {
        /// The structure, or `end of the batch`.
        structure: String,
        /// The first of its rows.
        begin: u32,
        /// The row at which they must begin.
        expected: u32,
    },
    /// A structure has no residues.
    #[error("structure {structure:?} has no residues; leave it out of the batch")]
    Empty {
        /// The structure.
        structure: String,
    },
    /// A structure has no heavy atoms.
    #[error("structure {structure:?} has no heavy atoms; leave it out of the batch")]
    NoAtoms {
        /// The structure.
        structure: String,
    },
    /// A buffer has the wrong length.
    #[error("`{field}` has {found} entries but needs {expected}")]
    Length {
        /// The buffer.
        field: &'static str,
        /// Number of entries it has.
        found: usize,
        /// Number of entries it needs.
        expected: usize,
    },
    /// A value that kernels cannot take.
    #[error("structure {structure:?}: `{field}` at index {index} {problem}")]
    Value {
        /// The structure.
        structure: String,
        /// The buffer.
        field: &'static str,
        /// Index in the buffer.
        index: usize,
        /// The problem.
        problem: String,
    },
}

impl PackError {
    /// The index in the input of the structure that caused the error, if there is one.
    #[must_use]
    pub fn structure_index(&self) -> Option<usize> {
        match self {
            Self::Structure { index, .. } | Self::TooLarge { index, .. } => Some(*index),
            _ => None,
        }
    }
}
