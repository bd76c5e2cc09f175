//! Every phase over `n` elements refuses an `n` that its memory does not have. The memory is a segment within a larger buffer, in
//! which nothing changes beyond the segment.

use cuda_std::launch::LaunchError;
use cuda_std::lists::{Lists, Pick};
use cuda_std::prelude::*;

const PHASES: u32 = 24;
const LEN: u32 = 40;

/// Runs phase `how` over `n` elements.
#[kernel(threads = 32)]
fn over(
    block: &mut Block,
    out: &mut Segment<u32>,
    how: u32,
    n: u32,
    list: &mut Shared<u32, 64>,
    tile: &mut Shared<u32, 40>,
) {
    let is = |w: &mut Warp, i: u32| i + w.index();
    match how {
        0 => out.fill(block, n, |i| i),
        1 => out.update(block, n, |i, x| *x = i),
        2 => let_go(out.fill_reduce(block, n, 0, |i| (i, i), u32::wrapping_add)),
        3 => let_go(out.update_reduce(block, n, 0, |i, x| *x + i, u32::wrapping_add)),
        4 => out.set(block, n.wrapping_sub(1), 7),
        5 => out.fill_by_warp(block, n, is),
        6 => out.fill_rows_by_warp(block, n, 1, |_, row| row, |row, _, _| *row),
        7 => out.fill_rows_by_warp(block, 1, n, |_, row| row, |_, _, column| column),
        8 => out.update_by_warp(block, n, |_, i, x| x + i),
        9 => out.fill_by_warp_with(block, n, (list,), |_, _, i| i),
        10 => out.fill_by_lanes(block, n, |warp, first| warp.per_lane(|lane| first + lane.index())),
        11 => out.fill_by_lanes_with(block, n, (list,), |warp, _, first| warp.per_lane(|lane| first + lane.index())),
        12 => out.fill_by_team::<8>(block, n, |_, i| i),
        13 => out.update_by_team::<8, _>(block, n, |_, i| i, |i, x| *x = i),
        14 => let_go(out.inclusive_scan(block, n, 0, |i| i, u32::wrapping_add)),
        15 => let_go(out.exclusive_scan_in_place(block, n, 0, u32::wrapping_add)),
        16 => let_go(out.view(n)),
        17 => let_go(out.whole().split_at(n)),
        18 => let_go(tile.fill(block, n, |i| i).len()),
        19 => let_go(tile.fill_by_team::<8>(block, n, |_, i| i).len()),
        20 => let_go(out.get(n.wrapping_sub(1))),
        21 => let_go(out.view(LEN).part(n, LEN - n.min(LEN))),
        22 => let_go(out.view(LEN).part(1, n.wrapping_sub(1))),
        23 => let_go(Lists::in_chunks(out.view(LEN), n, 4)),
        _ => out.fill_rows_by_warp(block, 1 << 16, n << 12, |_, row| row, |_, _, column| column),
    }
}

/// A result is not needed.
fn let_go<T>(_: T) {}

fn run(executor: &CpuExecutor, how: u32, n: u32) -> (Result<(), LaunchError>, Vec<u32>) {
    let mut out = vec![9; 3 * LEN as usize];
    let offsets = Offsets::new(vec![LEN, 2 * LEN]).unwrap();
    let segments = Segments { data: &mut out[..], offsets: &offsets };
    let result = over::launch(executor, 1, over::Args { out: segments, how, n });
    (result, out)
}

#[test]
fn no_phase_goes_beyond_its_memory() {
    let others = |out: &[u32]| [&out[..LEN as usize], &out[2 * LEN as usize..]].concat() == [9; 2 * LEN as usize];
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(3)] {
        for how in 0..PHASES {
            let (result, out) = run(&executor, how, LEN);
            assert!(result.is_ok() && others(&out), "all elements in phase {how}: {result:?}");
            for n in [LEN + 1, 2 * LEN, u32::MAX - 1024, u32::MAX] {
                let (result, out) = run(&executor, how, n);
                assert!(matches!(result, Err(LaunchError::Panic(_))) && others(&out), "{n} elements in phase {how}");
            }
        }
    }
}

#[test]
fn rows_and_columns_are_multiplied_without_wrapping() {
    // 2^16 rows of 2^16 columns are no elements, if 32 bits count them.
    assert!(matches!(run(&CpuExecutor::new(), PHASES, 16).0, Err(LaunchError::Panic(_))));
}

