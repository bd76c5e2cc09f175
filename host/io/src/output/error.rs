//! Why a table could not be written.

use thiserror::Error;

/// Why a table could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file's extension names no format.
    #[error("{path}: the extension must be csv, tsv or jsonl (each also .gz), arrow, parquet or npz")]
    UnknownFormat {
        /// The path given.
        path: String,
    },
    /// A format that relations do not support.
    #[error("{path}: the extension must be csv, tsv or jsonl (each also .gz), json, arrow or parquet")]
    RelationFormat {
        /// The path given.
        path: String,
    },
    /// A format that points or scripts do not support.
    #[error("{path}: {known}")]
    ViewFormat {
        /// The path given.
        path: String,
        /// What can be written.
        known: &'static str,
    },
    /// A structure's file cannot be read, so no copy of it can be written.
    #[error("{path}: cannot be written again: {problem}")]
    ViewInput {
        /// The structure's file.
        path: String,
        /// The error.
        problem: String,
    },
    /// Points of more than one structure.
    #[error("points, scripts and structures are of one structure; give one file")]
    OneStructure,
    /// The output's name belongs to something that is not a plain file.
    #[error("{path}: is not a plain file; choose another name")]
    NotAFile {
        /// The path given.
        path: String,
    },
    /// The folder of the output does not exist.
    #[error("{path}: there is no folder {folder}; make it first")]
    NoFolder {
        /// The path given.
        path: String,
        /// Its folder.
        folder: String,
    },
    /// The existing output file may not be written.
    #[error("{path}: is read-only and stays as it is; choose another name, or make it writable")]
    ReadOnly {
        /// The path given.
        path: String,
    },
    /// Reading or writing failed.
    #[error("{path}: cannot {action}: {source}{advice}", advice = advice(.source))]
    Io {
        /// The path given.
        path: String,
        /// The operation that failed.
        action: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// The reader of the output has closed it.
    #[error("the reader of the output has closed it")]
    Closed,
    /// Writing into the table failed.
    #[error("cannot write the table: {0}{advice}", advice = advice(.0))]
    Write(std::io::Error),
    /// The Parquet library failed.
    #[error("cannot write Parquet: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The zip library failed.
    #[error("cannot write npz: {0}")]
    Zip(#[from] zip::result::ZipError),
}

impl From<std::io::Error> for OutputError {
    fn from(error: std::io::Error) -> Self {
        let error = root_cause(error);
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Write(error),
        }
    }
}

/// Advice for errors whose text from the system lacks it.
fn advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::FileTooLarge => "; raise the limit of file sizes (ulimit -f), or choose fewer --columns",
        std::io::ErrorKind::StorageFull => "; make room, or write to another disk",
        std::io::ErrorKind::QuotaExceeded => "; make room, or write elsewhere",
        _ => "",
    }
}

/// The system's error inside of other errors.
pub(super) fn root_cause(error: std::io::Error) -> std::io::Error {
    let mut code = error.raw_os_error();
    let mut inner = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(error) = inner {
        inner = match error.downcast_ref::<std::io::Error>() {
            Some(io) => {
                code = code.or(io.raw_os_error());
                io.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static))
            }
            // It does not expose its cause through `source`.
            None => match error.downcast_ref::<::csv::Error>().map(::csv::Error::kind) {
                Some(::csv::ErrorKind::Io(io)) => Some(io),
                _ => error.source(),
            },
        };
    }
    code.map_or(error, std::io::Error::from_raw_os_error)
}
