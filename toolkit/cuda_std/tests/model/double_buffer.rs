//! Shared arrays in halves, whole arrays, and parts of tiles.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Adds up rows of 32 numbers, tile by tile. A thread loads four numbers at a time.
#[kernel(threads = 64, requires(out.len() == 64, x.len().is_multiple_of(256)))]
fn columns(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], tiles: &mut Shared<u32, 512>) {
    let mut tiles = tiles.halves(block);
    let mut own = block.per_thread(|_| ([0; 4], 0));
    for turn in 0..x.len() as u32 / 256 {
        block.each(&mut own, |t, (loaded, _)| *loaded = [0, 1, 2, 3].map(|k| x.at(turn * 256 + t.index() * 4 + k)));
        // Eight rows of 32: thread t has elements 4 (t % 2) .. of column t / 2.
        let tile = tiles.write_columns::<8, 32, 4, _>(block, &own, |_, (loaded, _)| *loaded);
        let tile = block.meet(tile);
        block.each(&mut own, |t, (_, sum)| {
            let (row, column) = (t.index() / 32, t.index() % 32);
            *sum += tile.part(32 * row, 32).get(column) * (turn + 1);
        });
    }
    out.write(block, 0, &own, |_, (_, sum)| *sum);
}

#[test]
fn columns_are_written_part_by_part_in_turns() {
    let x: Vec<u32> = (0..3 * 256).map(|i| i * i % 101).collect();
    let mut out = [0; 64];
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)] {
        columns::launch(&executor, 1, columns::Args { out: &mut out, x: &x }).unwrap();
        for (t, found) in out.iter().enumerate() {
            let (row, column) = (t / 32, t % 32);
            // Element `row` of a column came from its first thread, which had loaded four neighbours.
            let expected: u32 = (0..3).map(|turn| (turn as u32 + 1) * x[turn * 256 + column * 8 + row]).sum();
            assert_eq!(*found, expected, "row {row}, column {column}");
        }
    }
}

/// Turns rows of four into quads, each of which is read at once.
#[kernel(threads = 32)]
fn quads(block: &mut Block, out: &mut Chunk<[u32; 4], 16, WriteOnly>, tile: &mut Shared<u32, 64>, first: u32, at: u32) {
    let quads = tile.fill_all(block, |i| 10 * i).arrays::<4>();
    let part = quads.part(first, 16 - first);
    out.fill(block, 16, |i| if i < part.len() { part.get(i + at) } else { [0; 4] });
}

#[test]
fn a_tile_is_read_by_arrays_and_by_parts() {
    let run = |first, at| {
        let mut out = [[7; 4]; 16];
        quads::launch(&CpuExecutor::new(), 1, quads::Args { out: &mut out, first, at }).map(|()| out)
    };
    let out = run(3, 0).unwrap();
    for (i, found) in (0..).zip(out) {
        let expected = if i < 13 { [0, 10, 20, 30].map(|k| k + 40 * (i + 3)) } else { [0; 4] };
        assert_eq!(found, expected, "quad {i}");
    }
    for (first, at) in [(17, 0), (3, 1)] {
        assert!(matches!(run(first, at), Err(LaunchError::Panic(_))), "{first}, {at}");
    }
}

#[kernel(threads = 32)]
fn too_much(block: &mut Block, out: &mut Chunk<u32, 32>, tiles: &mut Shared<u32, 96>, n: u32, by_thread: u32) {
    let own = block.per_thread(|t| t.index());
    let mut tiles = tiles.halves(block);
    let tile = if by_thread == 1 { tiles.write(block, n, &own, |_, own| *own) } else { tiles.fill(block, n, |i| i) };
    let tile = block.meet(tile);
    out.fill(block, 32, |i| if i < tile.len() { tile.get(i) } else { 99 });
}

#[test]
fn a_half_holds_half_and_a_thread_writes_one_element() {
    let run = |n, by_thread: bool| {
        let mut out = [0; 32];
        too_much::launch(&CpuExecutor::new(), 1, too_much::Args { out: &mut out, n, by_thread: by_thread.into() })
            .map(|()| out)
    };
    assert_eq!(run(48, false).unwrap()[31], 31);
    assert_eq!(run(31, true).unwrap()[30..], [30, 99]);
    for (n, by_thread) in [(49, false), (33, true)] {
        assert!(matches!(run(n, by_thread), Err(LaunchError::Panic(_))), "{n}");
    }
}

/// Turns of 40 elements; every third element comes from the kernel's own table. Before and after them, tiles are filled.
#[kernel(threads = 64)]
fn ahead(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], turns: u32, tiles: &mut Shared<u32, 96>) {
    let table = [7, 8, 9, 10];
    let mut tiles = tiles.halves(block);
    let before = tiles.fill(block, 48, |i| i);
    let before = block.meet(before);
    let mut sums = block.per_thread(|thread| before.get(thread.index() % 48));
    let mut seen = 0;
    tiles.copy_ahead(
        block,
        turns,
        40,
        |turn, i| if i.is_multiple_of(3) { &table[turn as usize % 4] } else { x.at_ref(40 * turn + i) },
        |block, turn, mut tile| {
            // The body may write its tile.
            tile.update(block, 1, |_, item| *item += turn);
            block.each(&mut sums, |thread, sum| *sum += (turn + 1) * tile.get((thread.index() + turn) % 40));
            seen += 1;
        },
    );
    let after = tiles.fill(block, 2, |i| 1000 * seen + i);
    let after = block.meet(after);
    out.write(block, 0, &sums, |thread, sum| *sum + after.get(thread.index() % 2));
}

#[test]
fn tiles_are_copied_ahead_turn_by_turn() {
    let x: Vec<u32> = (0..40 * 5).map(|i| i * i % 1013).collect();
    for turns in if cfg!(miri) { 2..4 } else { 0..6 } {
        for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)] {
            let mut out = [0; 64];
            ahead::launch(&executor, 1, ahead::Args { out: &mut out, x: &x, turns }).unwrap();
            for (t, found) in (0..).zip(out) {
                let tile = |turn: u32, i: u32| {
                    let item = if i.is_multiple_of(3) { 7 + turn % 4 } else { x[(40 * turn + i) as usize] };
                    if i == 0 { item + turn } else { item }
                };
                let sums: u32 = (0..turns).map(|turn| (turn + 1) * tile(turn, (t + turn) % 40)).sum();
                assert_eq!(found, t % 48 + sums + 1000 * turns + t % 2, "thread {t} of {turns} turns");
            }
        }
    }
    let mut out = [0; 64];
    let args = ahead::Args { out: &mut out[..], x: &x[..198], turns: 5 };
    assert!(matches!(ahead::launch(&CpuExecutor::new(), 1, args), Err(LaunchError::Panic(_))));
}
