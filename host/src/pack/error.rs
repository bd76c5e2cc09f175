//! Why structures could not be packed.

use crate::structure::StructureError;
use thiserror::Error;

/// Why a batch was refused before any launch.
///
/// ```
/// use prism_host::{PackError, PackedBatch, StructureInput};
///
/// let error = PackedBatch::from_inputs([&StructureInput::default()]).unwrap_err();
/// assert!(matches!(error, PackError::Structure { .. }));
/// assert_eq!(error.structure_index(), Some(0));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PackError {
    /// A structure that is not valid.
    #[error("{source}")]
    Structure {
        /// Its place in the input.
        index: usize,
        /// The problem.
        source: StructureError,
    },
    /// A batch beyond what 32-bit indices address.
    #[error("structure {structure:?}: with it the batch has {count} {what}, and the limit is {limit}; cut the batch")]
    TooLarge {
        /// Its place in the input.
        index: usize,
        /// The structure with which the batch passes the limit.
        structure: String,
        /// `atoms` or `residues`.
        what: &'static str,
        /// How many there would be.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The host has no memory for the batch.
    #[error("packing: out of memory: {bytes} bytes wanted; cut the batch")]
    OutOfMemory {
        /// Bytes of the buffer for which there is none.
        bytes: usize,
    },
    /// Two descriptors that claim the same atoms or rows.
    #[error("structures {first:?} and {second:?} overlap: both have {what} {shared}")]
    Overlap {
        /// The structure whose range begins first.
        first: String,
        /// The other.
        second: String,
        /// `atom` or `residue`.
        what: &'static str,
        /// The first that they share.
        shared: u32,
    },
    /// A descriptor that leaves its buffer.
    #[error("structure {structure:?}: its {what} end at {end}, and there are {len}")]
    OutOfRange {
        /// The structure.
        structure: String,
        /// `atoms` or `residues`.
        what: &'static str,
        /// Where its range ends.
        end: u64,
        /// Elements in the buffer.
        len: usize,
    },
    /// Rows that no descriptor covers, or that are not in the order of the descriptors.
    #[error(
        "structure {structure:?}: its residues begin at {begin}, and those before it end at {expected}; \
             give descriptors in the order of their residues, without gaps"
    )]
    Gap {
        /// The structure, or `end of the batch`.
        structure: String,
        /// Where its rows begin.
        begin: u32,
        /// Where they must begin.
        expected: u32,
    },
    /// A structure without residues.
    #[error("structure {structure:?} has no residues; leave it out of the batch")]
    Empty {
        /// The structure.
        structure: String,
    },
    /// A structure without heavy atoms.
    #[error("structure {structure:?} has no heavy atoms; leave it out of the batch")]
    NoAtoms {
        /// The structure.
        structure: String,
    },
    /// A buffer of the wrong length.
    #[error("`{field}` has {found} entries where {expected} are needed")]
    Length {
        /// The buffer.
        field: &'static str,
        /// Entries that it has.
        found: usize,
        /// Entries that it needs.
        expected: usize,
    },
    /// A value that the kernel cannot take.
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
    /// The place in the input of the one structure that is to blame, where there is one.
    #[must_use]
    pub fn structure_index(&self) -> Option<usize> {
        match self {
            Self::Structure { index, .. } | Self::TooLarge { index, .. } => Some(*index),
            _ => None,
        }
    }
}
