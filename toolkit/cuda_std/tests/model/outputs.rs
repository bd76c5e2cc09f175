//! The launches that chunks of a buffer, tiles of a matrix, contracts and dynamic shared memory refuse.

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

#[test]
fn dynamic_shared_memory_has_room_in_a_block() {
    let error = demand(2, 1, 100_000, 4).unwrap_err();
    assert!(error.to_string().contains("the 100000 elements of 8 bytes of `scratch`"), "{error}");
}
