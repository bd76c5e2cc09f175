//! Each check of a length or an index that other tests do not need: without it, one of these fails. A closure that must not be
//! called panics with another message, because indices that wrap would be counted for hours.

use crate::panic_of;
use cuda_layout::DeviceLayout;
use cuda_std::launch::LaunchError;
use cuda_std::lists::{Lists, Pick};
use cuda_std::prelude::*;

/// One more than the number of elements that an index can count.
const TOO_MANY: u32 = u32::MAX - 1023;

/// Asserts that a check of the toolkit refused what the kernel did, before it called a closure.
#[track_caller]
fn is_refused<T: std::fmt::Debug>(launched: Result<T, LaunchError>) {
    let panic = panic_of(launched);
    assert_eq!(panic.message.as_deref(), Some("index out of bounds"), "{panic}");
}

#[cold]
fn called() -> u32 {
    panic!("a closure was called")
}

#[kernel(threads = 64)]
fn lengths(block: &mut Block, out: &mut Chunk<u32, 64>, how: u32, n: u32) {
    match how {
        0 => out.update_atomic(block, n, |_, _, _| _ = called()),
        1 => out.fill_rows_by_warp(block, n, 0, |_, _| called(), |about, _, _| *about),
        2 => out.fill_by_team::<8>(block, 1, |team, _| team.reduce(n, 0, |_, _| called(), |a, _| a)),
        3 => out.fill_by_team::<8>(block, 1, |team, _| team.reduce_long(n, 0, |_, _| called(), |a, _| a)),
        4 => {
            let own = block.striped::<_, 4>(n, 0, |_| called());
            out.write(block, 0, &own, |_, own| own[0]);
        }
        5 => {
            let mut own = block.per_thread(|_| [0; 4]);
            block.each_striped(&mut own, n, |_, _, own| *own = called());
            out.write(block, 0, &own, |_, own| own[0]);
        }
        _ => {
            let own = block.per_thread(|thread| thread.index());
            let value = block.broadcast(&own, n);
            out.fill(block, 64, |_| value);
        }
    }
}

fn with_length(how: u32, n: u32) -> Result<[u32; 64], LaunchError> {
    let mut out = [7; 64];
    lengths::launch(&CpuExecutor::new(), 1, lengths::Args { out: &mut out[..], how, n }).map(|()| out)
}

#[test]
fn calls_of_atomic_updates_are_countable() {
    is_refused(with_length(0, TOO_MANY));
    assert_eq!(with_length(0, 0).unwrap(), [7; 64]);
}

#[test]
fn rows_without_columns_are_countable() {
    is_refused(with_length(1, TOO_MANY));
    assert_eq!(with_length(1, 0).unwrap(), [7; 64]);
}

#[test]
fn values_of_a_teams_reduction_are_countable() {
    is_refused(with_length(2, TOO_MANY));
    assert_eq!(with_length(2, 0).unwrap()[0], 0);
}

#[test]
fn values_of_a_teams_long_reduction_are_countable() {
    is_refused(with_length(3, TOO_MANY));
    assert_eq!(with_length(3, 0).unwrap()[0], 0);
}

#[test]
fn no_more_elements_than_threads_keep_in_stripes() {
    for how in [4, 5] {
        is_refused(with_length(how, 4 * 64 + 1));
        assert_eq!(with_length(how, 0).unwrap(), [0; 64]);
    }
}

#[test]
fn a_broadcast_is_of_a_thread_of_the_block() {
    is_refused(with_length(6, 64));
    assert_eq!(with_length(6, 63).unwrap(), [63; 64]);
}

#[kernel(threads = 32)]
fn collected(block: &mut Block, out: &mut Segment<u32>, m: u32) {
    out.collect::<8, _>(block, 2, m, |_| |_| called() > 0);
}

#[test]
fn indices_that_a_team_examines_are_countable() {
    let run = |m| {
        let (mut out, offsets) = ([7; 8], Offsets::new(vec![0, 8]).unwrap());
        let args = collected::Args { out: Segments { data: &mut out[..], offsets: &offsets }, m };
        collected::launch(&CpuExecutor::new(), 1, args).map(|()| out)
    };
    is_refused(run(TOO_MANY));
    assert!(run(0).is_ok());
}

#[kernel(threads = 32)]
fn listed(block: &mut Block, out: &mut Chunk<u32, 1>, words: &[u32], n: u32, chunk: u32, i: u32, k: u32) {
    let lists = Lists::in_chunks(View::of(words), n, chunk);
    let mut sum = 0;
    if i != u32::MAX {
        lists.first(i, k, |item| sum += item);
    }
    out.fill(block, 1, |_| sum);
}

