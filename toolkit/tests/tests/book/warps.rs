//! The examples of the chapter on warps, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Executors with threads in order, and shuffled.
fn executors() -> [CpuExecutor; 3] {
    [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)]
}

/// Pseudo-random integers below `limit`, whose sums are exact.
fn numbers(n: u32, limit: u32) -> Vec<u32> {
    (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) % limit).collect()
}

fn floats(n: u32, limit: u32) -> Vec<f32> {
    numbers(n, limit).into_iter().map(|x| x as f32).collect()
}

// ANCHOR: rows
/// The sum of squares of each row of a matrix: one warp per row.
#[kernel(threads = 128, requires(matrix.len() == out.len() * columns as usize))]
pub fn squares(block: &mut Block, out: &mut Chunk<f32, 64>, matrix: &[f32], columns: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill_by_warp(block, n, |warp, i| {
        let row = matrix.part((first + i) * columns, columns);
        let mut sums = warp.per_lane(|_| 0.0);
        for begin in (0..columns).step_by(32) {
            warp.each(&mut sums, |lane, sum| {
                let column = begin + lane.index();
                if column < columns {
                    *sum = math::fma(row.at(column), row.at(column), *sum);
                }
            });
        }
        warp.reduce(&sums, |a, b| a + b)
    });
}
// ANCHOR_END: rows

#[test]
fn a_warp_adds_up_a_row() -> Result<(), LaunchError> {
    for (rows, columns) in [(1, 1), (3, 31), (70, 100)] {
        let matrix = floats(rows * columns, 50);
        let expected: Vec<f32> = matrix.chunks(columns as usize).map(|row| row.iter().map(|x| x * x).sum()).collect();
        for executor in executors() {
            let mut out = vec![-1.0; rows as usize];
            squares::launch(&executor, rows.div_ceil(64), squares::Args { out: &mut out, matrix: &matrix, columns })?;
            assert_eq!(out, expected, "{rows} x {columns}");
        }
    }
    Ok(())
}

// ANCHOR: ballot
/// Which elements are above a limit, one bit each: 32 of them make a word.
#[kernel(threads = 128, requires(x.len() == 32 * words.len()))]
pub fn above(block: &mut Block, words: &mut Chunk<u32, 64>, x: &[f32], limit: f32) {
    let (n, first) = (words.len(), words.start());
    words.fill_by_warp(block, n, |warp, i| {
        let values = warp.per_lane(|lane| x.at(32 * (first + i) + lane.index()));
        warp.ballot(&values, |_, value| *value > limit)
    });
}
// ANCHOR_END: ballot

#[test]
fn a_ballot_has_a_bit_a_lane() -> Result<(), LaunchError> {
    let x = floats(32 * 67, 100);
    let word = |group: &[f32]| group.iter().rev().fold(0, |word, x| word << 1 | u32::from(*x > 60.0));
    let expected: Vec<u32> = x.chunks(32).map(word).collect();
    for executor in executors() {
        let mut words = vec![0; 67];
        above::launch(&executor, 2, above::Args { words: &mut words, x: &x, limit: 60.0 })?;
        assert_eq!(words, expected);
    }
    Ok(())
}

// ANCHOR: shuffle
/// The sum of each element and its neighbours on both sides, within every 32.
#[kernel(threads = 128, requires(x.len() == out.len()))]
pub fn neighbourhoods(block: &mut Block, out: &mut Chunk<f32, 512>, x: &[f32]) {
    let (n, first) = (out.len(), out.start());
    out.fill_by_lanes(block, n, |warp, begin| {
        let own = warp.per_lane(|lane| {
            let i = begin + lane.index();
            if i < n { x.at(first + i) } else { 0.0 }
        });
        let (below, above) = (warp.shuffle_up(&own, 1), warp.shuffle_down(&own, 1));
        let mut sums = own;
        warp.each_with(&mut sums, &below, |_, sum, below| *sum += below);
        warp.each_with(&mut sums, &above, |_, sum, above| *sum += above);
        sums
    });
}
// ANCHOR_END: shuffle

