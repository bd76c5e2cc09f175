//! Columns of features that share their memory.

use super::StructureRows;
use arrow_array::{ArrayRef, Float32Array};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer, ScalarBuffer};
use shared_types::Feature;
use std::sync::Arc;

/// Each column begins at a multiple of this many bytes, as Arrow recommends.
const ALIGNED: usize = 64;

/// Features of some structures in two allocations: the values, and one bit for each value that says whether it is defined. This
/// is for few rows, where two allocations for each column would take longer than filling them. For many rows, a column that is
/// kept alone should not keep the others in memory.
pub(super) struct Floats {
    values: Buffer,
    bits: Buffer,
    rows: usize,
}

impl Floats {
    pub(super) fn new(features: &[&Feature], parts: &[StructureRows<'_>], rows: usize) -> Self {
        let (of_values, of_bits) = strides(rows);
        let mut values = MutableBuffer::from_len_zeroed(features.len() * of_values);
        let mut bits = MutableBuffer::from_len_zeroed(features.len() * of_bits);
        // Without rows there is nothing to fill, but chunks must not be empty.
        let of_columns = values.typed_data_mut::<f32>().chunks_exact_mut((of_values / size_of::<f32>()).max(1));
        let columns = of_columns.zip(bits.as_slice_mut().chunks_exact_mut(of_bits.max(1)));
        for (feature, (values, bits)) in features.iter().zip(columns) {
            let mut rest = &mut values[..rows];
            for part in parts {
                let (own, others) = rest.split_at_mut(part.len());
                match part.values(feature).get(..part.len()) {
                    Some(found) => own.copy_from_slice(found),
                    None => own.fill(f32::NAN),
                }
                rest = others;
            }
            // Without branches, eight values at a time, this compiles to a few vector instructions. The zeros after the last row
            // get bits too, but nobody reads those.
            for (values, byte) in values.as_chunks_mut::<8>().0.iter_mut().zip(bits) {
                for (place, value) in values.iter_mut().enumerate() {
                    let defined = !value.is_nan();
                    *byte |= u8::from(defined) << place;
                    *value = if defined { *value } else { 0.0 };
                }
            }
        }
        Self { values: values.into(), bits: bits.into(), rows }
    }

    /// The column of the feature with this index in the list.
    pub(super) fn array(&self, place: usize) -> ArrayRef {
        let (of_values, of_bits) = strides(self.rows);
        let bits = self.bits.slice_with_length(place * of_bits, self.rows.div_ceil(8));
        let defined = NullBuffer::new(BooleanBuffer::new(bits, 0, self.rows));
        let values = ScalarBuffer::new(self.values.clone(), place * of_values / size_of::<f32>(), self.rows);
        Arc::new(Float32Array::new(values, (defined.null_count() > 0).then_some(defined)))
    }
}

/// The distance in bytes from one column to the next: for values, and for bits.
fn strides(rows: usize) -> (usize, usize) {
    ((rows * size_of::<f32>()).next_multiple_of(ALIGNED), rows.div_ceil(8).next_multiple_of(ALIGNED))
}