/// The sum of the first `k` of list `i`'s items, in 15 words: a count and room for two items for each of five lists. With
/// `u32::MAX` for `i`, the lists are only made.
fn of_lists(n: u32, chunk: u32, i: u32, k: u32) -> Result<u32, LaunchError> {
    let (words, mut out) = ((0..15).collect::<Vec<u32>>(), [0]);
    let args = listed::Args { out: &mut out[..], words: &words[..], n, chunk, i, k };
    listed::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
}

#[test]
fn lists_have_a_word_each() {
    is_refused(of_lists(16, 5, u32::MAX, 0));
    assert_eq!(of_lists(15, 5, u32::MAX, 0), Ok(0));
}

#[test]
fn chunks_of_lists_have_lists() {
    is_refused(of_lists(5, 0, u32::MAX, 0));
    assert_eq!(of_lists(0, 0, u32::MAX, 0), Ok(0), "no lists need no chunk");
}

#[test]
fn the_first_items_are_of_a_list() {
    is_refused(of_lists(5, 5, 5, 1));
    is_refused(of_lists(5, 2, 5, 0));
    assert_eq!(of_lists(5, 5, 4, 2), Ok(9 + 14));
}

#[test]
fn no_more_items_than_a_list_has_room_for() {
    is_refused(of_lists(5, 5, 4, 3));
    is_refused(of_lists(5, 2, 0, TOO_MANY));
}

/// Turns that copy 32 words each.
#[kernel(threads = 32)]
fn in_stages(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[u32], turns: u32, stages: &mut Shared<u32, 64>) {
    stages.stages::<2>(block).copy_parts_ahead(block, turns, 32, |_| called(), |_, i| &x[i as usize], |_, _, _| ());
    out.fill(block, 1, |_| 1);
}

#[test]
fn turns_of_stages_are_countable() {
    let run = |turns| {
        let mut out = [0];
        let args = in_stages::Args { out: &mut out[..], x: &[1; 32][..], turns };
        in_stages::launch(&CpuExecutor::new(), 1, args).map(|()| out)
    };
    is_refused(run(TOO_MANY));
    assert_eq!(run(0).unwrap(), [1]);
}

#[kernel(threads = T, instances(product_of_one_warp = <32>, product_of_two_warps = <64>))]
fn product<const T: usize>(block: &mut Block, out: &mut Chunk<f32, 512>, tile: &mut Shared<f32, 512>, one: f32) {
    let sums = block.per_thread(|_| MatrixSums::<f16, 1, 2>::zero());
    // Two warps have 16 x 16 sums each.
    let tile = tile.write_sums::<32, 16, _, 1, 2>(block, &sums, |_, _, sum| sum + one);
    out.fill(block, 512, |i| tile.get(i));
}

#[test]
fn a_block_has_a_warp_for_each_part_of_its_sums() {
    let run = |two: bool| {
        let mut out = vec![0.0; 512];
        let (out_of, cpu) = (&mut out[..], CpuExecutor::new());
        let launched = if two {
            product::launch::<64, _>(&cpu, 1, product::Args { out: out_of, one: 1.0 })
        } else {
            product::launch::<32, _>(&cpu, 1, product::Args { out: out_of, one: 1.0 })
        };
        launched.map(|()| out)
    };
    is_refused(run(false));
    assert_eq!(run(true).unwrap(), [1.0; 512]);
}

#[kernel(threads = 32)]
fn tiled(block: &mut Block, out: &mut Tile2d<u32, 8, 8, WriteOnly>, is_small: u32) {
    let own = block.per_thread(|thread| thread.index());
    if is_small == 1 {
        out.write::<1, 1, _>(block, &own, |_, own, _, _| *own);
    } else {
        out.write::<2, 1, _>(block, &own, |_, own, _, _| *own);
    }
}

#[test]
fn a_block_has_a_thread_for_each_part_of_a_tile() {
    let run = |is_small| {
        let mut out = [99; 64];
        let args = tiled::Args { out: Matrix { data: &mut out[..], columns: 8 }, is_small };
        tiled::launch(&CpuExecutor::new(), (1, 1), args).map(|()| out)
    };
    is_refused(run(1));
    assert_eq!(run(0).unwrap()[55..], [31, 24, 25, 26, 27, 28, 29, 30, 31][..]);
}

