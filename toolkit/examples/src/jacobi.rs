//! A two-dimensional five-point Jacobi step with a halo in shared memory (Rodinia `hotspot`, SHOC `stencil2d`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Rows of a block's tile.
const ROWS: usize = 16;
/// Columns of a block's tile.
const COLUMNS: usize = 32;
/// Columns of the tile with its halo.
const WIDE: u32 = COLUMNS as u32 + 2;

/// One step: each inner point becomes the mean of its four neighbours, and the border stays. `change` gets the largest
/// change in each block.
#[kernel(threads = 256, requires(x.len() == out.rows() * out.columns(), change.len() == (grid.x * grid.y) as usize))]
fn jacobi(
    block: &mut Block,
    out: &mut Tile2d<f32, ROWS, COLUMNS, WriteOnly>,
    change: &mut Chunk<f32, 1, WriteOnly>,
    x: &[f32],
    near: &mut Shared<f32, { (ROWS + 2) * (COLUMNS + 2) }>,
) {
    let (top, left, [rows, columns]) = (out.first_row(), out.first_column(), out.matrix());
    let near = near.fill_all(block, |i| {
        // Shifted by one, and clamped to the field: the kernel does not use elements outside.
        let row = (top + i / WIDE).saturating_sub(1).min(rows - 1);
        let column = (left + i % WIDE).saturating_sub(1).min(columns - 1);
        x.at(row * columns + column)
    });
    let step = |r: u32, c: u32| {
        let at = |r: u32, c: u32| near.get(r * WIDE + c);
        let (row, column) = (top + r, left + c);
        if row == 0 || column == 0 || row + 1 == rows || column + 1 == columns {
            at(r + 1, c + 1)
        } else {
            0.25 * ((at(r, c + 1) + at(r + 2, c + 1)) + (at(r + 1, c) + at(r + 1, c + 2)))
        }
    };
    out.fill(block, step);
    let (high, wide) = (out.rows(), out.columns());
    let most = block.reduce(
        high * wide,
        0.0,
        |i| {
            let (r, c) = (i / wide, i % wide);
            let change = step(r, c) - near.get((r + 1) * WIDE + c + 1);
            if change < 0.0 { -change } else { change }
        },
        math::larger,
    );
    change.fill(block, 1, |_| most);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (50u32, 100u32);
    let grid = (columns.div_ceil(COLUMNS as u32), rows.div_ceil(ROWS as u32));
    let field = floats(rows * columns);
    let (mut now, mut next) = (machine.buffer(&field)?, machine.zeroed(field.len())?);
    let mut change = machine.zeroed((grid.0 * grid.1) as usize)?;
    for _ in 0..10 {
        let out = Matrix { data: next.view_mut(), columns };
        jacobi::launch(machine, grid, jacobi::Args { out, change: change.view_mut(), x: now.view() })?;
        std::mem::swap(&mut now, &mut next);
    }
    let found = now.download()?;
    let (mut expected, mut most) = (field, 0.0f32);
    for _ in 0..10 {
        let old = expected.clone();
        let at = |row: u32, column: u32| old[(row * columns + column) as usize];
        most = 0.0;
        for row in 1..rows - 1 {
            for column in 1..columns - 1 {
                let sides = (at(row, column - 1) + at(row, column + 1), at(row - 1, column) + at(row + 1, column));
                let new = 0.25 * (sides.1 + sides.0);
                most = most.max((new - at(row, column)).abs());
                expected[(row * columns + column) as usize] = new;
            }
        }
    }
    assert_eq!(found, expected);
    assert_eq!(change.download()?.into_iter().fold(0.0, f32::max), most);
    Ok(Report::new(format!("the tenth step changed {most} at most"), &found))
}
