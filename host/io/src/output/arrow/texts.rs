//! Columns of texts.

use arrow_array::{ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// The texts of a column, one after another. Arrow's own builder does more work for each text, and most texts have one to three
/// letters.
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// The end of each text.
    ends: Vec<i32>,
}

impl Texts {
    pub(super) fn with_capacity(texts: usize) -> Self {
        let mut ends = Vec::with_capacity(texts + 1);
        ends.push(0);
        Self { bytes: Vec::with_capacity(4 * texts), ends }
    }

    pub(super) fn extend<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let Self { bytes, ends } = self;
        texts.into_iter().for_each(|text| {
            bytes.extend_from_slice(text.as_bytes());
            // If this end does not fit, the last one does not fit either, and `finish` reports it.
            ends.push(bytes.len() as i32);
        });
    }

    /// Takes the texts so far. Later texts belong to the next array.
    ///
    /// # Errors
    /// When the texts have more bytes than Arrow's 32-bit offsets can address.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        self.array(false)
    }

    /// The same, with null for empty texts.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub(super) fn finish_defined(&mut self) -> Result<ArrayRef, ArrowError> {
        self.array(true)
    }

    fn array(&mut self, empty_is_null: bool) -> Result<ArrayRef, ArrowError> {
        let Self { bytes, ends } = std::mem::replace(self, Self::with_capacity(0));
        if i32::try_from(bytes.len()).is_err() {
            return Err(ArrowError::OffsetOverflowError(bytes.len()));
        }
        let is_text = |ends: &[i32]| ends[0] < ends[1];
        let nulls = empty_is_null.then(|| NullBuffer::from_iter(ends.windows(2).map(is_text)));
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        Ok(Arc::new(StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_the_next_ones_begin_anew() {
        let mut texts = Texts::with_capacity(2);
        for expected in [&["A", "", "Ångström"][..], &[], &["x"]] {
            texts.extend(expected.iter().copied());
            let array: StringArray = texts.finish().unwrap().to_data().into();
            assert_eq!(array.iter().flatten().collect::<Vec<_>>(), expected);
        }
        texts.extend(["H", "", "E"]);
        let array: StringArray = texts.finish_defined().unwrap().to_data().into();
        assert_eq!(array.iter().collect::<Vec<_>>(), [Some("H"), None, Some("E")]);
    }
}
