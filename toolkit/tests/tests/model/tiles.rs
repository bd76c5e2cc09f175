//! Shared arrays in halves, whole arrays, parts of tiles, and windows of matrices.

use crate::machines;
use cuda_host::Machine;
use cuda_std::prelude::*;
use test_kernels as k;

#[test]
fn columns_are_written_part_by_part_in_turns() {
    let x: Vec<u32> = (0..3 * 256).map(|i| i * i % 101).collect();
    let out = machines().same(|on| {
        let (x, mut out) = (on.buffer(&x)?, on.zeroed::<u32>(64)?);
        k::column_sums::launch(on, 1, k::column_sums::Args { out: out.view_mut(), x: x.view() })?;
        out.download()
    });
    for (t, found) in out.iter().enumerate() {
        let (row, column) = (t / 32, t % 32);
        // Element `row` of a column came from its first thread, which had loaded four neighbours.
        let expected: u32 = (0..3).map(|turn| (turn as u32 + 1) * x[turn * 256 + column * 8 + row]).sum();
        assert_eq!(*found, expected, "row {row}, column {column}");
    }
}

#[test]
fn a_tile_is_read_by_arrays_and_by_parts() {
    let machines = machines();
    let run = |on: &Machine, first, at| {
        let mut out = on.buffer(&[[7u32; 4]; 16])?;
        k::quads::launch(on, 1, k::quads::Args { out: out.view_mut(), first, at })?;
        out.download()
    };
    for (i, found) in (0..).zip(machines.same(|on| run(on, 3, 0))) {
        let expected = if i < 13 { [0, 10, 20, 30].map(|k| k + 40 * (i + 3)) } else { [0; 4] };
        assert_eq!(found, expected, "quad {i}");
    }
    for (first, at) in [(17, 0), (3, 1)] {
        machines.panic(|on| run(on, first, at));
    }
}

#[test]
fn a_half_holds_half_and_a_thread_writes_one_element() {
    let machines = machines();
    let run = |on: &Machine, n, by_thread: bool| {
        let mut out = on.zeroed::<u32>(32)?;
        let args = k::half_of_array::Args { out: out.view_mut(), n, by_thread: by_thread.into() };
        k::half_of_array::launch(on, 1, args)?;
        out.download()
    };
    assert_eq!(machines.same(|on| run(on, 48, false))[31], 31);
    assert_eq!(machines.same(|on| run(on, 31, true))[30..], [30, k::NO_ELEMENT]);
    for (n, by_thread) in [(49, false), (33, true)] {
        machines.panic(|on| run(on, n, by_thread));
    }
}

#[test]
fn tiles_are_copied_ahead_turn_by_turn() {
    let machines = machines();
    let x: Vec<u32> = (0..40 * 5).map(|i| i * i % 1013).collect();
    let run = |on: &Machine, x: &[u32], turns| {
        let (x, mut out) = (on.buffer(x)?, on.zeroed::<u32>(64)?);
        k::copied_ahead::launch(on, 1, k::copied_ahead::Args { out: out.view_mut(), x: x.view(), turns })?;
        out.download()
    };
    for turns in if cfg!(miri) { 2..4 } else { 0..6 } {
        for (t, found) in (0..).zip(machines.same(|on| run(on, &x, turns))) {
            let tile = |turn: u32, i: u32| {
                let item = if i.is_multiple_of(3) { 7 + turn % 4 } else { x[(40 * turn + i) as usize] };
                if i == 0 { item + turn } else { item }
            };
            let sums: u32 = (0..turns).map(|turn| (turn + 1) * tile(turn, (t + turn) % 40)).sum();
            assert_eq!(found, t % 48 + sums + 1000 * turns + t % 2, "thread {t} of {turns} turns");
        }
    }
    machines.panic(|on| run(on, &x[..198], 5));
}

/// A table of the numbers from 0 on.
fn count_up(len: u32) -> Vec<u32> {
    (0..len).collect()
}

#[test]
fn a_window_lies_within_its_table_and_a_table_within_its_slice() {
    let (machines, data) = (machines(), count_up(23));
    let run = |on: &Machine, [rows, columns, row, column]: [u32; 4]| {
        let (data, mut out) = (on.buffer(&data)?, on.zeroed::<u32>(6)?);
        let args = k::window_of_table::Args { out: out.view_mut(), data: data.view(), rows, columns, row, column };
        k::window_of_table::launch(on, 1, args)?;
        out.download()
    };
    for (row, column) in [(0, 0), (2, 1), (1, 2)] {
        let expected = [0, 1, 2, 5, 6, 7].map(|i| i + 5 * row + column + 54_000);
        assert_eq!(machines.same(|on| run(on, [4, 5, row, column])), expected, "from ({row}, {column})");
    }
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
    for window in beyond {
        machines.panic(|on| run(on, window));
    }
}

