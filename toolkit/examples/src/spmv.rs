//! A matrix in compressed rows times a vector, with a warp or eight lanes per row (Bell and Garland 2008; CUSP, SHOC `spmv`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Rows of a block.
pub const ROWS: usize = 64;

/// One warp per row.
#[kernel(threads = 256, requires(row_starts.len() == y.len() + 1, columns.len() == values.len()))]
pub fn csr_vector(
    block: &mut Block,
    y: &mut Chunk<f32, ROWS, WriteOnly>,
    row_starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
) {
    let (n, first) = (y.len(), y.start());
    y.fill_by_warp(block, n, |warp, i| {
        let (begin, end) = (row_starts.at(first + i), row_starts.at(first + i + 1));
        let mut sums = warp.per_lane(|_| 0.0);
        for at in (begin..end).step_by(32) {
            warp.each(&mut sums, |lane, sum| {
                let k = at + lane.index();
                if k < end {
                    *sum = math::fma(values.at(k), x.at(columns.at(k)), *sum);
                }
            });
        }
        warp.reduce(&sums, |a, b| a + b)
    });
}

/// A team of eight lanes per row, for short rows.
#[kernel(threads = 256, requires(row_starts.len() == y.len() + 1, columns.len() == values.len()))]
pub fn csr_team(
    block: &mut Block,
    y: &mut Chunk<f32, ROWS, WriteOnly>,
    row_starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
) {
    let (n, first) = (y.len(), y.start());
    y.fill_by_team::<8>(block, n, |team, i| {
        let (begin, end) = (row_starts.at(first + i), row_starts.at(first + i + 1));
        let step = |sum, k| math::fma(values.at(begin + k), x.at(columns.at(begin + k)), sum);
        team.reduce(end - begin, 0.0, step, |a, b| a + b)
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let rows = 1000u32;
    let mut row_starts = vec![0];
    for i in 0..rows {
        row_starts.push(row_starts[i as usize] + if i % 7 == 0 { 0 } else { word(i) % 100 });
    }
    let entries = row_starts[rows as usize];
    let columns: Vec<u32> = (0..entries).map(|k| word(k + 77) % rows).collect();
    let (values, x) = (floats(entries), floats(rows));
    let product = |k: usize| f64::from(values[k]) * f64::from(x[columns[k] as usize]);
    let exact: Vec<f64> =
        row_starts.windows(2).map(|row| (row[0] as usize..row[1] as usize).map(product).sum()).collect();
    let (starts_there, columns_there) = (machine.buffer(&row_starts)?, machine.buffer(&columns)?);
    let (values_there, x_there) = (machine.buffer(&values)?, machine.buffer(&x)?);
    let (mut by_warps, mut by_teams) = (machine.zeroed(rows as usize)?, machine.zeroed(rows as usize)?);
    let grid = blocks(rows as usize, ROWS);
    let [row_starts, columns] = [starts_there.view(), columns_there.view()];
    let [values, x] = [values_there.view(), x_there.view()];
    csr_vector::launch(machine, grid, csr_vector::Args { y: by_warps.view_mut(), row_starts, columns, values, x })?;
    csr_team::launch(machine, grid, csr_team::Args { y: by_teams.view_mut(), row_starts, columns, values, x })?;
    let found = [by_warps.download()?, by_teams.download()?].concat();
    assert_near(&found, |i| exact[i % rows as usize], 1e-4);
    Ok(Report::new(format!("{rows} rows, {entries} entries"), &found))
}
