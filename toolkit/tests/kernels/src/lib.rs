//! Kernels that only tests and benchmarks use.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

mod altered;
mod compat;
mod contact;
mod convergence;
mod generic;
mod launch;
mod math;
mod model;
mod operations;
mod patterns;
mod raw;
mod zero_cost;

pub use altered::{
    Grown, Retyped, Swapped, altered_count, altered_field, altered_grid, altered_order, altered_signature,
    altered_threads, altered_type,
};
pub use compat::{MATRIX_TILE, PROBE_WORDS, block_sum, gemm_tiled, probe, probe_atomics, vecadd};
pub use contact::{Contact, Point, contacts};
pub use convergence::{
    THREADS as CONVERGENCE_THREADS, between_broadcasts, between_exclusive_scan, between_fill, between_fill_by_team,
    between_fill_by_warp, between_fill_reduce, between_grid_phases, between_inclusive_scan, between_matches,
    between_matches_of_bits, between_reduce, between_reduce_ahead, between_reduce_threads, between_scans_of_lanes,
    between_set, between_shuffles, between_sums_of_lanes, between_tiles, between_update, between_update_atomic,
    between_update_atomic_by_warp, between_update_by_team, between_update_by_warp, between_update_reduce,
    between_votes, between_votes_of_lanes, between_votes_of_threads, between_write, between_write_by_warp,
};
pub use generic::{Curve, Largest, Line, Number, Operation, Sum, Wave, altered_operation, curve, joined, weighted};
#[cfg(not(target_arch = "nvptx64"))]
pub use launch::OthersArgs;
pub use launch::{Others, Pair, Triple, Wide, echo, fail, roots, spin, turn};
pub use math::{
    ANGLE_FUNCTIONS_F64, APPROX_FUNCTIONS, MATH_FUNCTIONS, MATH_FUNCTIONS_F64, SPECIAL_FUNCTIONS_F64, angle_table_f64,
    approx_table, math_table, math_table_f64, special_table_f64,
};
pub use model::{
    Best, KEPT, NO_BLOCK, NO_ELEMENT, NO_ITEM, PICKED, SHOWN, STAGES, UNCHANGED, add, atomic_extremes, atomic_integers,
    atomic_long_numbers, below_largest, best_of, bits_of_no_words, broadcasts_in_turn, checked_sums, clamped_reads,
    collected, collected_by_teams, column_sums, composed, composed_maps, copied_ahead, divisible, each_of_all,
    element_of_table, element_of_window, empty_rows, extremes, filtered, filtered_ranges, float_sums, half_of_array,
    halved_by_warps, histogram, is_near, item_of_five, kept_in_stripes, last_nonzero, last_sum_panics,
    look_back_panics, mix, mixture, named_alike, of_list, part_of_input, partitioned_ranges, phases, picked,
    place_in_grid, prefix_sums, prefix_sums_from, prefix_sums_in_place, printed, pushed_lists, quads, ranked, reduced,
    reduction_panics, reread_tile, retained, reversed_in_place, row_shares, rows_and_columns, running_sums,
    scaled_rows, scattered, scattered_in_tile, segment_of_block, several_outputs, shared_arrays, shuffle_panics,
    sorted_by_warps, staged_panics, sum_in_dynamic_memory, sums_of_near, sums_of_pairs, sums_of_parts, table_look_up,
    team_sums, team_turns, thinned_parts, tickets, transposed, updated_tile, votes, warp_operations, warp_panics,
    warp_sums, weighted_ranges, wide_atomics, wide_sum, window_of_table, windows_across, written_by_views,
    written_by_warps, written_in_parts, written_states,
};
pub use operations::{Arithmetic, Operand, Outcome, arithmetic};
pub use patterns::{my_kernel, nibble_counts, polynomial, shared_sum, shuffle_sum, strided_copy};
pub use raw::{raw_gather, raw_histogram, raw_matmul, raw_saxpy, raw_sum, raw_transpose, raw_turn, raw_turn_unmet};
pub use zero_cost::{Quad, safe_gather, safe_histogram, safe_matmul, safe_saxpy, safe_sum, safe_transpose};

/// This crate's kernels for devices.
#[cfg(not(target_arch = "nvptx64"))]
#[allow(unsafe_code)]
pub static IMAGE: cuda_std::launch::Image<'_> = {
    const FILE: &str = "test_kernels.sm_75.ptx";
    // SAFETY: `cargo xtask build-ptx` made it from this crate; the checks of every change build it again and compare.
    unsafe { cuda_std::launch::Image::from_files(FILE, include_str!("../ptx/test_kernels.sm_75.ptx"), &[]) }
};

/// Its text.
#[cfg(not(target_arch = "nvptx64"))]
pub static PTX: &str = IMAGE.ptx();
