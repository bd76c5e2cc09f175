//! Packed data sets: structures in one Arrow IPC file, which are computed without parsing.
//!
//! A row is a structure, and a column is a field of [`StructureInput`](prism_read::StructureInput), with its values bit for bit.
//! Other programs that read Arrow files (Python's `pyarrow` and `polars`) can read them. The file's metadata have checksums
//! of the record batches.

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

/// The first bytes of every Arrow IPC file.
const MAGIC: &[u8; 6] = b"ARROW1";

/// Metadata of the schema: the layout of the columns.
const LAYOUT_KEY: &str = "prism.dataset";
/// The layout that this version writes.
const LAYOUT: &str = "4";
/// The layout before it, which can be read, too. It has no labels.
const LAYOUT_WITHOUT_LABELS: &str = "3";
/// Metadata of the schema: the program that wrote the file.
const VERSION_KEY: &str = "prism.version";
/// Metadata of the file: for each record batch, the CRC-32 of the bytes of all batches up to its end, as eight hexadecimal
/// digits.
const CHECKSUMS_KEY: &str = "prism.crc32";