/// Lists whose scratch memory has 63 words instead of 64, which a device would write beyond.
#[kernel(threads = 32)]
fn with_scratch(
    block: &mut Block,
    out: &mut Chunk<u32, 1>,
    x: &[[f32; 4]],
    how: u32,
    a: &mut Shared<Pick, 64>,
    b: &mut Shared<Pick, 64>,
    short: &mut Shared<u32, 63>,
    long: &mut Shared<u32, 64>,
) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 1, (a, b, short, long), |warp, (a, b, short, long), _| {
        let ranges = warp.per_lane(|lane| if lane.index() == 0 { [0, 3] } else { [0; 2] });
        a.clear(warp);
        b.clear(warp);
        let scratch = if how < 3 { short } else { long };
        let mut found = 0;
        match how % 3 {
            0 => a.push_ranges_with(warp, scratch, &x, &ranges, |_, _| true),
            1 => warp.push_ranges_to([a, b], scratch, &x, &ranges, |_, _| [true, false]),
            _ => warp.each_of_ranges_with(scratch, &ranges, |_, _, n| found += n),
        }
        found + a.items(warp).len()
    });
}

fn scratched(how: u32) -> Result<u32, LaunchError> {
    let mut out = [0];
    let args = with_scratch::Args { out: &mut out[..], x: &[[1.0; 4]; 3][..], how };
    with_scratch::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
}

#[test]
fn scratch_memory_of_chosen_elements_is_large_enough() {
    is_refused(scratched(0));
    assert_eq!(scratched(3), Ok(3));
}

#[test]
fn scratch_memory_of_elements_for_two_lists_is_large_enough() {
    is_refused(scratched(1));
    assert_eq!(scratched(4), Ok(3));
}

#[test]
fn scratch_memory_of_ranges_is_large_enough() {
    is_refused(scratched(2));
    assert_eq!(scratched(5), Ok(3));
}

#[kernel(threads = 32)]
fn picked_ahead(
    block: &mut Block,
    out: &mut Chunk<u32, 1>,
    x: &[[f32; 4]],
    n: u32,
    first: u32,
    a: &mut Shared<Pick, 64>,
) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 1, (a,), |warp, (list,), _| {
        let ranges = warp.per_lane(|lane| if lane.index() == 0 { [0, n] } else { [0; 2] });
        list.clear(warp);
        list.push_ranges_where(warp, &x, &ranges, |_, _| true);
        let items = list.items(warp);
        let picks = items.picks_ahead(warp, &x, first);
        warp.broadcast(picks.index(), 0)
    });
}

fn ahead(n: u32, first: u32) -> Result<u32, LaunchError> {
    let mut out = [0];
    let args = picked_ahead::Args { out: &mut out[..], x: &[[1.0; 4]; 40][..], n, first };
    picked_ahead::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
}

#[test]
fn items_that_are_read_ahead_are_of_a_list_with_items() {
    is_refused(ahead(0, 0));
    assert_eq!(ahead(40, 32), Ok(32));
}

#[test]
fn items_that_are_read_ahead_begin_at_a_multiple_of_a_warp() {
    is_refused(ahead(40, 1));
    assert_eq!(ahead(40, 0), Ok(0));
}

#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(32))]
struct Row {
    words: [u32; 8],
}

#[kernel(threads = 32)]
fn joined(block: &mut Block, out: &mut Chunk<u32, 1>, table: &[Row]) {
    out.fill_by_warp(block, 1, |warp, _| {
        let rows = warp.per_lane(|lane| lane.index());
        warp.or_rows(table, [&rows])[0]
    });
}

#[test]
fn joined_rows_are_of_a_table_with_rows() {
    let run = |table: &[Row]| {
        let mut out = [0];
        joined::launch(&CpuExecutor::new(), 1, joined::Args { out: &mut out[..], table }).map(|()| out[0])
    };
    is_refused(run(&[]));
    assert_eq!(run(&[Row { words: [5; 8] }, Row { words: [2; 8] }]), Ok(7));
}

#[kernel(threads = 32)]
fn by_grid(grid: &mut WholeGrid, out: &mut GridMemory<u32>, how: u32, n: u32) {
    let found = if how == 0 {
        grid.for_each(n, |_, _| _ = called());
        1
    } else {
        grid.reduce(n, 2, |_, _| called(), |a, _| a)
    };
    out.fill(grid, 1, |_, _| found);
}

fn on_grid(how: u32, n: u32) -> Result<u32, LaunchError> {
    let mut out = [0];
    by_grid::launch(&CpuExecutor::new(), 2, by_grid::Args { out: &mut out[..], how, n }).map(|()| out[0])
}

#[test]
fn calls_of_a_whole_grid_are_countable() {
    is_refused(on_grid(0, TOO_MANY));
    assert_eq!(on_grid(0, 0), Ok(1));
}

#[test]
fn values_of_a_whole_grids_reduction_are_countable() {
    is_refused(on_grid(1, TOO_MANY));
    assert_eq!(on_grid(1, 0), Ok(2));
}
