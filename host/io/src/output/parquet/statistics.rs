//! The statistics of a column.
//!
//! The Parquet package compares value by value and looks up the column's type for each, which takes up to half the time of encoding.
//! So it writes columns of numbers and of texts without statistics, and they are added here: the same ones.

use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::LevelHistogram;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;

/// Values that are compared at a time.
const LANES: usize = 16;

/// The least and the largest of some numbers, and how many there are.
pub(super) struct Extent {
    least: [f32; LANES],
    largest: [f32; LANES],
    values: usize,
    nulls: usize,
}

impl Extent {
    pub(super) fn new() -> Self {
        Self { least: [f32::INFINITY; LANES], largest: [f32::NEG_INFINITY; LANES], values: 0, nulls: 0 }
    }

    /// Adds values, none of which is NaN, and a number of nulls.
    pub(super) fn add(&mut self, values: &[f32], nulls: usize) {
        let (pieces, rest) = values.as_chunks::<LANES>();
        for piece in pieces {
            for ((value, least), largest) in piece.iter().zip(&mut self.least).zip(&mut self.largest) {
                *least = if value < least { *value } else { *least };
                *largest = if value > largest { *value } else { *largest };
            }
        }
        for value in rest {
            self.least[0] = self.least[0].min(*value);
            self.largest[0] = self.largest[0].max(*value);
        }
        self.values += values.len();
        self.nulls += nulls;
    }

    /// A column chunk with these statistics.
    pub(super) fn described(&self, mut chunk: ColumnCloseResult) -> Result<ColumnCloseResult, ParquetError> {
        // By the format's rules, a least value of zero is negative, and a largest one positive.
        let zero = |value: f32, zero: f32| if value == 0.0 { zero } else { value };
        let least = zero(self.least.into_iter().fold(f32::INFINITY, f32::min), -0.0);
        let largest = zero(self.largest.into_iter().fold(f32::NEG_INFINITY, f32::max), 0.0);
        let is_any = self.values > 0;
        let statistics = ValueStatistics::new(
            is_any.then_some(least),
            is_any.then_some(largest),
            None,
            Some(self.nulls as u64),
            false,
        )
        .with_backwards_compatible_min_max(true);
        // How many rows have no value, and how many have one.
        let levels = LevelHistogram::from(vec![self.nulls as i64, self.values as i64]);
        let builder = chunk.metadata.into_builder();
        let builder =
            builder.set_statistics(Statistics::Float(statistics)).set_definition_level_histogram(Some(levels));
        chunk.metadata = builder.build()?;
        Ok(chunk)
    }
}

/// The least and the largest of some texts, by their bytes.
#[derive(Default)]
pub(super) struct TextExtent(Option<(ByteArray, ByteArray)>);

impl TextExtent {
    /// Adds a text, which may be in any number of rows.
    pub(super) fn add(&mut self, text: &ByteArray) {
        match &mut self.0 {
            None => self.0 = Some((text.clone(), text.clone())),
            Some((least, _)) if text.data() < least.data() => *least = text.clone(),
            Some((_, largest)) if text.data() > largest.data() => *largest = text.clone(),
            Some(_) => {}
        }
    }

    /// A column chunk with these statistics. Its texts have `length` bytes.
    pub(super) fn described(
        &self,
        mut chunk: ColumnCloseResult,
        length: usize,
    ) -> Result<ColumnCloseResult, ParquetError> {
        let ends: Vec<_> = self.0.iter().flat_map(|(least, largest)| [least.clone(), largest.clone()]).collect();
        // The package shortens long texts.
        let of_ends =
            written::<ByteArrayType>(chunk.metadata.column_descr_ptr(), (&ends, None), EnabledStatistics::Chunk)?;
        let statistics = of_ends.metadata.statistics().expect("statistics were requested").clone();
        let builder = chunk.metadata.into_builder().set_statistics(statistics);
        chunk.metadata = builder.set_unencoded_byte_array_data_bytes(Some(length as i64)).build()?;
        Ok(chunk)
    }
}

/// A column chunk of these values and their levels, written by the package.
fn written<T: DataType>(
    described: ColumnDescPtr,
    (values, levels): (&[T::T], Option<&[i16]>),
    statistics: EnabledStatistics,
) -> Result<ColumnCloseResult, ParquetError> {
    let properties = Arc::new(WriterProperties::builder().set_statistics_enabled(statistics).build());
    let mut bytes = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut bytes));
    let mut writer = get_typed_column_writer::<T>(get_column_writer(described, properties, pages));
    writer.write_batch(values, levels, None)?;
    writer.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
    use parquet::data_type::FloatType;
    use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};

    fn column(kind: PhysicalType, repetition: Repetition, logical: Option<LogicalType>) -> ColumnDescPtr {
        let levels = i16::from(repetition == Repetition::OPTIONAL);
        let kind = Type::primitive_type_builder("x", kind).with_repetition(repetition).with_logical_type(logical);
        Arc::new(ColumnDescriptor::new(Arc::new(kind.build().unwrap()), levels, 0, ColumnPath::from("x")))
    }

    fn numbers(rows: &[f32], statistics: EnabledStatistics) -> ColumnCloseResult {
        let levels: Vec<i16> = rows.iter().map(|value| i16::from(!value.is_nan())).collect();
        let values: Vec<f32> = rows.iter().copied().filter(|value| !value.is_nan()).collect();
        let described = column(PhysicalType::FLOAT, Repetition::OPTIONAL, None);
        written::<FloatType>(described, (&values, Some(&levels)), statistics).unwrap()
    }

    #[test]
    fn those_of_texts_are_those_of_the_package() {
        let long = |letter: &str| letter.repeat(100);
        let all = [
            vec!["b".to_owned(), String::new(), "b".to_owned(), "a".to_owned(), "c".to_owned()],
            vec![long("x"), long("y"), "xy".to_owned()],
            // A letter of two bytes across the place where texts are cut.
            vec![format!("{}ää", "z".repeat(63)), format!("{}\u{10ffff}\u{10ffff}", "z".repeat(60))],
            vec![String::new(); 3],
        ];
        for rows in all {
            let rows: Vec<ByteArray> = rows.iter().map(|text| ByteArray::from(&**text)).collect();
            let write = |statistics| {
                let described = column(PhysicalType::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String));
                written::<ByteArrayType>(described, (&rows, None), statistics).unwrap()
            };
            let mut extent = TextExtent::default();
            rows.iter().for_each(|text| extent.add(text));
            let length = rows.iter().map(ByteArray::len).sum();
            let found = extent.described(write(EnabledStatistics::None), length).unwrap();
            let expected = write(EnabledStatistics::Chunk);
            assert_eq!(format!("{:?}", found.metadata), format!("{:?}", expected.metadata), "{rows:?}");
        }
    }

    #[test]
    fn those_of_numbers_are_those_of_the_package() {
        let sines: Vec<f32> = (0..5000).map(|row| if row % 7 == 0 { f32::NAN } else { (row as f32).sin() }).collect();
        let ends = [f32::NEG_INFINITY, 3.0, f32::INFINITY];
        for rows in [&sines[..], &sines[1..6], &[0.0, 1.0], &[-0.0, -1.0], &[f32::NAN; 3], &ends, &[]] {
            let expected = numbers(rows, EnabledStatistics::Chunk);
            let mut extent = Extent::new();
            for piece in rows.chunks(33) {
                let values: Vec<f32> = piece.iter().copied().filter(|value| !value.is_nan()).collect();
                extent.add(&values, piece.len() - values.len());
            }
            let found = extent.described(numbers(rows, EnabledStatistics::None)).unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{rows:?}");
        }
    }
}
