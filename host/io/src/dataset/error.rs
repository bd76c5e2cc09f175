//! Errors of packed data sets.

use arrow_schema::ArrowError;
use prism_read::structure::StructureError;
use thiserror::Error;

/// Why a packed data set cannot be written or used. The caller knows the file's name.
///
/// ```
/// use prism_io::dataset::{Dataset, DatasetError, DatasetFile};
/// use prism_read::{StructureError, StructureInput};
///
/// let error = Dataset::from_bytes("no such thing".into()).unwrap_err();
/// assert!(matches!(error, DatasetError::NotArrow));
/// // A file with the right beginning and no end.
/// assert!(matches!(Dataset::from_bytes("ARROW1".into()), Err(DatasetError::Truncated)));
///
/// # let folder = tempfile::tempdir()?;
/// let mut file = DatasetFile::create(&folder.path().join("set.arrow"))?;
/// let error = file.write(&[(&StructureInput::default(), &[])]).unwrap_err();
/// assert!(matches!(error, DatasetError::Structure(StructureError::Empty { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file has another format.
    #[error("is not a packed data set: it does not begin like an Arrow IPC file")]
    NotArrow,
    /// The end of the file is missing.
    #[error("is incomplete: it does not end like an Arrow IPC file; pack the structures again")]
    Truncated,
    /// An Arrow file from another program.
    #[error("is an Arrow file, but not a packed data set; make one with `prism pack`")]
    Foreign,
    /// A data set of another version.
    #[error(
        "is a packed data set of layout {found:?}, but this version reads {:?} and {:?}; pack the structures again",
        super::LAYOUT_WITHOUT_LABELS,
        super::LAYOUT
    )]
    Layout {
        /// The layout of the file.
        found: String,
    },
    /// A column is not as expected.
    #[error("column {column:?} is not as in a packed data set; pack the structures again")]
    Column {
        /// The first column that differs.
        column: String,
    },
    /// The file contradicts itself.
    #[error("is damaged: {0}; pack the structures again")]
    Damaged(String),
    /// The bytes of structures changed after they were packed.
    #[error(
        "is damaged, or was changed while it was in use: structures {first} to {last} (counted from 0) do not match their \
         checksum; pack the structures again"
    )]
    Checksum {
        /// The first structure of the batch.
        first: usize,
        /// The last structure of the batch.
        last: usize,
    },
    /// A structure has rows that a data set has no place for.
    #[error("{0} has rows of ligands, which a data set does not keep; read it without them (--het cover)")]
    HeteroRows(String),
    /// A structure is invalid.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

impl DatasetError {
    /// A copy of the error for another structure of the batch.
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Io(error) => Self::Io(std::io::Error::new(error.kind(), error.to_string())),
            Self::Truncated => Self::Truncated,
            Self::Checksum { first, last } => Self::Checksum { first: *first, last: *last },
            Self::Damaged(what) => Self::Damaged(what.clone()),
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<ArrowError> for DatasetError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, source) => Self::Io(source),
            other => Self::Damaged(other.to_string()),
        }
    }
}
