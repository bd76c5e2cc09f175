//! The shapes of a launch's buffers, for contracts.

use super::{Matrix, Segments, Space};
use cuda_layout::DeviceLayout;

/// The shape of a buffer in `requires(..)`.
///
/// An example with all shapes:
///
/// ```
/// # use cuda_std::launch::LaunchError;
/// # use cuda_std::prelude::*;
/// #[kernel(
///     threads = 32,
///     grid = 2,
///     requires(!x.is_empty(), rows.segments() == out.rows() * out.columns(), rows.end() <= rows.len())
/// )]
/// fn sums(block: &mut Block, out: &mut Tile2d<u32, 1, 1>, rows: &mut Segment<u32>, x: &[u32]) {
///     let n = rows.len();
///     rows.update(block, n, |_, row| *row *= x.at(0));
///     let rows = rows.view(n);
///     let sum = block.reduce(n, 0, |i| rows.get(i), |a, b| a + b);
///     out.fill(block, |_, _| sum);
/// }
/// # fn main() {
/// # let run = |x: &[u32], offsets: Vec<u32>| {
/// #     let (mut out, mut rows, offsets) = ([0; 2], [1, 2, 3], Offsets::new(offsets).unwrap());
/// #     let (rows, matrix) = (Segments { data: &mut rows[..], offsets: &offsets }, Matrix { data: &mut out[..], columns: 2 });
/// #     sums::launch(&CpuExecutor::new(), (2, 1), sums::Args { out: matrix, rows, x }).map(|()| out)
/// # };
/// assert_eq!(run(&[10], vec![0, 1, 3]), Ok([10, 50]));
/// assert!(matches!(run(&[], vec![0, 1, 3]), Err(LaunchError::Requirement { expression: "!x.is_empty()", .. })));
/// assert!(matches!(run(&[10], vec![0, 1, 2, 3]), Err(LaunchError::Requirement { .. })));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferShape {
    #[doc(hidden)]
    pub len: usize,
}

impl BufferShape {
    /// The number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The shape of a ragged buffer in `requires(..)`.
///
/// See [`BufferShape`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentsShape {
    len: usize,
    segments: usize,
    end: u32,
}

impl SegmentsShape {
    /// The number of elements in the buffer.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(self) -> usize {
        self.segments
    }

    /// The end of the last segment.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }
}

/// The shape of a matrix in `requires(..)`.
///
/// See [`BufferShape`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    len: usize,
    columns: u32,
}

impl MatrixShape {
    /// The number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(self) -> usize {
        self.len.checked_div(self.columns as usize).unwrap_or(0)
    }

    /// The number of columns.
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
