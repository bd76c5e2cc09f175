//! Kernels for each part of the kernel model, to compare a GPU with CPU cores.

mod across;
mod atomics;
mod broadcasts;
mod closures;
mod lines;
mod lists;
mod memory;
mod outputs;
mod panics;
mod reductions;
mod scans;
mod tiles;
mod warp_lists;
mod warps;

pub use across::{UNCHANGED, composed, composed_maps, each_of_all, kept_in_stripes};
pub use atomics::{Best, atomic_extremes, atomic_integers, atomic_long_numbers, best_of, wide_atomics};
pub use broadcasts::{below_largest, broadcasts_in_turn, row_shares};
pub use closures::{KEPT, checked_sums, empty_rows, filtered_ranges, partitioned_ranges};
pub use lines::printed;
pub use lists::{NO_ITEM, SHOWN, collected, collected_by_teams, filtered, of_list};
pub use memory::{
    mixture, part_of_input, phases, place_in_grid, segment_of_block, shared_arrays, written_by_views, written_states,
};
pub use outputs::{
    add, extremes, histogram, named_alike, ranked, scaled_rows, scattered, sums_of_parts, table_look_up, tickets,
    transposed, written_in_parts,
};
pub use panics::{
    NO_BLOCK, STAGES, last_sum_panics, look_back_panics, reduction_panics, shuffle_panics, staged_panics,
};
pub use reductions::{float_sums, is_near, mix, reduced, sums_of_near, sums_of_pairs, team_sums, wide_sum};
pub use scans::{last_nonzero, prefix_sums, prefix_sums_from, prefix_sums_in_place, running_sums, votes};
pub use tiles::{
    NO_ELEMENT, column_sums, copied_ahead, element_of_table, element_of_window, half_of_array, quads, reread_tile,
    reversed_in_place, rows_and_columns, scattered_in_tile, several_outputs, sum_in_dynamic_memory, updated_tile,
    window_of_table, windows_across,
};
pub use warp_lists::{
    PICKED, clamped_reads, divisible, halved_by_warps, item_of_five, picked, pushed_lists, retained, thinned_parts,
    weighted_ranges,
};
pub use warps::{
    bits_of_no_words, sorted_by_warps, team_turns, warp_operations, warp_panics, warp_sums, written_by_warps,
};
