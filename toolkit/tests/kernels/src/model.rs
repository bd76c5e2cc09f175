//! Kernels for each part of the kernel model, to compare a GPU with CPU cores.

mod closures;
mod lines;
mod outputs;
mod panics;
mod steps;
mod warps;

pub use closures::{KEPT, asked_in_ranges, checked_sums, empty_rows, kept_in_ranges};
pub use lines::spoken;
pub use outputs::{
    add, counted, crossed, extremes, histogram, named_alike, ranked, scaled_rows, sums_of_parts, table_look_up,
    transposed,
};
pub use panics::{NO_BLOCK, STAGES, last_sum_panics, reduction_panics, shuffle_panics, staged_panics};
pub use steps::{
    Best, best_of, found_by_teams, kept_of, moved, row_shares, running_sums, sums_of_near, sums_of_pairs, told,
    wide_atomics,
};
pub use warps::{prefix_sums, team_turns, votes, warp_lists, warp_operations, warp_panics, warp_sums};
