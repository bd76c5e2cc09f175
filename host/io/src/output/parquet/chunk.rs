//! A column of a row group, encoded straight from the results.

use super::super::columnar::Group;
use super::super::sink::Sink;
use super::super::value::Kind;
use super::Encoded;
use super::dictionary;
use super::pages::{self, Pages, put_levels, put_split};
use super::statistics::Extent;
use parquet::basic::Encoding;
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer, get_typed_column_writer};
use parquet::data_type::{FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Rows passed to the package's encoder at a time: few enough to stay in a core's caches. A multiple of its own batches, so that
/// pages end at the same rows as if all were passed at once.
const ROWS: usize = 1 << 12;

/// Encodes and compresses a column of a group.
pub(super) fn encode(
    group: &impl Group,
    (column, kind): (usize, Kind),
    described: ColumnDescPtr,
    properties: WriterPropertiesPtr,
) -> Encoded {
    match kind {
        Kind::Text => dictionary::encode(group, column, described),
        Kind::Int => by_package(described, properties, |writer| {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            in_pieces(group, column, ROWS, |rows| writer.write_batch(rows, None, None).map(drop))?;
            writer.close()
        }),
        Kind::Optional => by_package(described, properties, |writer| {
            let mut writer = get_typed_column_writer::<Int32Type>(writer);
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            in_pieces(group, column, ROWS, |rows: &[Option<i32>]| {
                levels.clear();
                values.clear();
                levels.extend(rows.iter().map(|value| i16::from(value.is_some())));
                values.extend(rows.iter().copied().flatten());
                writer.write_batch(&values, Some(&levels), None).map(drop)
            })?;
            writer.close()
        }),
        Kind::Float if properties.encoding(described.path()) == Some(Encoding::BYTE_STREAM_SPLIT) => {
            encode_split(group, column, described)
        }
        // Others may repeat, and the package looks whether they do.
        Kind::Float => by_package(described, properties, |writer| {
            let mut writer = get_typed_column_writer::<FloatType>(writer);
            let (mut levels, mut values, mut extent) = (Vec::new(), Vec::new(), Extent::new());
            in_pieces(group, column, ROWS, |rows: &[f32]| {
                levels.clear();
                levels.extend(rows.iter().map(|value| i16::from(!value.is_nan())));
                let defined = defined(rows, &mut values);
                extent.add(defined, rows.len() - defined.len());
                writer.write_batch(defined, Some(&levels), None).map(drop)
            })?;
            writer.close().and_then(|closed| extent.described(closed))
        }),
    }
}

/// Lets the package make the pages of a column, whose values `write` gives it.
fn by_package(
    described: ColumnDescPtr,
    properties: WriterPropertiesPtr,
    write: impl FnOnce(ColumnWriter<'_>) -> Result<ColumnCloseResult, ParquetError>,
) -> Encoded {
    let mut bytes = TrackedWrite::new(Vec::new());
    let closed = write(get_column_writer(described, properties, Box::new(SerializedPageWriter::new(&mut bytes))))?;
    Ok((bytes.into_inner()?.into(), closed))
}

/// Encodes a column of numbers that hardly repeat, with the bytes of each place together.
fn encode_split(group: &impl Group, column: usize, described: ColumnDescPtr) -> Encoded {
    let (mut pages, mut page) = (Pages::new(described), Vec::new());
    let (mut values, mut extent) = (Vec::new(), Extent::new());
    in_pieces(group, column, pages::ROWS, |rows: &[f32]| {
        let defined = defined(rows, &mut values);
        extent.add(defined, rows.len() - defined.len());
        page.clear();
        put_levels(&mut page, rows, defined.len());
        put_split(&mut page, defined);
        pages.data(&page, rows.len(), Encoding::BYTE_STREAM_SPLIT)
    })?;
    let (bytes, closed) = pages.finish()?;
    Ok((bytes, extent.described(closed)?))
}

/// The values that are not NaN: `rows` themselves, or what is put into `room`.
fn defined<'a>(rows: &'a [f32], room: &'a mut Vec<f32>) -> &'a [f32] {
    if rows.iter().filter(|value| value.is_nan()).count() == 0 {
        return rows;
    }
    room.clear();
    room.extend(rows.iter().copied().filter(|value| !value.is_nan()));
    room
}

/// Passes the rows of a column to `write`, at most `most` at a time.
fn in_pieces<T>(
    group: &impl Group,
    column: usize,
    most: usize,
    mut write: impl FnMut(&[T]) -> Result<(), ParquetError>,
) -> Result<(), ParquetError>
where
    Vec<T>: Sink,
{
    // Rows that wait until there are enough.
    let mut waiting = Vec::new();
    group.give(column, &mut waiting, |rows| {
        let whole = rows.len() / most * most;
        if whole > 0 {
            rows[..whole].chunks(most).try_for_each(&mut write)?;
            rows.drain(..whole);
        }
        Ok::<_, ParquetError>(())
    })?;
    if waiting.is_empty() { Ok(()) } else { write(&waiting) }
}

impl Sink for Vec<i32> {
    fn ints(&mut self, values: &[i32]) {
        self.extend_from_slice(values);
    }
}

impl Sink for Vec<Option<i32>> {
    fn optionals(&mut self, values: &[Option<i32>]) {
        self.extend_from_slice(values);
    }
}

impl Sink for Vec<f32> {
    fn floats(&mut self, values: &[f32]) {
        self.extend_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParquetFile;
    use super::*;
    use crate::output::columnar::{Described, Grouped};
    use crate::output::{Cells, Provenance};
    use bytes::Bytes;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use shared_types::MegaFusedConfig;
    use std::sync::Arc;

    /// The file of one column.
    fn file(cells: &Cells) -> SerializedFileReader<Bytes> {
        let kind = if matches!(cells, Cells::Text(_)) { Kind::Text } else { Kind::Float };
        let column = Described { name: "x", kind, is_feature: kind == Kind::Float, about: Vec::new() };
        let (mut out, origin) = (Vec::new(), Provenance::of(MegaFusedConfig::default()));
        let mut groups = Grouped::new(ParquetFile::new(&mut out, &[column], &origin).unwrap());
        groups.write(vec![cells.clone()]).unwrap();
        groups.finish().unwrap();
        SerializedFileReader::new(Bytes::from(out)).unwrap()
    }

    /// What a reader finds in it.
    fn read(file: &SerializedFileReader<Bytes>) -> Vec<Field> {
        let rows = file.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().get_column_iter().next().unwrap().1.clone()).collect()
    }

    /// Compares what a file says about its column with what the package would say.
    fn compare(file: &SerializedFileReader<Bytes>, package: impl FnOnce(ColumnDescPtr) -> ColumnCloseResult) {
        let own = file.metadata().row_group(0).column(0);
        let package = package(own.column_descr_ptr()).metadata;
        let described = |column: &parquet::file::metadata::ColumnChunkMetaData| {
            let encodings: Vec<_> = column.encodings().collect();
            format!("{encodings:?} {:?}", column.num_values())
        };
        assert_eq!(described(own), described(&package));
        assert_eq!(own.compression_codec(), package.compression_codec());
        assert_eq!(own.dictionary_page_offset().is_some(), package.dictionary_page_offset().is_some());
        // A few bytes more or less, where runs and groups meet.
        let most = package.compressed_size() + package.compressed_size() / 20 + 64;
        assert!(own.compressed_size() <= most, "{} bytes beside {}", own.compressed_size(), package.compressed_size());
    }

    fn properties(encoding: Option<Encoding>) -> WriterPropertiesPtr {
        let properties = WriterProperties::builder()
            .set_compression(pages::compression())
            .set_dictionary_enabled(encoding.is_none())
            .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None);
        Arc::new(match encoding {
            Some(encoding) => properties.set_encoding(encoding).build(),
            None => properties.build(),
        })
    }

    #[test]
    fn numbers_come_back_and_are_described_as_by_the_package() {
        let sine = |row: usize| (row as f32).sin();
        let every = |nth: usize| move |row: usize| if row.is_multiple_of(nth) { f32::NAN } else { sine(row) };
        let some: [Vec<f32>; 6] = [
            vec![-0.0],
            vec![f32::NAN; 50_000],
            (0..pages::ROWS).map(sine).collect(),
            (0..2 * pages::ROWS + 5).map(every(7)).collect(),
            (0..pages::ROWS + 1).map(every(pages::ROWS)).collect(),
            vec![f32::INFINITY, f32::NAN, f32::MIN_POSITIVE / 2.0, f32::NEG_INFINITY],
        ];
        for rows in some {
            let file = file(&Cells::Float(rows.clone()));
            let found = read(&file);
            assert_eq!(found.len(), rows.len());
            for (found, row) in found.iter().zip(&rows) {
                match found {
                    Field::Null => assert!(row.is_nan()),
                    Field::Float(value) => assert_eq!(value.to_bits(), row.to_bits()),
                    other => panic!("{other:?}"),
                }
            }
            compare(&file, |described| {
                let properties = properties(Some(Encoding::BYTE_STREAM_SPLIT));
                let mut bytes = TrackedWrite::new(Vec::new());
                let pages = Box::new(SerializedPageWriter::new(&mut bytes));
                let mut writer = get_typed_column_writer::<FloatType>(get_column_writer(described, properties, pages));
                let levels: Vec<_> = rows.iter().map(|value| i16::from(!value.is_nan())).collect();
                writer.write_batch(defined(&rows, &mut Vec::new()), Some(&levels), None).unwrap();
                writer.close().unwrap()
            });
        }
    }

    #[test]
    fn texts_come_back_and_are_described_as_by_the_package() {
        let names = ["", "A", "ALA", "sevenlt", "eightlet", "Ångström", "a name that is longer than others", "\0"];
        let some: [Vec<String>; 7] = [
            vec![String::new()],
            vec!["same".to_owned(); 50_000],
            (0..45_000).map(|row| names[row * row % 8].to_owned()).collect(),
            (0..45_000).map(|row| names[row / 9_000].to_owned()).collect(),
            (0..2_000).map(|row| format!("{}", row % 257)).collect(),
            (0..70_000).map(|row| format!("a residue {row}")).collect(),
            (0..100).map(|row| names[row / 8 % 2].to_owned()).collect(),
        ];
        for rows in some {
            let file = file(&Cells::Text(rows.iter().collect()));
            assert_eq!(read(&file), rows.iter().cloned().map(Field::Str).collect::<Vec<_>>());
            let of_chunk = file.metadata().row_group(0).column(0);
            let length: usize = rows.iter().map(String::len).sum();
            assert_eq!(of_chunk.unencoded_byte_array_data_bytes(), Some(length as i64));
            if rows.len() > 1 << 16 {
                // The package makes no dictionary of a megabyte.
                continue;
            }
            compare(&file, |described| {
                let mut bytes = TrackedWrite::new(Vec::new());
                let pages = Box::new(SerializedPageWriter::new(&mut bytes));
                let writer = get_column_writer(described, properties(None), pages);
                let mut writer = get_typed_column_writer::<ByteArrayType>(writer);
                let rows: Vec<_> = rows.iter().map(|text| ByteArray::from(&**text)).collect();
                writer.write_batch(&rows, None, None).unwrap();
                writer.close().unwrap()
            });
        }
    }
}
