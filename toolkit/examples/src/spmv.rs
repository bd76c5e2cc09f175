//! A matrix in compressed rows times a vector, with a warp or eight lanes per row (Bell and Garland 2008; CUSP, SHOC `spmv`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Rows of a block.
pub const ROWS: usize = 64;

/// A matrix, its entries row by row.
#[derive(Arguments)]
pub struct Rows<'a> {
    /// The first entry of each row, and the end.
    pub starts: &'a [u32],
    /// Of each entry.
    pub columns: &'a [u32],
    /// Of each entry.
    pub values: &'a [f32],
}

/// One warp per row.
#[kernel(threads = 256, requires(a.starts.len() == y.len() + 1, a.columns.len() == a.values.len()))]
pub fn csr_vector(block: &mut Block, y: &mut Chunk<f32, ROWS, WriteOnly>, a: Rows<'_>, x: &[f32]) {
    let (n, first) = (y.len(), y.start());
    y.fill_by_team::<32>(block, n, |team, i| {
        let (begin, end) = (a.starts.at(first + i), a.starts.at(first + i + 1));
        let step = |sum, k| math::fma(a.values.at(begin + k), x.at(a.columns.at(begin + k)), sum);
        team.reduce(end - begin, 0.0, step, |a, b| a + b)
    });
}

/// A team of eight lanes per row, for short rows.
#[kernel(threads = 256, requires(a.starts.len() == y.len() + 1, a.columns.len() == a.values.len()))]
pub fn csr_team(block: &mut Block, y: &mut Chunk<f32, ROWS, WriteOnly>, a: Rows<'_>, x: &[f32]) {
    let (n, first) = (y.len(), y.start());
    y.fill_by_team::<8>(block, n, |team, i| {
        let (begin, end) = (a.starts.at(first + i), a.starts.at(first + i + 1));
        let step = |sum, k| math::fma(a.values.at(begin + k), x.at(a.columns.at(begin + k)), sum);
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
    let (starts, columns, values) = (starts_there.view(), columns_there.view(), values_there.view());
    let (a, x) = (RowsArgs { starts, columns, values }, x_there.view());
    csr_vector::launch(machine, grid, csr_vector::Args { y: by_warps.view_mut(), a, x })?;
    csr_team::launch(machine, grid, csr_team::Args { y: by_teams.view_mut(), a, x })?;
    let found = [by_warps.download()?, by_teams.download()?].concat();
    assert_near(&found, |i| exact[i % rows as usize], 1e-4);
    Ok(Report::new(format!("{rows} rows, {entries} entries"), &found))
}