#[kernel(threads = 64)]
fn of_one(block: &mut Block, out: &mut Chunk<u32, 1>, from: u32) {
    let own = block.per_thread(|thread| 10 * thread.index());
    let value = block.broadcast(&own, from);
    out.set(block, 0, value);
}

#[test]
fn a_value_comes_from_a_thread_of_the_block() {
    let run = |from| {
        let mut out = [1];
        of_one::launch(&CpuExecutor::new(), 1, of_one::Args { out: &mut out[..], from }).map(|()| out)
    };
    assert_eq!(run(63).unwrap(), [630]);
    for from in [64, u32::MAX] {
        assert!(run(from).is_err(), "{from}");
    }
}

/// A column for each of 8 threads, 8 rows at a time, of which a block of 32 threads has too few.
#[kernel(threads = 32)]
fn columns(block: &mut Block, out: &mut Chunk<u32, 1>, halves: &mut Shared<u32, 2048>, is_large: u32) {
    let own = block.per_thread(|thread| thread.index());
    let mut buffer = halves.halves(block);
    if is_large == 0 {
        let pending = buffer.write_columns::<8, 32, 8, _>(block, &own, |_, own| [*own; 8]);
        let tile = block.meet(pending);
        out.set(block, 0, tile.get(255));
    } else {
        let pending = buffer.write_columns::<16, 32, 8, _>(block, &own, |_, own| [*own; 8]);
        let tile = block.meet(pending);
        out.set(block, 0, tile.get(511));
    }
}

#[test]
fn a_thread_is_there_for_each_part_of_a_column() {
    let run = |is_large| {
        let mut out = [1];
        columns::launch(&CpuExecutor::new(), 1, columns::Args { out: &mut out[..], is_large }).map(|()| out)
    };
    assert_eq!(run(0).unwrap(), [31]);
    assert!(run(1).is_err(), "32 of 64 parts would never be written");
}

/// Stages that are too small for the windows of a product.
#[kernel(threads = 32)]
fn small_stages(
    block: &mut Block,
    out: &mut Tile2d<f32, 16, 8, WriteOnly>,
    a: &[f16x8],
    b: &[f16x8],
    stages: &mut DynamicShared<f16x8>,
) {
    let windows = (Table::new(a, 16, 16).windows_across::<16, 8>(0), Table::new(b, 8, 16).windows_across::<8, 8>(0));
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 1, 1>::zero());
    stages.stages::<2>(block).add_products(block, windows, |_| [0, 0], &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

#[test]
fn a_stage_has_room_for_the_windows_of_a_product() {
    let run = |room| {
        let (a, b) = (
            vec![f16x8::from_array([f16::from_f32(1.0); 8]); 256],
            vec![f16x8::from_array([f16::from_f32(1.0); 8]); 128],
        );
        let mut out = [0.0; 128];
        let data = Matrix { data: &mut out[..], columns: 8 };
        let args = small_stages::Args { out: data, a: &a[..], b: &b[..], stages: DynamicLength(room) };
        small_stages::launch(&CpuExecutor::new(), (1, 1), args).map(|()| out)
    };
    assert_eq!(run(2 * 192).unwrap(), [128.0; 128]);
    assert!(run(2 * 192 - 1).is_err());
}

#[derive(Arguments)]
struct PartsRoom<'a> {
    starts: &'a mut Shared<u32, 4>,
    list: &'a mut Shared<u32, 64>,
    memory: &'a mut Shared<u32, 16>,
}

/// Warps write their parts, which begin at 0 and 3; a double buffer copies; 16-bit floats are read two at a time.
#[kernel(threads = 64)]
fn parts(block: &mut Block, out: &mut Segment<u32>, x: &[u32], floats: &[f16], how: u32, at: u32, room: PartsRoom<'_>) {
    let PartsRoom { starts, list, memory } = room;
    match how {
        0 => {
            let starts = starts.fill(block, 3, |part| [0, 3, 6][part as usize]);
            out.write_parts_by_warp_with(block, &starts, (list,), |warp, _, part| part.set(warp, at, 1));
        }
        1 => memory.halves(block).copy_ahead(block, 2, at, |_, i| x.at_ref(i % 4), |_, _, tile| let_go(tile)),
        _ => {
            let pairs = Vectors::<f16, 2>::of(floats);
            let [first, second] = pairs.get(at);
            out.set(block, 0, (first.to_f32() + second.to_f32()) as u32);
        }
    }
}

