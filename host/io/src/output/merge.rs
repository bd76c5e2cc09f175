//! Concatenates Parquet files.

use super::{OutputError, WholeFile};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Concatenates Parquet files with the same columns in one file. Returns its size in bytes. Row groups are copied without
/// decoding, so the result depends only on the files. The metadata is that of the first file.
///
/// # Errors
/// [`OutputError::Parquet`] if a file is not Parquet or its columns differ from the first file's; others if a file cannot be
/// read or `output` cannot be written.
///
/// The tests of the `prism` command merge the parts of a run.
pub fn merge_parquet(parts: &[PathBuf], output: &Path) -> Result<u64, OutputError> {
    let whole = WholeFile::begin(output)?;
    let mut writer: Option<SerializedFileWriter<_>> = None;
    for path in parts {
        let unread = |source: std::io::Error| super::whole::failed(path, "be read", source);
        let file = File::open(path).map_err(unread)?;
        let reader = SerializedFileReader::new(file.try_clone().map_err(unread)?)?;
        let metadata = reader.metadata();
        let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
        let writer = match &mut writer {
            Some(writer) => writer,
            None => {
                let properties = WriterProperties::builder()
                    .set_created_by(metadata.file_metadata().created_by().unwrap_or("prism").to_owned())
                    .set_key_value_metadata(metadata.file_metadata().key_value_metadata().cloned());
                let begun =
                    SerializedFileWriter::new(whole.buffered()?, Arc::clone(&schema), Arc::new(properties.build()))?;
                writer.insert(begun)
            }
        };
        if writer.schema_descr().root_schema() != &*schema {
            let text = format!("{} has other columns than the first part", path.display());
            return Err(OutputError::Parquet(parquet::errors::ParquetError::General(text)));
        }
        for group in metadata.row_groups() {
            let mut out = writer.next_row_group()?;
            for column in group.columns() {
                let closed = ColumnCloseResult {
                    bytes_written: column.compressed_size() as u64,
                    rows_written: group.num_rows() as u64,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                out.append_column(&file, closed)?;
            }
            out.close()?;
        }
    }
    if let Some(writer) = writer {
        writer.into_inner()?.flush()?;
    }
    whole.commit()
}