#[test]
fn lanes_take_from_their_neighbours() -> Result<(), LaunchError> {
    let x = floats(1000, 100);
    let mut padded = x.clone();
    padded.resize(1024, 0.0);
    // The first of 32 has no lane below, the last none above: they get their own value.
    let expected = |i: usize| {
        let (below, above) = (if i.is_multiple_of(32) { i } else { i - 1 }, if i % 32 == 31 { i } else { i + 1 });
        padded[below] + padded[i] + padded[above]
    };
    for executor in executors() {
        let mut out = vec![0.0; 1000];
        neighbourhoods::launch(&executor, 2, neighbourhoods::Args { out: &mut out, x: &x })?;
        assert_eq!(out, (0..1000).map(expected).collect::<Vec<_>>());
    }
    Ok(())
}

// ANCHOR: scan
/// Numbers the elements above a limit in each group of 32: 1, 2, ..; 0 for the others.
#[kernel(threads = 128, requires(x.len() == out.len()))]
pub fn numbered(block: &mut Block, out: &mut Chunk<u32, 512>, x: &[f32], limit: f32) {
    let (n, first) = (out.len(), out.start());
    out.fill_by_lanes(block, n, |warp, begin| {
        let mut chosen = warp.per_lane(|lane| {
            let i = begin + lane.index();
            u32::from(i < n && x.at(first + i) > limit)
        });
        let numbers = warp.inclusive_scan(&chosen, |a, b| a + b);
        warp.each_with(&mut chosen, &numbers, |_, chosen, number| *chosen *= number);
        chosen
    });
}
// ANCHOR_END: scan

#[test]
fn lanes_are_numbered() -> Result<(), LaunchError> {
    let x = floats(700, 100);
    let mut expected = Vec::new();
    for group in x.chunks(32) {
        let mut number = 0;
        for value in group {
            number += u32::from(*value > 40.0);
            expected.push(if *value > 40.0 { number } else { 0 });
        }
    }
    for executor in executors() {
        let mut out = vec![9; 700];
        numbered::launch(&executor, 2, numbered::Args { out: &mut out, x: &x, limit: 40.0 })?;
        assert_eq!(out, expected);
    }
    Ok(())
}

// ANCHOR: match
/// Counts values: of the lanes with equal values, the first adds for all.
#[kernel(threads = 128, requires(values.len() == 128 * grid.x as usize))]
pub fn counts(block: &mut Block, bins: &Atomics<u32>, values: &[u32]) {
    let first = block.index() * block.threads();
    block.warps(|warp| {
        let values = warp.per_lane(|lane| values.at(first + lane.thread().index()));
        let mut same = warp.match_any(&values);
        warp.each_with(&mut same, &values, |lane, lanes, value| {
            if lanes.trailing_zeros() == lane.index() {
                bins.add(lane.thread(), *value, lanes.count_ones());
            }
        });
    });
}
// ANCHOR_END: match

#[test]
fn lanes_with_one_value_add_once() -> Result<(), LaunchError> {
    let values = numbers(128 * 5, 10);
    let mut expected = vec![0; 10];
    values.iter().for_each(|value| expected[*value as usize] += 1);
    for executor in executors() {
        let mut bins = vec![0; 10];
        counts::launch(&executor, 5, counts::Args { bins: &mut bins, values: &values })?;
        assert_eq!(bins, expected);
    }
    Ok(())
}

