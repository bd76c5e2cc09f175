//! The transpose of a matrix: global memory is read and written in whole rows, and transposed in shared memory.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// The side of a tile. In shared memory its rows are one element longer, so that a column lies in different banks.
const SIDE: u32 = 32;

#[kernel(threads = 256, requires(x.len() == out.rows() * out.columns(), out.columns() > 0))]
fn transpose(
    block: &mut Block,
    out: &mut Tile2d<f32, 32, 32, WriteOnly>,
    x: &[f32],
    tile: &mut Shared<f32, { 32 * 33 }>,
) {
    let [wide, rows] = out.matrix();
    let (first_row, first_column) = (out.first_column(), out.first_row());
    let tile = tile.fill(block, SIDE * (SIDE + 1), |at| {
        let (row, column) = (first_row + at / (SIDE + 1), first_column + at % (SIDE + 1));
        if at % (SIDE + 1) < SIDE && row < rows && column < wide { x.at(row * wide + column) } else { 0.0 }
    });
    out.fill(block, |row, column| tile.get(column * (SIDE + 1) + row));
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (500u32, 300u32);
    let x = floats(rows * columns);
    let (on_machine, mut out) = (machine.buffer(&x)?, machine.zeroed(x.len())?);
    let grid = (rows.div_ceil(SIDE), columns.div_ceil(SIDE));
    let matrix = Matrix { data: out.view_mut(), columns: rows };
    transpose::launch(machine, grid, transpose::Args { out: matrix, x: on_machine.view() })?;
    let found = out.download()?;
    assert!((0..rows * columns).all(|i| found[i as usize] == x[(i % rows * columns + i / rows) as usize]));
    Ok(Report::new(format!("{rows} x {columns} became {columns} x {rows}"), &found))
}
