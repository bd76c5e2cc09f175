//! Structures in one file, from which they are computed without parsing: an Arrow IPC file that is mapped into memory.
//!
//! A row is a structure, a column a field of [`StructureInput`](crate::StructureInput), with its values bit for bit.
//! Other programs that read Arrow files (Python's `pyarrow` and `polars`) can read them too.

mod columns;
mod error;
mod read;
mod write;

pub use error::DatasetError;
pub use read::Dataset;
pub use write::DatasetFile;

/// What the first bytes of every Arrow IPC file are.
const MAGIC: &[u8; 6] = b"ARROW1";

/// Metadata of the schema: which layout the columns have.
const LAYOUT_KEY: &str = "prism.dataset";
/// The layout that this version writes and reads.
const LAYOUT: &str = "2";
/// Metadata of the schema: what has written the file.
const VERSION_KEY: &str = "prism.version";
