//! Why there is no packed data set.

use crate::structure::StructureError;
use arrow_schema::ArrowError;
use thiserror::Error;

/// Why a packed data set cannot be written or used. (Who reads it knows the file's name.)
///
/// ```
/// use prism_host::dataset::{Dataset, DatasetError, DatasetFile};
/// use prism_host::{StructureError, StructureInput};
///
/// let error = Dataset::from_bytes("no such thing".into()).unwrap_err();
/// assert!(matches!(error, DatasetError::NotArrow));
/// // One that begins as it should, and does not end.
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
    /// Some other kind of file.
    #[error("is no packed data set: it does not begin as an Arrow IPC file does")]
    NotArrow,
    /// The end is missing.
    #[error("is not whole: it does not end as an Arrow IPC file does; pack the structures again")]
    Truncated,
    /// Somebody else's Arrow file.
    #[error("is an Arrow file, but no packed data set; `prism pack` makes those")]
    Foreign,
    /// A data set of another version.
    #[error(
        "is a packed data set of layout {found:?}, and this version reads {:?} and {:?}; pack the structures again",
        super::LAYOUT_WITHOUT_LABELS,
        super::LAYOUT
    )]
    Layout {
        /// The layout found.
        found: String,
    },
    /// A column that is not as it should be.
    #[error("column {column:?} is not what a packed data set has there; pack the structures again")]
    Column {
        /// The first that differs.
        column: String,
    },
    /// What is in the file contradicts itself.
    #[error("is damaged: {0}; pack the structures again")]
    Damaged(String),
    /// Structures whose bytes are not those that were packed.
    #[error(
        "is damaged, or was changed while it was in use: structures {first} to {last} (counted from 0) differ from their \
         checksum; pack the structures again"
    )]
    Checksum {
        /// The first structure of the batch.
        first: usize,
        /// The last.
        last: usize,
    },
    /// A structure whose parts do not fit together.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

impl DatasetError {
    /// The same for another structure of the batch.
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
