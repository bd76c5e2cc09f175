//! The statistics of a column of numbers.
//!
//! The Parquet package compares value by value and looks up the column's type for each, which takes half the time of encoding.
//! So it writes columns of numbers without statistics, and they are added here: the same ones.

use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::LevelHistogram;
use parquet::file::statistics::{Statistics, ValueStatistics};

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

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::{Repetition, Type as PhysicalType};
    use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
    use parquet::data_type::FloatType;
    use parquet::file::properties::{EnabledStatistics, WriterProperties};
    use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
    use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};
    use std::sync::Arc;

    fn written(rows: &[f32], statistics: EnabledStatistics) -> ColumnCloseResult {
        let kind = Type::primitive_type_builder("x", PhysicalType::FLOAT).with_repetition(Repetition::OPTIONAL);
        let described = Arc::new(ColumnDescriptor::new(Arc::new(kind.build().unwrap()), 1, 0, ColumnPath::from("x")));
        let properties = Arc::new(WriterProperties::builder().set_statistics_enabled(statistics).build());
        let mut bytes = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut bytes));
        let mut writer = get_typed_column_writer::<FloatType>(get_column_writer(described, properties, pages));
        let levels: Vec<i16> = rows.iter().map(|value| i16::from(!value.is_nan())).collect();
        let values: Vec<f32> = rows.iter().copied().filter(|value| !value.is_nan()).collect();
        writer.write_batch(&values, Some(&levels), None).unwrap();
        writer.close().unwrap()
    }

    #[test]
    fn they_are_those_of_the_package() {
        let numbers: Vec<f32> = (0..5000).map(|row| if row % 7 == 0 { f32::NAN } else { (row as f32).sin() }).collect();
        let ends = [f32::NEG_INFINITY, 3.0, f32::INFINITY];
        for rows in [&numbers[..], &numbers[1..6], &[0.0, 1.0], &[-0.0, -1.0], &[f32::NAN; 3], &ends, &[]] {
            let expected = written(rows, EnabledStatistics::Chunk);
            let mut extent = Extent::new();
            for piece in rows.chunks(33) {
                let values: Vec<f32> = piece.iter().copied().filter(|value| !value.is_nan()).collect();
                extent.add(&values, piece.len() - values.len());
            }
            let found = extent.described(written(rows, EnabledStatistics::None)).unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{rows:?}");
        }
    }
}
