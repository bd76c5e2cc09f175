//! Outputs divided among blocks: chunks of a buffer and tiles of a matrix. Contracts. Dynamic shared memory.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 32, requires(input.len() == out.len()))]
fn doubled(block: &mut Block, out: &mut Chunk<u32, 100>, input: &[u32]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| input.at(first + i) * 2);
}

fn double(blocks: u32, out: &mut [u32], input: &[u32]) -> Result<(), LaunchError> {
    doubled::launch(&CpuExecutor::new(), blocks, doubled::Args { out, input })
}

#[test]
fn chunks_share_a_buffer_out() {
    for len in [0u32, 1, 99, 100, 101, 1000, 1234] {
        let input: Vec<u32> = (0..len).collect();
        let mut out = vec![7; len as usize];
        double(len.div_ceil(100), &mut out, &input).unwrap();
        assert!(out.iter().zip(&input).all(|(out, input)| *out == 2 * input), "{len}");
    }
}

#[test]
fn a_launch_has_exactly_the_blocks_of_the_chunks() {
    let (mut out, input) = ([0; 101], [1; 101]);
    for blocks in [0, 1, 3] {
        let error = double(blocks, &mut out, &input).unwrap_err();
        let (kernel, argument) = ("doubled", "out");
        assert_eq!(error, LaunchError::Chunks { kernel, argument, len: 101, per_block: 100, needed: 2, blocks });
    }
    assert_eq!(out, [0; 101]);
    let text = double(3, &mut out, &input).unwrap_err().to_string();
    let expected = "kernel `doubled`: the 101 elements of `out`, 100 a block, take 2 blocks, but 3 blocks were to run";
    assert_eq!(text, expected.replace("3 blocks were", "3 were"));
}

#[test]
fn a_contract_is_checked_before_anything_runs() {
    let mut out = [5; 100];
    let error = double(1, &mut out, &[1; 99]).unwrap_err();
    assert_eq!(error, LaunchError::Requirement { kernel: "doubled", expression: "input.len() == out.len()" });
    assert_eq!(error.to_string(), "kernel `doubled` requires `input.len() == out.len()`");
    assert_eq!(out, [5; 100]);
}

/// A contract over everything that it can name.
#[kernel(
    threads = 64,
    grid = 2,
    requires(
        table.rows() == rows as usize,
        table.columns() * rows as usize
            == table.len(),
        ragged.segments() >= 1 && ragged.end() <= ragged.len(),
        !counts.is_empty(),
        scratch.len() >= 2,
        grid.x * rows > 0,
        100 / factor < 60,
    ),
)]
fn demanding(
    block: &mut Block,
    table: &mut Tile2d<u32, 8, 8>,
    ragged: &mut Segment<u32>,
    counts: &Atomics<u32>,
    scratch: &mut DynamicShared<u64>,
    rows: u32,
    factor: u32,
) {
    let used = scratch.capacity() + rows * factor;
    block.for_each(1, |t, _| {
        counts.add(t, 0, used);
    });
    table.fill(block, |row, column| row + column);
    ragged.fill(block, 1, |_| 9);
}

fn demand(rows: u32, counts: usize, scratch: u32, factor: u32) -> Result<(), LaunchError> {
    let (mut table, mut ragged, mut counts) = ([0; 6], [0; 1], vec![0; counts]);
    let offsets = Offsets::new(vec![0, 1]).unwrap();
    let args = demanding::Args {
        table: Matrix { data: &mut table[..], columns: 3 },
        ragged: Segments { data: &mut ragged[..], offsets: &offsets },
        counts: &mut counts[..],
        scratch: DynamicLength(scratch),
        rows,
        factor,
    };
    demanding::launch(&CpuExecutor::new(), 1, args)?;
    assert_eq!((table, ragged, counts[0]), ([0, 1, 2, 1, 2, 3], [9], scratch + rows * factor));
    Ok(())
}

#[test]
fn the_first_part_of_a_contract_that_does_not_hold_is_named() {
    let unmet = |result: Result<(), LaunchError>| match result {
        Err(LaunchError::Requirement { kernel: "demanding", expression }) => expression,
        other => panic!("{other:?}"),
    };
    demand(2, 1, 2, 4).unwrap();
    assert_eq!(unmet(demand(3, 1, 2, 4)), "table.rows() == rows as usize");
    assert_eq!(unmet(demand(2, 0, 2, 4)), "!counts.is_empty()");
    assert_eq!(unmet(demand(2, 1, 1, 4)), "scratch.len() >= 2");
    assert_eq!(unmet(demand(2, 1, 2, 1)), "100 / factor < 60");
}