#[test]
fn parts_halves_and_vectors_end_where_they_end() {
    let run = |how, at| {
        let (mut out, floats) = ([9; 8], [f16::from_f32(1.0); 7]);
        let offsets = Offsets::new(vec![0, 6]).unwrap();
        let segments = Segments { data: &mut out[..], offsets: &offsets };
        let args = parts::Args { out: segments, x: &[1; 4][..], floats: &floats[..], how, at };
        parts::launch(&CpuExecutor::new(), 1, args).map(|()| out)
    };
    for (how, last) in [(0, 2), (1, 8), (2, 2)] {
        assert_eq!(run(how, last).unwrap()[6..], [9; 2], "{how}");
        for at in [last + 1, u32::MAX] {
            assert!(matches!(run(how, at), Err(LaunchError::Panic(_))), "{at} in {how}");
        }
    }
}

/// Teams read `m` elements of each of two views, and a stage gets as many.
#[kernel(threads = 32)]
fn sums(
    block: &mut Block,
    out: &mut Chunk<f32, 1>,
    x: &[f32],
    y: &[f32],
    how: u32,
    m: u32,
    memory: &mut Shared<f32, 96>,
) {
    let (a, b) = (View::of(x), View::of(y));
    match how {
        0 => out.fill_by_team::<8>(block, 1, |team, _| {
            let add = |[sum]: [f32; 1], [x]: [f32; 1]| [sum + x];
            let [sum] = team.reduce_parts(m, (a, b), [0.0], |_, x, y| [x + y], add, add);
            sum
        }),
        1 => out.fill_by_team::<8>(block, 1, |team, _| {
            let add = |[sum]: [f32; 1], [x]: [f32; 1]| [sum + x];
            let (all, near) = ((|_, x| (true, [x]), add), (|_, _, y| [y], add));
            let [sum] = team.reduce_near_parts(m, (a, b), [0.0], all, near, add);
            sum
        }),
        _ => {
            let mut sum = block.per_thread(|_| 0.0);
            memory.stages::<3>(block).copy_ahead(
                block,
                2,
                m,
                |_, i| x.at_ref(i % 8),
                |block, _, tile| {
                    block.each(&mut sum, |_, sum| *sum += tile.get(0) + tile.get(tile.len() - 1));
                },
            );
            out.write(block, 0, &sum, |_, sum| *sum);
        }
    }
}

#[test]
fn teams_and_stages_have_the_elements_that_they_count() {
    let run = |how, m, [of_x, of_y]: [usize; 2]| {
        let (x, y, mut out) = ([1.0; 64], [1.0; 64], [0.0]);
        let args = sums::Args { out: &mut out[..], x: &x[..of_x], y: &y[..of_y], how, m };
        sums::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
    };
    for how in [0, 1] {
        assert_eq!(run(how, 20, [20, 24]).unwrap(), 40.0);
        for (m, lengths) in [(20, [19, 24]), (20, [24, 19]), (u32::MAX, [20, 20]), (1, [0, 1]), (1, [1, 0])] {
            let found = run(how, m, lengths);
            assert!(matches!(found, Err(LaunchError::Panic(_))), "{m} of {lengths:?} in {how}: {found:?}");
        }
    }
    // A third of 96 elements.
    assert_eq!(run(2, 32, [8, 0]).unwrap(), 4.0);
    for m in [33, 96, u32::MAX] {
        assert!(matches!(run(2, m, [8, 0]), Err(LaunchError::Panic(_))), "{m}");
    }
}

#[derive(Arguments)]
struct ListRoom<'a> {
    list: &'a mut Shared<u32, 40>,
    picks: &'a mut Shared<Pick, 64>,
    own: &'a mut Shared<u32, 1>,
}

