//! Checked offsets of a ragged buffer.

use std::sync::Arc;

/// The starts and ends of the segments of a ragged buffer: segment `i` is `offsets[i]..offsets[i + 1]`.
///
/// They are checked when made and never change, so that no two segments share an element. Cloning is cheap.
///
/// ```
/// use cuda_std::launch::{Offsets, OffsetsError};
///
/// // Segments of 3, 0 and 2 elements.
/// let offsets = Offsets::new(vec![0, 3, 3, 5]).unwrap();
/// assert_eq!((offsets.segments(), offsets.end()), (3, 5));
/// assert_eq!(offsets.as_slice()[1], 3);
///
/// let overlap = OffsetsError::Overlap { segment: 1, begin: 3, end: 2 };
/// assert_eq!(Offsets::new(vec![0, 3, 2]), Err(overlap));
/// assert_eq!(Offsets::new(vec![]), Err(OffsetsError::Empty));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets(Arc<[u32]>);

/// Why a list of numbers is not a valid list of offsets.
///
/// See [`Offsets`] for examples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffsetsError {
    /// There is no first offset.
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
    /// Checks that `offsets` never decrease.
    ///
    /// # Errors
    /// [`OffsetsError`] if there is none, or one is smaller than the previous one.
    pub fn new(offsets: Vec<u32>) -> Result<Self, OffsetsError> {
        if offsets.is_empty() {
            return Err(OffsetsError::Empty);
        }
        match offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(segment) => Err(OffsetsError::Overlap { segment, begin: offsets[segment], end: offsets[segment + 1] }),
            None => Ok(Self(offsets.into())),
        }
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.0.len() - 1
    }

    /// The number of elements that a buffer must have: the end of the last segment.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.0[self.0.len() - 1]
    }

    /// The offsets. There is one more than there are segments.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}
