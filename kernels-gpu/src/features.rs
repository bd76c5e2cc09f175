//! What is computed of a structure, phase by phase: each module has some columns, or what others need.
//!
//! The phases are put together twice: [`crate::fused`] runs them one after the other in one block, and [`crate::spread`] in
//! several kernels, so that many blocks work on one structure. A phase that writes rows is told which, and what it computes
//! for a row is the same either way.

pub mod alpha_carbons;
pub mod backbone;
pub mod centrality;
pub mod exposed;
pub mod network;
pub mod pairs;
pub mod whole;

/// Threads that work on one residue's row together: eight 16-byte alpha carbons are one line of the cache.
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
    /// All `n`.
    #[inline(always)]
    pub fn all(n: u32) -> Self {
        Self { first: 0, count: n, all: n }
    }

    /// `count` rows of `all`, from `first` on.
    #[inline(always)]
    pub fn some(first: u32, count: u32, all: u32) -> Self {
        Self { first, count, all }
    }

    /// The row of the structure that is number `at` of these.
    #[inline(always)]
    pub fn row(self, at: u32) -> u32 {
        self.first.wrapping_add(at)
    }
}
