//! The game of life on a torus: one launch per step, from one buffer to the other.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

#[kernel(threads = 256, requires(x.len() == out.rows() * out.columns()))]
fn step(block: &mut Block, out: &mut Tile2d<u8, 16, 32, WriteOnly>, x: &[u8]) {
    let [rows, columns] = out.matrix();
    let (top, left) = (out.first_row(), out.first_column());
    out.fill(block, |r, c| {
        let (r, c) = (top + r, left + c);
        let at = |down: u32, right: u32| u32::from(x.at((r + down) % rows * columns + (c + right) % columns));
        let (up, left) = (rows - 1, columns - 1);
        let above = at(up, left) + at(up, 0) + at(up, 1);
        let neighbours = above + at(0, left) + at(0, 1) + at(1, left) + at(1, 0) + at(1, 1);
        u8::from(neighbours == 3 || (neighbours == 2 && at(0, 0) == 1))
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (40u32, 70u32);
    // A glider, which moves by one row and one column in four steps.
    let mut field = vec![0u8; (rows * columns) as usize];
    for (row, column) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        field[row * columns as usize + column] = 1;
    }
    let (mut now, mut next) = (machine.buffer(&field)?, machine.zeroed(field.len())?);
    for _ in 0..40 {
        let matrix = Matrix { data: next.view_mut(), columns };
        step::launch(machine, (columns.div_ceil(32), rows.div_ceil(16)), step::Args { out: matrix, x: now.view() })?;
        std::mem::swap(&mut now, &mut next);
    }
    let found = now.download()?;
    let moved = |i: usize| field[(i + field.len() - 10 * columns as usize - 10) % field.len()];
    assert!((0..field.len()).all(|i| found[i] == moved(i)));
    Ok(Report::new("a glider went ten rows down and ten columns to the right", &found))
}
