//! The phases of a structure's features. Each module computes some columns, or what other phases need.
//!
//! Two sets of kernels use the phases: [`crate::fused`] runs all of them in one block, and [`crate::split`] divides them
//! into several kernels, so that many blocks work on one structure. A phase that writes rows gets the range of rows, and
//! computes the same for a row in both.

pub mod alpha_carbons;
pub mod backbone;
pub mod centrality;
pub mod exposed;
pub mod network;
pub mod pairs;
pub mod whole;

/// Threads that share one residue's row: eight alpha carbons of 16 bytes fill a cache line.
pub const TEAM: u32 = 8;

/// The rows of a structure that a block writes.
#[derive(Clone, Copy)]
pub struct Rows {
    first: u32,
    pub count: u32,
    /// Rows of the structure.
    pub all: u32,
}

impl Rows {
    /// All `n` rows.
    #[inline(always)]
    pub fn all(n: u32) -> Self {
        Self { first: 0, count: n, all: n }
    }

    /// `count` rows of `all`, from `first` on.
    #[inline(always)]
    pub fn some(first: u32, count: u32, all: u32) -> Self {
        Self { first, count, all }
    }

    /// The row of the structure at position `at` of these rows.
    #[inline(always)]
    pub fn row(self, at: u32) -> u32 {
        self.first.wrapping_add(at)
    }
}