#[test]
fn a_contract_that_cannot_be_computed_is_an_error() {
    let error = demand(2, 1, 2, 0).unwrap_err();
    assert!(matches!(&error, LaunchError::RequirementFailed { kernel: "demanding", .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("attempt to divide by zero") && text.contains("outputs.rs"), "{text}");
}

#[kernel(threads = 64)]
fn places(block: &mut Block, out: &mut Tile2d<[u32; 2], 5, 16>) {
    let (top, left) = (out.first_row(), out.first_column());
    out.fill(block, |row, column| [top + row, left + column]);
}

#[test]
fn tiles_share_a_matrix_out() {
    for (rows, columns) in [(1u32, 1u32), (5, 16), (6, 17), (4, 15), (23, 40), (10, 3), (1, 100), (100, 1)] {
        let mut out = vec![[9, 9]; (rows * columns) as usize];
        let args = places::Args { out: Matrix { data: &mut out[..], columns } };
        let grid = (columns.div_ceil(16), rows.div_ceil(5));
        places::launch(&CpuExecutor::new(), grid, args).unwrap();
        for (i, found) in (0..).zip(out) {
            assert_eq!(found, [i / columns, i % columns], "{rows} x {columns}");
        }
    }
}

#[test]
fn a_launch_has_exactly_the_grid_of_the_tiles() {
    let mut out = [[0, 0]; 6 * 17];
    let mut launch = |grid: (u32, u32), columns: u32, len: usize| {
        let args = places::Args { out: Matrix { data: &mut out[..len], columns } };
        places::launch(&CpuExecutor::new(), grid, args).map_err(|error| error.to_string())
    };
    launch((2, 2), 17, 102).unwrap();
    let expected = "kernel `places`: the 6 x 17 elements of `out`, in tiles of 5 x 16, take a grid of 2 x 2 x 1 blocks, but 2 x 1 x 1 were to run";
    assert_eq!(launch((2, 1), 17, 102).unwrap_err(), expected);
    for grid in [(1, 2), (3, 2), (2, 3), (4, 1), (0, 2)] {
        assert!(launch(grid, 17, 102).unwrap_err().contains("take a grid of 2 x 2 x 1"));
    }
    let ragged = "kernel `places`: `out` has 101 elements, which are no whole rows of 17 columns";
    assert_eq!(launch((2, 2), 17, 101).unwrap_err(), ragged);
    assert!(launch((0, 0), 0, 5).unwrap_err().contains("no whole rows of 0 columns"));
    launch((0, 0), 0, 0).unwrap();
}

/// Each thread has a part of 2 x 4 elements; 64 of them cover a tile of 16 x 32.
#[kernel(threads = 96)]
fn parts(block: &mut Block, out: &mut Tile2d<[u32; 3], 16, 32>) {
    let state = block.per_thread(|t| t.index());
    out.write::<2, 4, _>(block, &state, |t, own, i, j| [t.index() * 1000 + own, i, j]);
}

#[test]
fn threads_write_their_parts_of_a_tile() {
    let (rows, columns) = (19u32, 37u32);
    let mut out = vec![[u32::MAX; 3]; (rows * columns) as usize];
    let args = parts::Args { out: Matrix { data: &mut out[..], columns } };
    parts::launch(&CpuExecutor::new(), (2, 2), args).unwrap();
    for (at, found) in (0..).zip(out) {
        let (row, column) = (at / columns % 16, at % columns % 32);
        let thread = row / 2 * 8 + column / 4;
        assert_eq!(found, [thread * 1001, row % 2, column % 4]);
    }
}

/// Reads the tile that it has written: one column for the first row.
#[kernel(threads = 32)]
fn read_back(block: &mut Block, out: &mut Tile2d<u32, 4, 4>, beyond: u32) {
    out.fill(block, |row, column| 10 * row + column);
    let rows = out.rows();
    let last = out.get(rows - 1 + beyond, 0);
    out.fill(block, |row, _| row + last);
}

#[test]
fn a_tile_can_be_read_within_its_bounds() {
    let mut out = [0; 3];
    let mut run = |beyond| {
        let args = read_back::Args { out: Matrix { data: &mut out[..], columns: 1 }, beyond };
        read_back::launch(&CpuExecutor::new(), 1, args)
    };
    run(0).unwrap();
    assert!(matches!(run(1), Err(LaunchError::Panic(_))));
    assert_eq!(out, [0, 10, 20]);
}

#[kernel(threads = 32)]
fn folded(block: &mut Block, out: &mut Chunk<u32, 1>, scratch: &mut DynamicShared<u32>, used: u32) {
    let capacity = scratch.capacity();
    let tile = scratch.fill(block, used, |i| i + 1);
    let sum = block.reduce(tile.len(), 0, |i| tile.get(i), |a, b| a + b);
    out.set(block, 0, sum * 1000 + capacity);
}

#[test]
fn dynamic_shared_memory_is_as_long_as_the_launch_says() {
    let run = |length, used| {
        let mut out = [0];
        let args = folded::Args { out: &mut out[..], scratch: DynamicLength(length), used };
        folded::launch(&CpuExecutor::new(), 1, args).map(|()| out[0])
    };
    assert_eq!(run(10, 10).unwrap(), 55_010);
    assert_eq!(run(20, 4).unwrap(), 10_020);
    assert_eq!(run(0, 0).unwrap(), 0);
    assert!(matches!(run(3, 4), Err(LaunchError::Panic(_))));
    let error = run(100_000, 1).unwrap_err();
    assert!(error.to_string().contains("the 100000 elements of 4 bytes of `scratch`"), "{error}");
}
