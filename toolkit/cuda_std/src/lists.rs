//! Lists that threads collect while they look: of neighbours, of what passes a test.
//!
//! Nothing else in a kernel needs this module, so its names are not in the prelude.
//!
//! - [`Lists`]: each team of a block collects indices in global memory, with
//!   [`Segment::collect`](crate::Segment::collect).
//! - [`WarpList`]: each warp appends items to its own part of a [`Shared`](crate::Shared) array. Its items are numbers, or elements of a
//!   global array ([`Pick`]).
//! - [`Warp::each_of_ranges`](crate::Warp::each_of_ranges): a warp's lanes share the numbers of short ranges.

mod by_team;
mod by_warp;
mod picks;
pub(crate) mod ranges;

pub use by_team::{Lists, TeamList};
pub use by_warp::{Questions, WarpItems, WarpList};
pub use picks::{Pick, Picks};
