//! Structures in one file, from which they are computed without parsing: an Arrow IPC file.
//!
//! A row is a structure, a column a field of [`StructureInput`](crate::StructureInput), with its values bit for bit.
//! Other programs that read Arrow files (Python's `pyarrow` and `polars`) can read them too.
//! The file's own metadata have checksums of the record batches.

mod batches;
mod columns;
mod error;
mod labels;
mod read;
mod source;
mod write;

pub use error::DatasetError;
pub use read::Dataset;
pub use write::DatasetFile;

/// What the first bytes of every Arrow IPC file are.
const MAGIC: &[u8; 6] = b"ARROW1";

/// Metadata of the schema: which layout the columns have.
const LAYOUT_KEY: &str = "prism.dataset";
/// The layout that this version writes.
const LAYOUT: &str = "4";
/// The layout before it, which is read as well: what other tables call residues is not known there.
const LAYOUT_WITHOUT_LABELS: &str = "3";
/// Metadata of the schema: the program that wrote the file.
const VERSION_KEY: &str = "prism.version";
/// Metadata of the file: a CRC-32 for each record batch, of all bytes of batches up to its end, in eight hexadecimal
/// digits.
const CHECKSUMS_KEY: &str = "prism.crc32";
