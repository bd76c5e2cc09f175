//! Matrices for reading, and their windows.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn look(block: &mut Block, out: &mut Chunk<u32, 6>, data: &[u32], rows: u32, columns: u32, row: u32, column: u32) {
    let table = Table::new(data, rows, columns);
    let window = table.window::<2, 3>(row, column);
    out.fill(block, 6, |i| window.at(i / 3, i % 3) + 1000 * table.rows() + 10_000 * table.columns());
}

fn run(len: u32, [rows, columns, row, column]: [u32; 4]) -> Result<[u32; 6], LaunchError> {
    let data: Vec<u32> = (0..len).collect();
    let mut out = [0; 6];
    look::launch(&CpuExecutor::new(), 1, look::Args { out: &mut out, data: &data, rows, columns, row, column })?;
    Ok(out)
}

#[test]
fn a_window_shows_a_part_of_a_table() {
    for (row, column) in [(0, 0), (2, 1), (1, 2)] {
        let expected = [0, 1, 2, 5, 6, 7].map(|i| i + 5 * row + column + 54_000);
        assert_eq!(run(23, [4, 5, row, column]).unwrap(), expected, "from ({row}, {column})");
    }
}

#[test]
fn a_window_lies_within_its_table_and_a_table_within_its_slice() {
    let beyond = [
        [4, 5, 3, 0],
        [4, 5, 0, 3],
        [4, 5, u32::MAX, 0],
        [4, 5, 0, u32::MAX - 1],
        [1, 5, 0, 0],
        [4, 2, 0, 0],
        [5, 5, 0, 0],
        [1 << 16, 1 << 16, 0, 0],
    ];
    for what in beyond {
        assert!(matches!(run(23, what), Err(LaunchError::Panic(_))), "{what:?}");
    }
}

#[kernel(threads = 32)]
fn beyond(block: &mut Block, out: &mut Chunk<u32, 4>, data: &[u32], row: u32, column: u32) {
    let window = Table::new(data, 4, 4).window::<2, 2>(0, 0);
    out.fill(block, 4, |i| window.at(row, column) + i);
}

#[test]
fn an_element_beyond_a_window_is_out_of_bounds_though_the_table_has_it() {
    let data = [7; 16];
    for (row, column, holds) in [(1, 1, true), (2, 0, false), (0, 2, false)] {
        let mut out = [0; 4];
        let result = beyond::launch(&CpuExecutor::new(), 1, beyond::Args { out: &mut out, data: &data, row, column });
        assert_eq!(result.is_ok(), holds, "({row}, {column})");
    }
}

#[kernel(threads = 32)]
fn follow(block: &mut Block, out: &mut Chunk<u32, 1>, data: &[u32], rows: u32, columns: u32, first: u32, i: u32) {
    let table = Table::new(data, rows, columns);
    let across = table.windows_across::<2, 3>(first);
    let last = across.window(i).at(1, 2);
    out.fill(block, 1, |_| last + 1000 * across.count());
}

#[test]
fn windows_follow_each_other_and_none_is_beyond_the_table() {
    let run = |[rows, columns, first, i]: [u32; 4]| {
        let data: Vec<u32> = (0..rows * columns).collect();
        let mut out = [0];
        follow::launch(&CpuExecutor::new(), 1, follow::Args { out: &mut out, data: &data, rows, columns, first, i })
            .map(|()| out)
    };
    // 5 rows of 7 columns: two windows across, with a column left over.
    for (first, i) in [(0, 0), (3, 1), (1, 0), (2, 1)] {
        let expected = 7 * (first + 1) + 3 * i + 2 + 2000;
        assert_eq!(run([5, 7, first, i]).unwrap(), [expected], "window {i} from {first} on");
    }
    let beyond = [
        [5, 7, 4, 0],
        [5, 7, 0, 2],
        [5, 7, 0, u32::MAX],
        [5, 7, u32::MAX, 0],
        [1, 7, 0, 0],
        [5, 2, 0, 0],
        [0, 0, 0, 0],
    ];
    for what in beyond {
        let found = run(what);
        assert!(matches!(&found, Err(LaunchError::Panic(_))), "{what:?}: {found:?}");
    }
}
