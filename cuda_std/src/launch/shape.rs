//! What a contract sees of a launch's buffers.

use super::{Matrix, Segments, Space};
use cuda_layout::DeviceLayout;

/// A buffer, as `requires(..)` sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferShape {
    #[doc(hidden)]
    pub len: usize,
}

impl BufferShape {
    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A ragged buffer, as `requires(..)` sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentsShape {
    len: usize,
    segments: usize,
    end: u32,
}

impl SegmentsShape {
    /// Number of elements in the buffer.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Number of segments.
    #[must_use]
    pub fn segments(self) -> usize {
        self.segments
    }

    /// Where the last segment ends.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }
}

/// A matrix, as `requires(..)` sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    len: usize,
    columns: u32,
}

impl MatrixShape {
    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(self) -> usize {
        self.len.checked_div(self.columns as usize).unwrap_or(0)
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(self) -> usize {
        self.columns as usize
    }
}

impl<S: Space, T: DeviceLayout> Segments<'_, S, T> {
    #[doc(hidden)]
    #[must_use]
    pub fn shape(&self) -> SegmentsShape {
        let (segments, end) = S::extent(&self.offsets);
        SegmentsShape { len: S::len_mut(&self.data), segments, end }
    }
}

impl<S: Space, T: DeviceLayout> Matrix<'_, S, T> {
    #[doc(hidden)]
    #[must_use]
    pub fn shape(&self) -> MatrixShape {
        MatrixShape { len: S::len_mut(&self.data), columns: self.columns }
    }
}