/// A list of `n` items, read by item `at` and up to `end`; and an element of a tile of 2 x 3.
#[kernel(threads = 32)]
fn listed(
    block: &mut Block,
    out: &mut Tile2d<u32, 4, 4>,
    x: &[[f32; 4]],
    how: u32,
    n: u32,
    at: [u32; 2],
    room: ListRoom<'_>,
) {
    let ListRoom { list, picks, own } = room;
    let [first, end] = at;
    let x = View::of(x).clamped();
    let old = if how == 5 { out.get(first, end) } else { 0 };
    let mut found = own.fill(block, 1, |_| 0);
    found.fill_by_warp_with(block, 1, (list, picks), |warp, (list, picks), _| {
        let lanes = warp.per_lane(|lane| lane.index());
        list.push_where(warp, &lanes, &lanes, |lane, _| lane.index() < n);
        let ranges = warp.per_lane(|lane| if lane.index() == 0 { [0, n] } else { [0; 2] });
        picks.push_ranges_where(warp, &x, &ranges, |_, _| true);
        let (items, picks) = (list.items(warp), picks.items(warp));
        match how {
            0 => items.get(first),
            1 => {
                let items = items.by_lane(warp, first);
                warp.reduce(&items, u32::wrapping_add)
            }
            2 => items.range(first, end).fold(0, u32::wrapping_add),
            3 => items.get_clamped(first),
            4 => {
                let picks = picks.picks(warp, &x, first);
                warp.reduce(picks.index(), u32::min)
            }
            _ => old,
        }
    });
    let found = found.get(0);
    out.fill(block, |_, _| found);
}

#[test]
fn items_and_elements_of_tiles_are_those_that_there_are() {
    let run = |how, n, at| {
        let (mut out, x) = ([9; 6], [[1.0; 4]; 32]);
        let data = Matrix { data: &mut out[..], columns: 3 };
        listed::launch(&CpuExecutor::new(), (1, 1), listed::Args { out: data, x: &x[..], how, n, at }).map(|()| out[0])
    };
    let right = [
        (0, [4, 0], 4),
        (1, [0, 0], 10 + 27 * 4),
        (2, [1, 5], 10),
        (2, [5, 5], 0),
        (3, [9, 0], 4),
        (4, [0, 0], 0),
        (5, [1, 2], 9),
    ];
    for (how, at, expected) in right {
        assert_eq!(run(how, 5, at).unwrap(), expected, "{at:?} in {how}");
    }
    const MAX: u32 = u32::MAX;
    let wrong = [
        (0, 5, [5, 0]),
        (0, 0, [0, 0]),
        (1, 5, [5, 0]),
        (1, 5, [MAX, 0]),
        (2, 5, [0, 6]),
        (2, 5, [4, 3]),
        (2, 5, [MAX, MAX]),
        (3, 0, [0, 0]),
        (4, 5, [32, 0]),
        (4, 5, [1, 0]),
        (5, 5, [2, 0]),
        (5, 5, [0, 3]),
        (5, 5, [0, MAX]),
        (5, 5, [MAX, 0]),
    ];
    for (how, n, at) in wrong {
        let found = run(how, n, at);
        assert!(matches!(found, Err(LaunchError::Panic(_))), "{at:?} of {n} in {how}: {found:?}");
    }
}

/// Memory of a whole grid, and parts and views of it.
#[kernel(threads = 32)]
fn of_grid(grid: &mut WholeGrid, x: &mut GridMemory<u32>, y: &mut GridMemory<u32>, how: u32, first: u32, n: u32) {
    match how {
        0 => y.fill(grid, 1, |thread, _| x.get(thread, first)),
        1 => {
            let view = x.view();
            y.fill(grid, 1, |thread, _| view.get(thread, first));
        }
        2 => x.fill(grid, n, |_, i| i),
        3 => x.update(grid, n, |_, i, x| *x = i),
        4 => x.part(first, n).fill(grid, n, |_, i| i),
        5 => let_go(x.view().part(first, n).len()),
        6 => let_go(x.split_at(n).0.len()),
        _ => let_go(grid.reduce_in_order(x, n, 0, |_, i| i, u32::wrapping_add)),
    }
}

#[test]
fn memory_of_a_grid_ends_where_it_ends() {
    let run = |how, first, n| {
        let (mut x, mut y) = ([9; 12], [0; 1]);
        let args = of_grid::Args { x: &mut x[..10], y: &mut y[..], how, first, n };
        let result = of_grid::launch(&CpuExecutor::new(), 3, args);
        assert_eq!(x[10..], [9; 2], "{first} and {n} in {how}");
        result
    };
    for how in 0..8 {
        run(how, 2, 8).unwrap();
        for (first, n) in [(10, 11), (u32::MAX, u32::MAX), (11, u32::MAX - 3)] {
            assert!(run(how, first, n).is_err(), "{first} and {n} in {how}");
        }
    }
    for how in [4, 5] {
        for (first, n) in [(2, 9), (11, 0), (u32::MAX, 2)] {
            assert!(run(how, first, n).is_err(), "{first} and {n} in {how}");
        }
    }
}