#[test]
fn an_element_beyond_a_window_is_out_of_bounds_though_the_table_has_it() {
    let machines = machines();
    let run = |on: &Machine, row, column| {
        let (data, mut out) = (on.buffer(&[7u32; 16])?, on.zeroed::<u32>(4)?);
        let args = k::element_of_window::Args { out: out.view_mut(), data: data.view(), row, column };
        k::element_of_window::launch(on, 1, args)?;
        out.download()
    };
    assert_eq!(machines.same(|on| run(on, 1, 1)), [7, 8, 9, 10]);
    for (row, column) in [(2, 0), (0, 2)] {
        machines.panic(|on| run(on, row, column));
    }
}

#[test]
fn an_element_of_a_table_is_the_same_of_its_row_and_of_its_column() {
    let machines = machines();
    let run = |on: &Machine, [rows, columns, row, column]: [u32; 4], way| {
        let (data, mut out) = (on.buffer(&count_up(35))?, on.zeroed::<u32>(2)?);
        let args =
            k::element_of_table::Args { out: out.view_mut(), data: data.view(), rows, columns, row, column, way };
        k::element_of_table::launch(on, 1, args)?;
        out.download()
    };
    for (way, count) in [(0, 1), (1, 7), (2, 5)] {
        for (row, column) in [(0, 0), (4, 6), (2, 3)] {
            let found = machines.same(|on| run(on, [5, 7, row, column], way));
            assert_eq!(found, [7 * row + column, count], "way {way}");
        }
        // The last four are elements of the slice, or would be if products wrapped.
        let beyond = [
            [5, 7, 5, 0],
            [5, 7, 0, 7],
            [0, 7, 0, 0],
            [4, 7, 4, 0],
            [5, 6, 0, 6],
            [5, 7, 1 << 31, 0],
            [5, 7, 0, u32::MAX],
        ];
        for place in beyond {
            machines.panic(|on| run(on, place, way));
        }
    }
}

#[test]
fn threads_scatter_within_a_tile_and_other_elements_stay() {
    let machines = machines();
    let run = |on: &Machine, to: &[u32]| {
        let (to, mut out) = (on.buffer(to)?, on.zeroed::<u32>(80)?);
        k::scattered_in_tile::launch(on, 1, k::scattered_in_tile::Args { out: out.view_mut(), to: to.view() })?;
        out.download()
    };
    let mut to: Vec<u32> = (0..64).map(|t| if t % 5 == 4 { u32::MAX } else { t * 37 % 80 }).collect();
    let mut expected: Vec<u32> = (0..80).map(|i| 1000 + i).collect();
    for turn in 0..2 {
        let before = expected.clone();
        for (t, at) in to.iter().enumerate().filter(|(_, at)| **at != u32::MAX) {
            expected[*at as usize] = t as u32 + turn * before[79 - t];
        }
    }
    assert_eq!(machines.same(|on| run(on, &to)), expected);
    to[63] = 80;
    machines.panic(|on| run(on, &to));
}

#[test]
fn an_array_is_filled_from_what_its_threads_read_atomically() {
    let machines = machines();
    let run = |on: &Machine, n| {
        let mut x = on.buffer(&count_up(300))?;
        k::reversed_in_place::launch(on, 3, k::reversed_in_place::Args { x: x.view_mut(), n })?;
        x.download()
    };
    for n in [0, 1, 64, 65, 90] {
        let place = |i: u32| if i % 100 < n { i / 100 * 100 + n - 1 - i % 100 } else { i };
        assert_eq!(machines.same(|on| run(on, n)), (0..300).map(place).collect::<Vec<_>>(), "{n}");
    }
    machines.panic(|on| run(on, 91));
}