// ANCHOR: lists
/// For each point, the number of pairs of its neighbours that are neighbours of each other.
#[kernel(threads = 128, requires(pairs.len() == x.len()))]
pub fn triangles(
    block: &mut Block,
    pairs: &mut Chunk<u32, 64>,
    x: &[f32],
    radius: f32,
    near: &mut Shared<f32, { 4 * 100 }>,
) {
    let (n, first, all) = (pairs.len(), pairs.start(), x.len() as u32);
    pairs.fill_by_warp_with(block, n, (near,), |warp, (near,), i| {
        let (i, own) = (first + i, x.at(first + i));
        for begin in (0..all).step_by(32) {
            let found = warp.per_lane(|lane| {
                let j = begin + lane.index();
                (j < all && j != i && (x.at(j) - own).abs() < radius).then(|| x.at(j))
            });
            near.push(warp, &found);
        }
        let near = near.items(warp);
        assert!(near.is_complete(), "a point has more neighbours than there is room for");
        let mut found = warp.per_lane(|_| 0);
        for begin in (0..near.len()).step_by(32) {
            warp.each(&mut found, |lane, found| {
                let k = begin + lane.index();
                if k < near.len() {
                    let other = near.get(k);
                    *found += near.range(0, k).filter(|one| (one - other).abs() < radius).count() as u32;
                }
            });
        }
        warp.reduce(&found, |a, b| a + b)
    });
}
// ANCHOR_END: lists

#[test]
fn a_warp_looks_at_what_is_near_again() -> Result<(), LaunchError> {
    let (x, radius) = (floats(150, 60), 9.5);
    let near = |a: f32, b: f32| (a - b).abs() < radius;
    let expected: Vec<u32> = (0..x.len())
        .map(|i| {
            let list: Vec<f32> = (0..x.len()).filter(|j| *j != i && near(x[i], x[*j])).map(|j| x[j]).collect();
            let pairs = |k: usize| list[..k].iter().filter(|one| near(**one, list[k])).count();
            (0..list.len()).map(pairs).sum::<usize>() as u32
        })
        .collect();
    for executor in executors() {
        let mut pairs = vec![0; x.len()];
        triangles::launch(&executor, 3, triangles::Args { pairs: &mut pairs, x: &x, radius })?;
        assert_eq!(pairs, expected);
    }
    // All of the 150 points are near each other, and a warp's part has room for 100.
    let mut pairs = vec![0; x.len()];
    let launched =
        triangles::launch(&CpuExecutor::new(), 3, triangles::Args { pairs: &mut pairs, x: &x, radius: 99.0 });
    assert!(matches!(launched, Err(LaunchError::Panic(_))), "{launched:?}");
    Ok(())
}

// ANCHOR: teams
/// A sparse matrix times a vector: eight threads per row. Row `i` has the entries `starts[i]..starts[i + 1]`.
#[kernel(threads = 128, requires(starts.len() == out.len() + 1, columns.len() == entries.len()))]
pub fn sparse(
    block: &mut Block,
    out: &mut Chunk<f32, 256>,
    starts: &[u32],
    columns: &[u32],
    entries: &[f32],
    x: &[f32],
) {
    let (n, first) = (out.len(), out.start());
    out.fill_by_team::<8>(block, n, |team, i| {
        let (begin, end) = (starts.at(first + i), starts.at(first + i + 1));
        let term = |k| (entries.at(begin + k), x.at(columns.at(begin + k)));
        team.reduce(end - begin, 0.0, |sum, k| math::fma(term(k).0, term(k).1, sum), |a, b| a + b)
    });
}
// ANCHOR_END: teams

#[test]
fn teams_take_rows_of_any_length() -> Result<(), LaunchError> {
    let lengths = numbers(400, 30);
    let mut starts = vec![0];
    for length in lengths {
        starts.push(starts[starts.len() - 1] + length);
    }
    let end = starts[400];
    let (columns, entries, x) = (numbers(end, 90), floats(end, 20), floats(90, 70));
    let term = |k: u32| entries[k as usize] * x[columns[k as usize] as usize];
    let expected: Vec<f32> = starts.windows(2).map(|row| (row[0]..row[1]).map(term).sum()).collect();
    for executor in executors() {
        let mut out = vec![0.0; 400];
        sparse::launch(
            &executor,
            2,
            sparse::Args { out: &mut out, starts: &starts, columns: &columns, entries: &entries, x: &x },
        )?;
        assert_eq!(out, expected);
    }
    Ok(())
}
