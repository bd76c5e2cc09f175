//! Checked offsets of a ragged buffer.

use std::sync::Arc;

/// Where the segments of a ragged buffer begin and end: segment `i` is `offsets[i]..offsets[i + 1]`.
///
/// Checked when made and never changed, so that no two segments share an element. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets(Arc<[u32]>);

/// Why a list of numbers is not a list of offsets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffsetsError {
    /// There is not even a first offset.
    #[error("offsets are empty: n segments have n + 1 offsets")]
    Empty,
    /// Two segments would overlap.
    #[error("offsets overlap: segment {segment} begins at {begin} and ends at {end}")]
    Overlap {
        /// The segment.
        segment: usize,
        /// Its first element.
        begin: u32,
        /// Its end.
        end: u32,
    },
}

impl Offsets {
    /// Checks that `offsets` never fall.
    ///
    /// # Errors
    /// [`OffsetsError`] when there is none, or one is below the one before it.
    pub fn new(offsets: Vec<u32>) -> Result<Self, OffsetsError> {
        if offsets.is_empty() {
            return Err(OffsetsError::Empty);
        }
        match offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(segment) => Err(OffsetsError::Overlap { segment, begin: offsets[segment], end: offsets[segment + 1] }),
            None => Ok(Self(offsets.into())),
        }
    }

    /// Number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.0.len() - 1
    }

    /// Elements that a buffer must have: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.0[self.0.len() - 1]
    }

    /// The offsets, one more than there are segments.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}