#[test]
fn several_outputs_are_written_by_one_phase_each_as_far_as_it_goes() {
    let machines = machines();
    let run = |on: &Machine, [quotients, remainders, flags]: [usize; 3], n| {
        let (mut q, mut r) = (on.buffer(&vec![9u32; quotients])?, on.buffer(&vec![9u64; remainders])?);
        let mut f = on.buffer(&vec![9u8; flags])?;
        let args =
            k::several_outputs::Args { quotients: q.view_mut(), remainders: r.view_mut(), flags: f.view_mut(), n };
        k::several_outputs::launch(on, 1, args)?;
        Ok((q.download()?, r.download()?, f.download()?))
    };
    for lengths in [[100, 100, 100], [80, 100, 60], [75, 71, 60], [70, 60, 60]] {
        let (quotients, remainders, flags) = machines.same(|on| run(on, lengths, 60));
        let written = |i: usize, filled: u32| match i {
            0..60 => filled,
            60..70 => 9,
            _ => 1000 + i as u32 - 70,
        };
        for (i, found) in quotients.iter().enumerate() {
            assert_eq!(*found, written(i, i as u32 / 7), "quotient {i} of {lengths:?}");
        }
        for (i, found) in remainders.iter().enumerate() {
            assert_eq!(*found, u64::from(written(i, i as u32 % 7)), "remainder {i} of {lengths:?}");
        }
        for (i, found) in flags.iter().enumerate() {
            assert_eq!(*found, if i < 60 { u8::from(i % 7 == 3) } else { 9 }, "flag {i} of {lengths:?}");
        }
    }
    for lengths in [[59, 100, 100], [100, 59, 100], [100, 100, 59]] {
        machines.panic(|on| run(on, lengths, 60));
    }
}

#[test]
fn every_element_of_a_matrix_is_updated_once_by_its_tile() {
    let machines = machines();
    for (rows, columns) in [(1u32, 1u32), (5, 16), (6, 17), (4, 15), (23, 40), (1, 100), (100, 1)] {
        let out = machines.same(|on| {
            let mut out = on.buffer(&count_up(rows * columns))?;
            let args = k::updated_tile::Args { out: Matrix { data: out.view_mut(), columns } };
            k::updated_tile::launch(on, (columns.div_ceil(16), rows.div_ceil(5)), args)?;
            out.download()
        });
        for (i, found) in (0..).zip(out) {
            assert_eq!(found, 2 * (i + 100 * (i / columns) + i % columns), "{rows} x {columns}");
        }
    }
}

#[test]
fn windows_follow_each_other_and_none_is_beyond_the_table() {
    let machines = machines();
    let run = |on: &Machine, [rows, columns, first, i]: [u32; 4]| {
        let (data, mut out) = (on.buffer(&count_up(rows * columns))?, on.zeroed::<u32>(1)?);
        let args = k::windows_across::Args { out: out.view_mut(), data: data.view(), rows, columns, first, i };
        k::windows_across::launch(on, 1, args)?;
        out.download()
    };
    // 5 rows of 7 columns: two windows across, with a column left over.
    for (first, i) in [(0, 0), (3, 1), (1, 0), (2, 1)] {
        let expected = 7 * (first + 1) + 3 * i + 2 + 2000;
        assert_eq!(machines.same(|on| run(on, [5, 7, first, i])), [expected], "window {i} from {first} on");
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
    for window in beyond {
        machines.panic(|on| run(on, window));
    }
}

#[test]
fn tiles_share_a_matrix_out() {
    let machines = machines();
    for (rows, columns) in [(1u32, 1u32), (5, 16), (6, 17), (4, 15), (23, 40), (10, 3), (1, 100), (100, 1)] {
        let out = machines.same(|on| {
            let mut out = on.buffer(&vec![[9u32; 2]; (rows * columns) as usize])?;
            let args = k::rows_and_columns::Args { out: Matrix { data: out.view_mut(), columns } };
            k::rows_and_columns::launch(on, (columns.div_ceil(16), rows.div_ceil(5)), args)?;
            out.download()
        });
        for (i, found) in (0..).zip(out) {
            assert_eq!(found, [i / columns, i % columns], "{rows} x {columns}");
        }
    }
}

#[test]
fn a_tile_can_be_read_within_its_bounds() {
    let machines = machines();
    let run = |on: &Machine, beyond| {
        let mut out = on.zeroed::<u32>(3)?;
        let args = k::reread_tile::Args { out: Matrix { data: out.view_mut(), columns: 1 }, beyond };
        k::reread_tile::launch(on, 1, args)?;
        out.download()
    };
    assert_eq!(machines.same(|on| run(on, 0)), [20, 21, 22]);
    machines.panic(|on| run(on, 1));
}

#[test]
fn dynamic_shared_memory_is_as_long_as_the_launch_says() {
    let machines = machines();
    let run = |on: &Machine, length, used| {
        let mut out = on.zeroed::<u32>(1)?;
        let args = k::sum_in_dynamic_memory::Args { out: out.view_mut(), scratch: DynamicLength(length), used };
        k::sum_in_dynamic_memory::launch(on, 1, args)?;
        out.download()
    };
    for (length, used, expected) in [(10, 10, 55_010), (20, 4, 10_020), (0, 0, 0)] {
        assert_eq!(machines.same(|on| run(on, length, used)), [expected]);
    }
    machines.panic(|on| run(on, 3, 4));
}
